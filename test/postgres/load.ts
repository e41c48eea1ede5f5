import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { PostgresEngine } from '../../packages/postgres/src/index.js';
import { claimBy, entry, newRun, START } from './runs.js';

/**
 * Appends to many runs at once, entry after entry, while something happens to the server: at least `least` to each run,
 * and on until `meanwhile` answers true, so that a fast machine is not done before the faults have come.
 * Answers how many entries each run got.
 */
export async function written(
  engine: PostgresEngine,
  { runs, least }: { readonly runs: number; readonly least: number },
  meanwhile: () => Promise<boolean>,
): Promise<ReadonlyMap<string, number>> {
  let isEnough = false;
  let hasFailed = false;
  const happening = (async () => {
    while (!isEnough && !hasFailed) {
      isEnough = await meanwhile();
      await sleep(5);
    }
  })();
  const counts = new Map<string, number>();
  const write = async (id: string): Promise<void> => {
    await engine.create(newRun(id));
    const claim = await claimBy(engine, id, 'me', 3_600_000);
    expect(claim.fence).toBe(1);
    let seq = 0;
    while (seq < least || !isEnough) {
      seq += 1;
      await engine.append(claim, { entries: [entry(seq, { body: `${id} ${seq}` })] });
    }
    await engine.release(claim, { status: 'done', now: START });
    counts.set(id, seq);
  };
  await Promise.all(Array.from({ length: runs }, (_, n) => write(`run-${n}`))).catch((error: unknown) => {
    hasFailed = true;
    throw error;
  });
  await happening;
  return counts;
}

export async function expectWhole(engine: PostgresEngine, counts: ReadonlyMap<string, number>): Promise<void> {
  for (const [id, entries] of counts) {
    const bodies = (await engine.read(id, { generation: 0 })).map(({ body }) => body);
    expect(bodies.slice(1)).toEqual(Array.from({ length: entries }, (_, n) => `${id} ${n + 1}`));
    expect((await engine.get(id))?.status).toBe('done');
  }
}
