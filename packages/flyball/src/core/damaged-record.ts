import { runDamaged } from './engine-errors.js';

/** What may be shown of a record that is not what was written. */
interface Shown {
  readonly id: string;
  readonly agent: string;
  readonly version: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface Whose {
  readonly tenant: string;
  readonly subject: string;
}

/**
 * A record that is not what was written, as a run that needs attention: a list must not end over it. `whose`: where that
 * part is known to be what was written. Where it is not, tenant and subject are empty, whatever they say.
 */
export function damagedRecord(shown: Shown, whose?: Whose) {
  const { code, message: attention } = runDamaged(shown.id, 'The record');
  return {
    ...shown,
    ...(whose ?? ({ damaged: true, tenant: '', subject: '' } as const)),
    status: 'stalled',
    generation: 0,
    waiting: [],
    crashes: 0,
    activeMs: 0,
    attention,
    code,
  } as const;
}

/** Throws JOURNAL_CORRUPT for a record that does not say whose it is: whatever is stored under its id, nobody knows who may read it. */
export function refuseDamaged({ id, damaged }: { readonly id: string; readonly damaged?: true }): void {
  if (damaged === true) throw runDamaged(id, 'The record');
}
