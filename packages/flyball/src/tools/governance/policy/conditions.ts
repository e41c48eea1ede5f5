import { canonicalJson } from '../../../core/canonical.js';
import { type Glob, matchesGlob } from '../../rules/glob.js';
import { matchesAny } from '../text-glob.js';
import { plainPath, plainUrl } from './plain-places.js';
import type { ArgumentCondition, Conditions, PathStep, PolicyAction } from './policy.js';

/**
 * Where a call has several values at one place (paths, addresses, elements), a rule that forbids holds as soon as one
 * of them matches, and a rule that permits only when all of them do: one harmless file must not carry the others.
 */
export type Strictness = 'any' | 'every';

export function conditionsHold(when: Conditions, action: PolicyAction, strictness: Strictness): boolean {
  return (
    listed(when.class, action.class) &&
    listed(when.autonomy, action.autonomy) &&
    (when.subject === undefined || matchesAny(when.subject, action.subject)) &&
    (when.role === undefined || matchesAny(when.role, action.role ?? '')) &&
    (when.tenant === undefined || matchesAny(when.tenant, action.tenant)) &&
    (when.legs === undefined || when.legs.some((leg) => action.legs.includes(leg))) &&
    (when.paths === undefined || touched(when.paths, action.paths.map(plainPath), strictness)) &&
    (when.urls === undefined || touched(when.urls, action.urls.map(plainUrl), strictness)) &&
    (when.args ?? []).every((condition) => argumentHolds(condition, action.args, strictness))
  );
}

function listed<T>(allowed: readonly T[] | undefined, value: T): boolean {
  return allowed === undefined || allowed.includes(value);
}

/** A place that cannot be read counts as the one that is forbidden, and never as one that is permitted. */
function touched(globs: readonly Glob[], places: readonly (string | undefined)[], strictness: Strictness): boolean {
  const matches = (place: string | undefined): boolean =>
    place === undefined ? strictness === 'any' : globs.some((glob) => matchesGlob(glob, place));
  return strictness === 'any' ? places.some(matches) : places.length > 0 && places.every(matches);
}

function argumentHolds({ path, test }: ArgumentCondition, args: unknown, strictness: Strictness): boolean {
  const values = valuesAt(args, path);
  const holds = (value: unknown): boolean => {
    switch (test.kind) {
      case 'equals':
        return isSame(value, test.value);
      case 'in':
        return test.values.some((each) => isSame(value, each));
      case 'above':
      case 'below':
        // what is no number cannot be compared: it counts as what is forbidden, and never as what is permitted
        if (typeof value !== 'number') return strictness === 'any';
        return test.kind === 'above' ? value > test.limit : value < test.limit;
      case 'matches':
        return typeof value !== 'object' && value !== undefined && matchesAny(test.patterns, String(value));
    }
  };
  return strictness === 'any' ? values.some(holds) : values.length > 0 && values.every(holds);
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

/** A place that does not exist has no value. Only own members are looked at: a prototype is nobody's argument. */
function valuesAt(args: unknown, path: readonly PathStep[]): readonly unknown[] {
  let values: readonly unknown[] = [args];
  for (const step of path) values = values.flatMap((value) => inside(value, step));
  return values;
}

function inside(value: unknown, step: PathStep): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('member' in step) {
    return Object.hasOwn(value, step.member) ? [(value as Record<string, unknown>)[step.member]] : [];
  }
  if (!Array.isArray(value)) return [];
  return 'every' in step ? value : value.slice(step.element, step.element + 1);
}
