import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted } from '../crash/busy-engine.js';
import { type Case, cases, HOUR_MS } from '../crash/case.js';
import { examine } from '../crash/examine.js';
import { unforgiven } from '../crash/faults.js';
import { patienceMs } from '../crash/patience.js';
import { freshSchema, open, sharedServer, whyNoServer } from '../postgres/server.js';
import { repetitions } from '../repetitions.js';
import { dispatchingBy } from './dispatching.js';
import { TestRestate, whyNoRestate } from './server.js';

const why = whyNoServer() ?? whyNoRestate();
if (why !== undefined) process.stdout.write(`Skipped generated programs that Restate dispatches: ${why}.\n`);
const numRuns = Number(process.env['FUZZ_RESTATE'] ?? repetitions({ sample: 30, full: 2_000 }));

/** Processes without Restate take no runs from under it, and a week of signs of life takes minutes. */
const dispatched = cases.map(
  (given): Case => ({
    ...given,
    restMs: Math.min(given.restMs, HOUR_MS),
    crashes: given.crashes.filter(({ then }) => then !== 'deploy'),
  }),
);

describe.skipIf(why !== undefined)('generated programs on PostgreSQL with Restate', () => {
  it(
    'stay right through crashes, cancellations, bounds, forks and clocks that jump [R10-RESTATE-PROGRAMS]',
    async () => {
      const server = await sharedServer();
      const restate = await TestRestate.start();
      const dispatching = await dispatchingBy(restate);
      const engine = counted(await open(server.url, { schema: freshSchema() }));
      const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_119);
      let runs = 0;
      let lives = 0;
      await fc.assert(
        fc.asyncProperty(dispatched, async (given) => {
          const examined = await examine(given, engine, { runId: `run-${++runs}`, patienceMs: 20_000, dispatching });
          lives += examined.lives;
          if (runs % 100 === 0) process.stdout.write(`Restate: ${runs} of ${numRuns} programs, ${lives} lives\n`);
          expect(unforgiven(examined.violations)).toEqual([]);
        }),
        { numRuns, seed, endOnFailure: true },
      );
      expect(lives).toBeGreaterThan(numRuns);
      dispatching.close();
      await engine.close();
      await restate.remove();
      server.remove();
    },
    patienceMs(numRuns, 20_000),
  );
});
