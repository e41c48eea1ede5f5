import type { EffectKind } from '../../../core/effect-kind.js';
import type { TrifectaLeg } from '../../../core/tool.js';
import { type Glob, readGlob } from '../../rules/glob.js';
import { AUTONOMY_LEVELS } from '../autonomy-level.js';
import type { ArgumentCondition, Conditions, PathStep } from './policy.js';
import { Fields } from './read-fields.js';

const CLASSES = ['pure', 'idempotent', 'undoable', 'irreversible'] as const satisfies readonly EffectKind[];
const LEGS = ['private-data', 'untrusted-content', 'outbound'] as const satisfies readonly TrifectaLeg[];
export const CONDITION_NAMES = [
  'args',
  'class',
  'subject',
  'role',
  'tenant',
  'autonomy',
  'legs',
  'paths',
  'urls',
] as const;

const MAX_PATTERN_LENGTH = 512;

export function parseConditions(fields: Fields): Conditions {
  return {
    ...(fields.has('args') ? { args: fields.list('args').map((each, at) => parseArgument(each, fields, at)) } : {}),
    ...(fields.has('class') ? { class: fields.someOf('class', CLASSES) } : {}),
    ...(fields.has('subject') ? { subject: parsePatterns(fields, 'subject') } : {}),
    ...(fields.has('role') ? { role: parsePatterns(fields, 'role') } : {}),
    ...(fields.has('tenant') ? { tenant: parsePatterns(fields, 'tenant') } : {}),
    ...(fields.has('autonomy') ? { autonomy: fields.someOf('autonomy', AUTONOMY_LEVELS) } : {}),
    ...(fields.has('legs') ? { legs: fields.someOf('legs', LEGS) } : {}),
    ...(fields.has('paths') ? { paths: parseGlobs(fields, 'paths') } : {}),
    ...(fields.has('urls') ? { urls: parseUrlGlobs(fields, 'urls') } : {}),
  };
}

export function parsePatterns(fields: Fields, name: string): readonly string[] {
  const patterns = fields.texts(name);
  if (patterns.some((pattern) => pattern.length > MAX_PATTERN_LENGTH))
    fields.fail(name, `holds a pattern of more than ${MAX_PATTERN_LENGTH} characters`);
  return patterns;
}

function parseGlobs(fields: Fields, name: string): readonly Glob[] {
  return fields.texts(name).map((text) => readGlob(text) ?? fields.fail(name, `"${text}" is not a valid glob`));
}

/** Hosts are compared without a dot at their end, so a pattern that has one would never match. */
function parseUrlGlobs(fields: Fields, name: string): readonly Glob[] {
  const dotted = fields.texts(name).find((text) => /^[^/]*:\/\/[^/]*\.(?::[^/]*)?(?:\/|$)/.test(text));
  if (dotted !== undefined) fields.fail(name, `"${dotted}" has a host that ends with a dot; leave the dot out`);
  return parseGlobs(fields, name);
}

const TESTS = ['equals', 'in', 'matches', 'above', 'below'] as const;

function parseArgument(data: unknown, within: Fields, at: number): ArgumentCondition {
  const fields = new Fields(data, `${within.where}, args[${at}]`, ['path', ...TESTS]);
  const tests = TESTS.filter((name) => fields.has(name));
  if (tests.length !== 1) fields.fail('a condition', `has exactly one of ${TESTS.join(', ')}`);
  const path = parsePath(fields.text('path'), fields);
  if (fields.has('matches')) return { path, test: { kind: 'matches', patterns: parsePatterns(fields, 'matches') } };
  for (const kind of ['above', 'below'] as const)
    if (fields.has(kind)) return { path, test: { kind, limit: fields.number(kind) } };
  if (fields.has('in')) return { path, test: { kind: 'in', values: fields.list('in') } };
  return { path, test: { kind: 'equals', value: fields.get('equals') } };
}

/** `$.to[0].address`, `$.to[*]`, `$['a name'].x`; the `$.` at the start may be left out. */
function parsePath(text: string, fields: Fields): readonly PathStep[] {
  const steps: PathStep[] = [];
  let rest = text === '$' ? '' : text.startsWith('$') ? text.slice(1) : text.startsWith('[') ? text : `.${text}`;
  while (rest !== '') {
    const found = /^(?:\.([\p{L}_][\p{L}\p{N}_-]*)|\[(\d{1,6})\]|(\[\*\])|\['([^']+)'\])/u.exec(rest);
    if (found === null)
      return fields.fail('path', `"${text}" cannot be read at "${rest}"; write it like $.to[0].address or $.to[*]`);
    const [whole, member, element, every, quoted] = found;
    if (element !== undefined) steps.push({ element: Number(element) });
    else if (every !== undefined) steps.push({ every: true });
    else steps.push({ member: member ?? quoted ?? '' });
    rest = rest.slice(whole.length);
  }
  return steps;
}
