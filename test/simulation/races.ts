import type { Entry } from 'flyball';
import { branchesOf, groupOf } from '../crash/losers.js';

/**
 * The branch that a doubt is in, where another one came first and has to wait for the doubt all the same: the run rests,
 * and nothing was undone of that branch or of one around it.
 */
export function heldUpBy(entries: readonly Entry[], doubt: string): string | undefined {
  const generation = entries.at(-1)?.generation;
  const cameFirst = new Set<string>();
  const undone = new Set<string>();
  for (const { event, generation: of } of entries) {
    if (of !== generation) continue;
    if (event.type === 'note' && event.event.kind === 'came-first') cameFirst.add(String(event.event['path']));
    if (event.type === 'rollback-end') undone.add(event.scope);
    // what was decided before such a thing may be decided anew
    if (event.type === 'trip' || event.type === 'cancel') return undefined;
    if (event.type === 'spawn-end' && event.outcome.stop === 'bounded') return undefined;
    if (event.type === 'run-resume' && event.budget !== undefined) return undefined;
  }
  const decided = new Set([...cameFirst].map(groupOf));
  const branches = branchesOf(doubt);
  if (branches.some((path) => undone.has(path))) return undefined;
  return branches.find((path) => decided.has(groupOf(path)) && !cameFirst.has(path));
}
