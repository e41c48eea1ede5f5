/**
 * One process with ever more suspended runs: sleepers.js <touch>. Says, for each size, the heap it added and how long
 * waking one took.
 */
import { join } from 'node:path';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { median, timed } from '../measure/figures.js';
import { inFolder } from '../measure/folder.js';
import { openSleepers, putToSleep, SIZES, settledHeap, sleeperId, type Touch } from '../measure/suspended-runs.js';

export interface Measured {
  readonly size: number;
  readonly heapBytes: number;
  readonly wakeMs: number;
}

const WAKES = 21;

const measured = await inFolder(async (folder): Promise<Measured[]> => {
  const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
  const shutdown = new AbortController();
  const runtime = openSleepers(engine, process.argv[2] as Touch, shutdown.signal);
  const empty = await settledHeap();
  const rows: Measured[] = [];
  let started = 0;
  let woken = 0;
  for (const size of SIZES) {
    await putToSleep(runtime, started, woken + size); // those woken before are gone: `size` are asleep now
    started = woken + size;
    const heapBytes = (await settledHeap()) - empty;
    const times: number[] = [];
    for (let wake = 0; wake < Math.min(WAKES, size / 2); wake++) {
      const id = sleeperId(woken++);
      times.push(
        await timed(async () => {
          await runtime.signal(id, 'go', wake);
          await runtime.handle(id).finished();
        }),
      );
    }
    rows.push({ size, heapBytes, wakeMs: median(times.slice(1)) });
  }
  await runtime.close();
  await engine.close();
  return rows;
});
console.log(JSON.stringify(measured));
