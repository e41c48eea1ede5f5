import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { PostgresEngine } from '../../packages/postgres/src/index.js';
import { claimBy, entry, newRun, START } from './runs.js';

/** Appends to many runs at once, entry after entry, while something happens to the server. Answers the runs. */
export async function written(
  engine: PostgresEngine,
  { runs, entries }: { readonly runs: number; readonly entries: number },
  meanwhile: () => Promise<void>,
): Promise<readonly string[]> {
  let isDone = false;
  const happening = (async () => {
    while (!isDone) {
      await meanwhile();
      await sleep(5);
    }
  })();
  const ids = Array.from({ length: runs }, (_, n) => `run-${n}`);
  await Promise.all(
    ids.map(async (id) => {
      await engine.create(newRun(id));
      const claim = await claimBy(engine, id, 'me', 3_600_000);
      expect(claim.fence).toBe(1);
      for (let seq = 1; seq <= entries; seq++)
        await engine.append(claim, { entries: [entry(seq, { body: `${id} ${seq}` })] });
      await engine.release(claim, { status: 'done', now: START });
    }),
  ).finally(() => {
    isDone = true;
  });
  await happening;
  return ids;
}

export async function expectWhole(engine: PostgresEngine, ids: readonly string[], entries: number): Promise<void> {
  for (const id of ids) {
    const bodies = (await engine.read(id, { generation: 0 })).map(({ body }) => body);
    expect(bodies.slice(1)).toEqual(Array.from({ length: entries }, (_, n) => `${id} ${n + 1}`));
    expect((await engine.get(id))?.status).toBe('done');
  }
}
