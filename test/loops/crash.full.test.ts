import { type Engine, type Entry, memoryEngine } from 'flyball';
import { type CrashPoint, crashingEngine } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  availableDrivers,
  temporaryFile,
} from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';
import { type LoopLives, liveLoop } from './crash.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const immortal = (engine: Engine) => crashingEngine(engine, () => false);

/** The loop that never crashed, and every instant at which it could have. */
async function calmLoop(engine: Engine, runId: string) {
  const process = immortal(engine);
  const calm = await liveLoop(runId, () => process);
  return { calm, points: [...process.points] };
}

function crashedAt({ n, when }: CrashPoint, engine: Engine, runId: string): Promise<LoopLives> {
  return liveLoop(runId, (life) => (life === 0 ? crashingEngine(engine, { at: n, when }) : immortal(engine)));
}

const nameOf = ({ when, n, op, entries = [] }: CrashPoint): string =>
  `${when} write ${n} (${op} ${entries.join(', ')})`;

/** Keys of model calls whose reply, and of tool calls whose end, the journal holds. */
function endedIn(entries: readonly Entry[], runId: string): ReadonlySet<string> {
  const ids = entries.flatMap(({ event }) =>
    event.type === 'ask-end' || event.type === 'complete' || event.type === 'abort' ? [event.id] : [],
  );
  return new Set(ids.map((id) => `${runId}:0:${id}`));
}

function expectAlike(crashed: LoopLives, calm: LoopLives, runId: string): void {
  const { world, outcome, atDeath } = crashed;
  expect(outcome.stop).toBe('done');
  expect('value' in outcome && outcome.value).toEqual('value' in calm.outcome && calm.outcome.value);
  const ended = endedIn(atDeath, runId);
  for (const [key, times] of world.asked) {
    if (ended.has(key)) expect(times, `${key} was paid for again after its reply was journaled`).toBe(1);
    else expect(times, `${key} was asked ${times} times`).toBeLessThanOrEqual(2);
  }
  for (const [key, times] of world.ran) {
    if (ended.has(key)) expect(times, `${key} ran again after its end was journaled`).toBe(1);
    else expect(times, `${key} ran ${times} times`).toBeLessThanOrEqual(2);
  }
  // what is done to the world is done once, whatever was in doubt
  for (const [key, { name, times }] of world.made) expect(times, `${name} (${key})`).toBe(1);
  expect(world.left()).toEqual(calm.world.left());
  expect(world.asked.size).toBe(calm.world.asked.size);
}

describe('a tool loop that dies before or after any of its journal writes', () => {
  it('uses all that it is tested with', async () => {
    const { calm } = await calmLoop(memoryEngine(), 'calm');
    const kinds = calm.entries.flatMap(({ event }) => (event.type === 'note' ? [event.event.kind] : []));
    expect(kinds).toContain('context-cleared');
    expect(kinds).toContain('context-compacted');
    expect(calm.outcome).toMatchObject({
      stop: 'done',
      value: { termination: 'completed', iterations: 13, toolsUsed: ['look', 'save', 'book'], output: 'Done.' },
    });
    expect(calm.world.left()).toEqual(['book', 'book', ...Array(10).fill('look'), 'save', 'save', 'save']);
    calm.world.scripted.assertFinished();
  });

  it('ends like the loop that never did: no reply is paid for twice, no tool runs twice [R3-SHOW-CRASH]', async () => {
    const { calm, points } = await calmLoop(memoryEngine(), 'run');
    expect(points.length).toBeGreaterThan(40);
    const repeated = { asks: 0, runs: 0 };
    for (const point of points) {
      const crashed = await crashedAt(point, memoryEngine(), 'run').catch((cause: unknown) => {
        throw new Error(`crashed ${nameOf(point)}`, { cause });
      });
      expect(crashed.lives, `crashed ${nameOf(point)}`).toBe(2);
      expectAlike(crashed, calm, 'run');
      repeated.asks += [...crashed.world.asked.values()].filter((times) => times > 1).length;
      repeated.runs += [...crashed.world.ran.values()].filter((times) => times > 1).length;
    }
    // the points are worth something: there were calls in flight whose reply or result was lost with the process
    expect(repeated.asks).toBeGreaterThan(5);
    expect(repeated.runs).toBeGreaterThan(2);
  });
});

describe.each(await availableDrivers())('the same on a file with %s', (driver) => {
  const file = temporaryFile(driver);
  afterAll(() => file.remove());

  it('at a sample of the writes [R3-SHOW-CRASH]', async () => {
    const engine = await file.open();
    const { calm, points } = await calmLoop(engine, 'calm');
    for (const point of points.filter((_point, index) => index % 3 === 0)) {
      const runId = `run-${point.n}-${point.when}`;
      const crashed = await crashedAt(point, engine, runId).catch((cause: unknown) => {
        throw new Error(`crashed ${nameOf(point)}`, { cause });
      });
      expectAlike(crashed, calm, runId);
    }
    await engine.close();
  });
});
