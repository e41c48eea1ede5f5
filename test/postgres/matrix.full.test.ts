import type { Engine } from 'flyball';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counted } from '../crash/busy-engine.js';
import { calmRun, crashedAt, ENDINGS } from '../crash/matrix.js';
import { type Ending, LOSERS } from '../crash/mixed-agent.js';
import { expectAlike } from '../crash/mixed-check.js';
import type { MixedRuns } from '../crash/mixed-run.js';
import { patienceMs } from '../crash/patience.js';
import { repetitions } from '../repetitions.js';
import { freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped crashes at every write on PostgreSQL: ${why}.\n`);

/** A sample is every sixth write; `npm run test:full -- --times 6 test/postgres/matrix.full.test.ts` takes all of them. */
const EVERY = Math.max(1, Math.round(6 / repetitions({ sample: 1, full: 1 })));
const STOPS = { done: 'done', fails: 'failed', 'cancelled asleep': 'cancelled', 'cancelled awake': 'cancelled' };

/**
 * Crashes before and after each write from `from` on, until runs end before they have come to it. How much is written at
 * once depends on how long commits take, so one run has a few writes more or less than the next. Answers how many died.
 */
async function crashEverywhere(engine: Engine, ending: Ending, calm: MixedRuns & { readonly writes: number }) {
  const from = 1 + (ENDINGS.indexOf(ending) % EVERY); // every ending takes others
  let died = 0;
  for (let n = from; ; n += EVERY) {
    let isReached = false;
    for (const when of ['before', 'after'] as const) {
      const at = `crashed ${when} write ${n}`;
      const crashed = await crashedAt({ n, when }, ending, engine, `at-${n}-${when}`).catch((cause: unknown) => {
        throw new Error(at, { cause });
      });
      if (crashed.lives === 1) expect(crashed.writes, at).toBeLessThan(n);
      else expect(crashed.lives, at).toBe(2);
      expectAlike(crashed, calm, { undoneSooner: LOSERS });
      isReached ||= crashed.lives === 2;
      died += crashed.lives - 1;
    }
    if (!isReached && n > calm.writes) return died;
  }
}

describe.skipIf(why !== undefined)(
  'an agent that mixes everything, crashed before and after every write to PostgreSQL',
  () => {
    let server: Awaited<ReturnType<typeof sharedServer>>;
    beforeAll(async () => {
      server = await sharedServer();
    });
    afterAll(() => server.remove());

    it.each(ENDINGS)(
      'ends like the run that never crashed: %s [R10-PG-CRASH-MATRIX]',
      async (ending) => {
        const engine = counted(await open(server.url, { schema: freshSchema() }));
        const { calm, points } = await calmRun(ending, engine, 'calm');
        expect(calm.runs[0]?.outcome.stop).toBe(STOPS[ending]);
        const writes = points.length / 2;
        expect(writes).toBeGreaterThan(30);
        const died = await crashEverywhere(engine, ending, { ...calm, writes });
        expect(died).toBeGreaterThan((2 * writes * 0.8) / EVERY);
        process.stdout.write(`${ending}: ${writes} writes, died at ${died} points\n`);
        await engine.close();
      },
      patienceMs(200, 3_000),
    );
  },
);
