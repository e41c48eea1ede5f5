import { join } from 'node:path';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { expect, it } from 'vitest';
import { inFolder } from '../bench/measure/folder.js';
import { openSleepers, putToSleep, settledHeap, sleeperId, type Touch } from '../bench/measure/suspended-runs.js';

const SUSPENDED = 10_000;
const LIMIT_BYTES = 2 * 1_048_576;

it.each<Touch>(['nothing', 'shared signal'])(
  '10,000 suspended runs that used %s hold less than 2 MB of heap, and one still wakes [R2-SHOW-SUSPENDED-HEAP]',
  (touch) =>
    inFolder(async (folder) => {
      const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
      const shutdown = new AbortController();
      const runtime = openSleepers(engine, touch, shutdown.signal);
      await putToSleep(runtime, SUSPENDED, SUSPENDED + 200); // code that is compiled on its first use is not held by runs
      const empty = await settledHeap();

      await putToSleep(runtime, 0, SUSPENDED);
      expect(runtime.loaded()).toBe(0);
      expect((await settledHeap()) - empty).toBeLessThan(LIMIT_BYTES);

      const one = sleeperId(SUSPENDED / 2);
      await runtime.signal(one, 'go', 'up');
      expect(await runtime.handle(one).finished()).toMatchObject({ stop: 'done', value: 'up' });
      await runtime.close();
      await engine.close();
    }),
);
