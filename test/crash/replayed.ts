import type { Entry } from 'flyball';
import { type Driven, untilRest } from './drive.js';
import { detailOf, endName, type Journey, person } from './journey.js';
import type { Violation } from './world.js';

/** The whole history answers a fresh execution: same value, and nothing is done to the world again. */
export async function replayed(
  { place, runId, entries, end }: Driven,
  patienceMs?: number,
): Promise<readonly Violation[]> {
  const last = entries.findLast(({ event }) => event.type === 'run-end');
  const id = `${runId}-replay`;
  const life = place.open();
  const journey: Journey = {
    runId: id,
    person: person(),
    later: [],
    eras: [],
    hasPlenty: false,
    begin: (runtime) => runtime.fork(runId, { at: (last?.seq ?? 1) - 1, id }),
  };
  const again = (await untilRest(place, life, journey, patienceMs)) ?? end;
  life.end();
  const found: Violation[] = [];
  // a child that goes on may do anything, and come to a limit again
  const goesOn = (again.stop === 'done' || again.stop === 'bounded') && endsAtALimit(entries);
  if (!goesOn && again.stop !== 'done') found.push({ rule: `replay:${endName(again)}`, detail: detailOf(again) });
  else if (!goesOn && valueIn(again) !== valueIn(end))
    found.push({ rule: 'replay:value', detail: `${valueIn(again)} is not ${detailOf(end)}` });
  if (place.world.deeds.some(({ key }) => key.startsWith(`${id}:`)))
    found.push({ rule: 'replay:acts', detail: 'a replay made an effect' });
  return found;
}

function valueIn(end: Driven['end']): string {
  return JSON.stringify('value' in end ? end.value : undefined) ?? '';
}

/**
 * The last that the code did was to take the outcome of a child that had come to a limit. A fork from there has a budget
 * of its own, and the child goes on with a part of it.
 */
export function endsAtALimit(entries: readonly Entry[]): boolean {
  const newest = entries.at(-1)?.generation;
  const own = entries.filter(({ generation }) => generation === newest);
  const paths = new Map<string, string>();
  for (const { event } of own) if (event.type === 'spawn-start') paths.set(event.id, event.path);
  return own.some(
    ({ event }, place) =>
      event.type === 'spawn-end' &&
      event.outcome.stop === 'bounded' &&
      !isFollowed(own, place, { scope: scopeOf(event.id), paths }),
  );
}

/** Something was asked for after it in its scope or around that, or a child around it came to another end. */
function isFollowed(
  entries: readonly Entry[],
  place: number,
  { scope, paths }: { readonly scope: string; readonly paths: ReadonlyMap<string, string> },
): boolean {
  const asked = new Set(entries.slice(0, place + 1).map(({ event }) => idOf(event)));
  return entries.slice(place + 1).some(({ event }) => {
    const id = idOf(event);
    if (event.type === 'spawn-end' && event.outcome.stop !== 'bounded' && isIn(scope, paths.get(event.id))) return true;
    return id !== undefined && !asked.has(id) && isIn(scope, scopeOf(id));
  });
}

function idOf(event: Entry['event']): string | undefined {
  const id = 'id' in event && typeof event.id === 'string' ? event.id : undefined;
  return id?.includes('#') === true && !id.includes('!') ? id : undefined;
}

function scopeOf(id: string): string {
  return id.slice(0, id.indexOf('#'));
}

function isIn(scope: string, path: string | undefined): boolean {
  return path !== undefined && (path === '' || scope === path || scope.startsWith(`${path}/`));
}
