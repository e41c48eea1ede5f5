import { misfit, type RecordFields } from './record-fields.js';

/** The reference writes local times without a zone; ours are UTC, in the same form. */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, -1)}000`;
}

/** The reference's short form: `20260131_120000`. */
const COMPACT = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)$/;

/** Milliseconds since the epoch; a time without a zone counts as UTC. NaN where it is no time. */
export function instantOf(text: string): number {
  if (COMPACT.test(text)) return Date.parse(text.replace(COMPACT, '$1-$2-$3T$4:$5:$6Z'));
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  return Date.parse(`${text.replace(' ', 'T').replace(/(\.\d{3})\d+/, '$1')}${hasZone ? '' : 'Z'}`);
}

/** A field that has to hold a time. */
export function instantIn(fields: RecordFields, name: string): number {
  const at = instantOf(fields.text(name));
  if (Number.isNaN(at)) throw misfit(fields.at(name), 'a time such as 2026-01-31T12:00:00.000000', fields.value(name));
  return at;
}
