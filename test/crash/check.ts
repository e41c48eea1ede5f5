import type { Engine, Entry, EventOf } from 'flyball';
import { autoClock, testHost } from 'flyball/testing';
import { expect } from 'vitest';
import { type Driven, runtimeOf } from './drive.js';
import type { Case } from './program.js';
import { World } from './world.js';

/** What must hold however often the process died. */
export async function checkDriven(given: Case, engine: Engine, driven: Driven): Promise<void> {
  const { entries, world, outcome } = driven;
  const intents = new Map(
    entries.flatMap(({ event }) => (event.type === 'intent' ? [[event.id, event] as const] : [])),
  );
  const ends = new Map(
    entries.flatMap(({ event }) =>
      event.type === 'complete' || event.type === 'abort' ? [[event.id, event] as const] : [],
    ),
  );
  for (const [id, intent] of intents) {
    if (intent.of === 'undo') continue;
    // a bounded run can go on: what may be repeated then is left open
    if (outcome.stop === 'bounded' && intent.class === 'idempotent' && !ends.has(id)) continue;
    expect(ends.has(id), `${id} has an INTENT without an end`).toBe(true);
    const times = world.made.get(intent.key) ?? 0;
    // an idempotent effect may be repeated under its key; the world made it once
    expect(times, `${intent.name} ${id} was made ${times} times`).toBeLessThanOrEqual(1);
    const end = ends.get(id);
    if (end?.type === 'complete' && end.how !== 'unknown') expect(times, `${id} is recorded as done`).toBe(1);
    if (end?.type === 'abort') expect(times, `${id} is recorded as not done`).toBe(0);
  }
  for (const key of world.made.keys())
    expect(
      [...intents.values()].some((intent) => intent.key === key),
      `${key} has an INTENT`,
    ).toBe(true);
  checkRollback(outcome.stop, entries, intents, world);
  checkPositions(entries);
  if (outcome.stop === 'done') await checkReplay(given, engine, driven);
}

function checkRollback(
  stop: string,
  entries: readonly Entry[],
  intents: ReadonlyMap<string, EventOf<'intent'>>,
  world: World,
): void {
  if (stop !== 'failed' && stop !== 'cancelled') return;
  const completed = entries.flatMap(({ event }) => (event.type === 'complete' ? [event] : []));
  for (const end of completed) {
    const intent = intents.get(end.id);
    if (intent?.undo === true) expect(world.undone.has(`${intent.key}!undo`), `${end.id} was undone`).toBe(true);
  }
  checkOrder(entries);
}

/** The rollback of the whole run goes from the newest effect to the oldest, over all lives. */
export function checkOrder(entries: readonly Entry[]): void {
  const announced = entries.findIndex(({ event }) => event.type === 'rollback-start' && event.scope === '');
  if (announced === -1) return;
  const undone = entries
    .slice(announced)
    .flatMap(({ event }) =>
      event.type === 'intent' && event.of === 'undo' ? [(event.input as { effect: string }).effect] : [],
    );
  const positions = [...new Set(undone)].map((effect) =>
    entries.findLastIndex(({ event }) => event.type === 'complete' && event.id === effect),
  );
  expect(positions, 'newest first').toEqual([...positions].sort((a, b) => b - a));
}

function checkPositions(entries: readonly Entry[]): void {
  // one expectation for all of them: of tens of thousands of journals, one for each entry takes a tenth of the time
  expect(entries.findIndex(({ seq }, index) => seq !== index)).toBe(-1);
}

/** The whole history answers a fresh execution: same value, and nothing is done to the world again. */
async function checkReplay(given: Case, engine: Engine, { runId, entries, outcome, world }: Driven): Promise<void> {
  const end = entries.findLastIndex(({ event }) => event.type === 'run-end');
  const clock = autoClock();
  const still = new World(given.seed);
  const runtime = runtimeOf(given, engine, clock, testHost('replay'), still);
  const replayed = await (await runtime.fork(runId, { at: end - 1, id: `${runId}-replay` })).outcome();
  runtime.abandon();
  clock.stop();
  expect(replayed.stop).toBe('done');
  expect('value' in replayed ? replayed.value : undefined).toEqual('value' in outcome ? outcome.value : undefined);
  expect([...still.made.keys()], 'a replay makes no effect').toEqual([]);
  expect(world.made.size).toBeGreaterThanOrEqual(0);
}
