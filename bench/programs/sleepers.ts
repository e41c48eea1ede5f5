/**
 * One process with ever more suspended runs: sleepers.js <touch>. Says, for each size, the heap it added and how long
 * waking one took.
 */
import { join } from 'node:path';
import type { Runtime } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { median, timed } from '../measure/figures.js';
import { inFolder } from '../measure/folder.js';
import { openSleepers, putToSleep, SIZES, settledHeap, sleeperId, type Touch } from '../measure/suspended-runs.js';

export interface Measured {
  readonly size: number;
  readonly heapBytes: number;
  readonly wakeMs: number;
}

export interface Slept {
  /** What the process keeps for good once its code has been compiled, whether anybody sleeps or not. */
  readonly codeBytes: number;
  readonly rows: readonly Measured[];
}

const WAKES = 21;
/** Enough for the paths that starting, suspending and waking take to be compiled. */
const WARM_UP = 2_000;

const measured = await inFolder(async (folder): Promise<Slept> => {
  const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
  const shutdown = new AbortController();
  const runtime = openSleepers(engine, process.argv[2] as Touch, shutdown.signal);
  const cold = await settledHeap();
  await putToSleep(runtime, 0, WARM_UP);
  for (let n = 0; n < WARM_UP; n++) await wake(runtime, n);
  const empty = await settledHeap();
  const rows: Measured[] = [];
  let started = WARM_UP;
  let woken = WARM_UP;
  for (const size of SIZES) {
    await putToSleep(runtime, started, woken + size); // those woken before are gone: `size` are asleep now
    started = woken + size;
    const heapBytes = (await settledHeap()) - empty;
    const times: number[] = [];
    for (let turn = 0; turn < Math.min(WAKES, size / 2); turn++) times.push(await timed(() => wake(runtime, woken++)));
    rows.push({ size, heapBytes, wakeMs: median(times.slice(1)) });
  }
  await runtime.close();
  await engine.close();
  return { codeBytes: empty - cold, rows };
});
console.log(JSON.stringify(measured));

async function wake(runtime: Runtime, sleeper: number): Promise<void> {
  const id = sleeperId(sleeper);
  await runtime.signal(id, 'go', sleeper);
  await runtime.handle(id).finished();
}
