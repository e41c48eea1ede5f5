import type { PatternId } from '../core/use.js';
import type { PatternSpec, Relation, RelationEnd } from './types.js';

/** Whether the start of a relation is there. */
export function isFrom(from: Relation['from'], present: ReadonlySet<string>, loops: readonly PatternSpec[]): boolean {
  if (from === '*agent') return true;
  return from === '*loop' ? loops.some(({ id }) => present.has(id)) : present.has(from);
}

/**
 * The requirements that are not satisfied, and those of what they would add, in the order in which they are found. Where
 * several would do and none is there, the first is taken.
 */
export function unsatisfied(
  there: Iterable<string>,
  requirements: readonly Relation[],
  loops: readonly PatternSpec[],
): readonly Relation[] {
  const present = new Set<string>(there);
  const found: Relation[] = [];
  for (let before = -1; before !== found.length; ) {
    before = found.length;
    for (const relation of requirements) {
      const [first] = relation.to;
      if (first === undefined || !isPattern(first)) continue;
      if (!isFrom(relation.from, present, loops) || relation.to.some((end) => present.has(end))) continue;
      present.add(first);
      found.push(relation);
    }
  }
  return found;
}

/** What has to be added so that every `requires` that holds always is satisfied. */
export function closureOf(
  listed: readonly PatternId[],
  relations: readonly Relation[],
  loops: readonly PatternSpec[],
): readonly PatternId[] {
  const always = relations.filter(({ kind, when }) => kind === 'requires' && when === 'always');
  return unsatisfied(listed, always, loops).flatMap(({ to }) => to.filter(isPattern).slice(0, 1));
}

/** A pattern, and no profile or cache. */
export function isPattern(end: RelationEnd): end is PatternId {
  return /^[A-Z]\d+$/.test(end);
}
