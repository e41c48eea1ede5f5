import { ConfigError } from '../../../core/errors.js';
import type { GuardAt, GuardPoint, GuardSlots } from './guard-points.js';

const POINTS: readonly GuardPoint[] = ['input', 'preCall', 'response', 'output'];

export function hasGuards(slots: GuardSlots): (point: GuardPoint) => boolean {
  return (point) => (slots[point]?.length ?? 0) > 0;
}

/** Settings that look like protection and are none fail here, before a run starts. */
export function checkSlots(slots: GuardSlots): void {
  const filled = POINTS.filter(hasGuards(slots));
  if (filled.length === 0) throw new ConfigError('Guardrails need at least one guard.');
  if (filled.length === 1 && filled[0] === 'output')
    throw new ConfigError(
      'Guards at the output alone see an answer after every call was made. Add guards at input, preCall or response.',
    );
  const seen = new Map<object, GuardPoint>();
  for (const point of filled) {
    for (const guard of slots[point] ?? []) {
      refuseShared(guard, point, seen);
      refuseMisplaced(guard, point);
      refuseUnowned(guard);
    }
  }
}

type AnyGuard = GuardAt[GuardPoint];

/** The layers are worth something because they fail independently. */
function refuseShared(guard: AnyGuard, point: GuardPoint, seen: Map<object, GuardPoint>): void {
  for (const part of [guard, guard.check]) {
    const before = seen.get(part);
    if (before !== undefined && (before !== point || part === guard))
      throw new ConfigError(
        `Guard ${guard.name} is used at ${before} and at ${point}. Create a separate guard for each.`,
      );
    seen.set(part, point);
  }
}

function refuseMisplaced({ name, at }: AnyGuard, point: GuardPoint): void {
  if (at !== point) throw new ConfigError(`Guard ${name} is made for ${at} but used at ${point}.`);
}

/** The types say it too; this is for callers without them. */
function refuseUnowned(guard: AnyGuard): void {
  const { name, at } = guard;
  const { whenBroken } = guard as { readonly whenBroken?: unknown };
  if (whenBroken === undefined || whenBroken === 'block') return;
  if (at !== 'input') throw new ConfigError(`Guard ${name}: only an input guard may let pass when it breaks.`);
  const owner = (whenBroken as { readonly passOwner?: unknown } | null)?.passOwner;
  if (typeof owner !== 'string' || owner.trim() === '')
    throw new ConfigError(`Guard ${name} lets pass when it breaks: name who answers for that as passOwner.`);
}
