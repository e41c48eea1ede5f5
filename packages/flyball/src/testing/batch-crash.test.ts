import { expect, it } from 'vitest';
import { memoryEngine } from '../adapters/engine-memory/memory-engine.js';
import type { Batch, Engine } from '../ports/engine.js';
import { batchCrash } from './batch-crash.js';
import { turns } from './turns.js';

const RUNS = ['a', 'b', 'c'];
const owner = { id: 'o', host: 'h', bootId: 'b', pid: 1, startTime: '1' };
const by = { owner, now: 0, leaseMs: 1000, isGone: () => true };

const batch = (seq: number, type: string): Batch => ({
  entries: [{ generation: 0, seq, at: 0, activeMs: 0, body: JSON.stringify({ type }) }],
});

/** Every run appends twice; each time all of them in the same turn. */
async function story(engine: Engine): Promise<void> {
  const claims = await Promise.all(
    RUNS.map(async (id) => {
      const about = { id, agent: 'a', version: '1', tenant: 't', subject: 's', createdAt: 0 };
      await engine.create({ ...about, first: batch(0, 'run-start') });
      return engine.claim(id, by);
    }),
  );
  await Promise.all(claims.map((claim) => engine.append(claim, batch(1, 'intent'))));
  await Promise.all(claims.map((claim) => engine.append(claim, batch(2, 'complete'))));
}

const lengths = (engine: Engine) =>
  Promise.all(RUNS.map(async (id) => (await engine.read(id, { generation: 0 })).length));

it('groups the appends of one turn over all runs', async () => {
  const process = batchCrash(memoryEngine(), () => false);
  await story(process.engine);
  expect(process.groups).toEqual([
    { n: 1, appends: RUNS.map((runId) => ({ runId, entries: ['intent'] })) },
    { n: 2, appends: RUNS.map((runId) => ({ runId, entries: ['complete'] })) },
  ]);
});

it('makes none of a group durable when the process dies in its commit, and keeps the groups before [R2-KIT-CRASH-POINTS]', async () => {
  const inner = memoryEngine();
  const process = batchCrash(inner, { at: 2 });
  let returned = false;
  void story(process.engine).then(() => {
    returned = true;
  });
  expect(await process.crashed).toMatchObject({ n: 2 });
  await turns();
  expect(await lengths(inner)).toEqual([2, 2, 2]);
  expect(returned).toBe(false);
});

it('dies at the first group that fits the plan', async () => {
  const inner = memoryEngine();
  const process = batchCrash(inner, ({ appends }) => appends.length > 1);
  void story(process.engine);
  await process.crashed;
  expect(await lengths(inner)).toEqual([1, 1, 1]);
});

it('answers an append that the inner engine refuses without failing the others of its group', async () => {
  const inner = memoryEngine();
  const { engine } = batchCrash(inner, () => false);
  await story(engine);
  const [first, second] = await Promise.all(['a', 'b'].map((id) => inner.claim(id, by)));
  if (first === undefined || second === undefined) throw new Error('two claims expected');
  const results = await Promise.allSettled([
    engine.append(first, batch(1, 'taken')),
    engine.append(second, batch(3, 'note')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});
