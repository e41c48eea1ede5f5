import type { Entry, EventOf } from 'flyball';
import type { Violation, World } from './world.js';

/** Of which everything below it is undone, once others of its group have won. */
const LOSES = /\/(?:first|some)\.\d+\.\d+$/;

/** Of one generation that ended by itself: its acts that can be undone, and the branches whose result was taken. */
interface Told {
  readonly acts: Map<string, EventOf<'intent'>>;
  readonly done: Set<string>;
  readonly counted: Set<string>;
  /** What was decided under a bound, or before a cancellation, may have been decided anew. */
  isUnsure: boolean;
}

/** What a branch did that another one won against is undone before its generation ends, also where it showed only later. */
export function losers({
  entries,
  world,
  stop,
}: {
  readonly entries: readonly Entry[];
  readonly world: World;
  readonly stop: string;
}): readonly Violation[] {
  if (stop !== 'done') return []; // a failed run undoes everything, and another rule looks at that
  const refused = new Set(
    entries.flatMap(({ event }) =>
      (event.type === 'abort' || event.type === 'complete') && event.failure !== undefined && event.id.endsWith('!undo')
        ? [event.id]
        : [],
    ),
  );
  const found: Violation[] = [];
  for (const [generation, told] of generationsOf(entries)) {
    if (told.isUnsure || told.counted.size === 0) continue;
    const groups = new Set([...told.counted].map(groupOf));
    for (const [id, { key, name }] of told.acts) {
      const loser = branchesOf(id).find((path) => groups.has(groupOf(path)) && !told.counted.has(path));
      if (loser === undefined || !told.done.has(id) || world.last(key) !== 'made') continue;
      if ([...refused].some((undo) => undo.endsWith(`:${generation}:${id}!undo`))) continue;
      found.push({ rule: 'losers:kept', detail: `${loser} lost, and ${name} ${generation}:${id} stands` });
    }
  }
  return found;
}

function generationsOf(entries: readonly Entry[]): ReadonlyMap<number, Told> {
  const all = new Map<number, Told>();
  for (const { event, generation } of entries) {
    const told = all.get(generation) ?? { acts: new Map(), done: new Set(), counted: new Set(), isUnsure: false };
    all.set(generation, told);
    if (event.type === 'intent' && event.of !== 'undo' && event.undo === true) told.acts.set(event.id, event);
    if (event.type === 'complete' && event.how !== 'simulated' && event.how !== 'unknown') told.done.add(event.id);
    if (event.type === 'note' && event.event.kind === 'counted') told.counted.add(String(event.event['path']));
    const isBound = event.type === 'trip' || (event.type === 'spawn-end' && event.outcome.stop === 'bounded');
    if (isBound || event.type === 'cancel') told.isUnsure = true;
  }
  return all;
}

/** Paths of the branches that an effect is in, outermost first. */
export function branchesOf(id: string): readonly string[] {
  const steps = id.replace(/#.*$/, '').split('/');
  return steps.map((_, at) => steps.slice(0, at + 1).join('/')).filter((path) => LOSES.test(path));
}

export function groupOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}
