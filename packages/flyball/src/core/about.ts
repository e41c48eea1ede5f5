import { ConfigError } from './errors.js';
import { type Formula, type Interval, predicted } from './formula.js';
import { isOneSession, type Part, type PatternId, partOf, type SeatedSession, type Use } from './use.js';

/** What a pattern says about itself. */
export interface About {
  readonly id: PatternId;
  /** The function's own name: scopes and messages are called after it. */
  readonly name: string;
  /** Options as plain data, as the journal keeps them. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Who takes part, by role. */
  readonly parts: Readonly<Record<string, object | readonly object[] | undefined>>;
  readonly calls: Formula;
  /** The most model calls it allows, whatever its parts would make. */
  readonly most?: number;
  readonly apart?: readonly (readonly [string, string])[];
  readonly provides?: readonly PatternId[];
  /** Its parts answer something else than it does, or what nobody has checked: their best values are not its own. */
  readonly ownBest?: true;
}

/** The description of one use. Bad wiring throws here, when the composition is built, and not in a run. */
export function useFrom(about: About): Use {
  const { id, name, params = {}, calls, most = Number.POSITIVE_INFINITY, apart = [], provides = [] } = about;
  const parts: Record<string, Part | readonly Part[]> = {};
  const costs: Record<string, Interval> = {};
  for (const [role, filled] of Object.entries(about.parts)) {
    if (filled === undefined) continue;
    const all = (Array.isArray(filled) ? filled : [filled]).map(partOf);
    const [first] = all;
    parts[role] = Array.isArray(filled) || first === undefined ? all.map(({ part }) => part) : first.part;
    costs[role] = all.reduce((sum, { predicted: one }) => ({ min: sum.min + one.min, max: sum.max + one.max }), {
      min: 0,
      max: 0,
    });
  }
  const uncapped = predicted(calls, { params, parts: costs });
  const use = {
    id,
    name,
    params,
    parts,
    apart,
    calls,
    predicted: { min: Math.min(uncapped.min, most), max: Math.min(uncapped.max, most) },
    provides: providedBy(id, provides, parts),
  };
  keptApart(use, parts);
  return use;
}

/** What stands on the session of a role is in the pattern: its own list, and what its sessions carry. */
function providedBy(id: PatternId, own: readonly PatternId[], parts: Use['parts']): readonly PatternId[] {
  const seats = Object.values(parts).flat();
  const carried = seats.flatMap((part) => ('session' in part ? (part.provides ?? []) : []));
  return [...new Set([...own, ...carried.filter((other) => other !== id)])];
}

/** Roles are apart when no session is in both, however deep: a model does not judge in the words it wrote in. */
function keptApart({ id, name, apart }: Use, parts: Use['parts']): void {
  const sessionsOf = (role: string) => [parts[role] ?? []].flat().flatMap(sessionsIn);
  for (const [one, other] of apart)
    for (const session of sessionsOf(one)) {
      const same = sessionsOf(other).find((another) => isOneSession(session, another));
      if (same !== undefined)
        throw new ConfigError(
          `${name} (${id}) needs a ${one} that is not the session of its ${other}: ${bothAre(session, same)}. Give the ${one} a session of its own.`,
        );
    }
}

/** Which session is in two seats, in words. */
export function bothAre({ session }: SeatedSession, other: SeatedSession): string {
  return session === other.session
    ? `"${session}" is both`
    : `"${session}" and "${other.session}" are one, with the same model and the same setup`;
}

/** Every session below a part that says so, however deep. */
export function sessionsIn(part: Part): readonly SeatedSession[] {
  if ('session' in part) return [part];
  return 'parts' in part ? Object.values(part.parts).flat().flatMap(sessionsIn) : [];
}
