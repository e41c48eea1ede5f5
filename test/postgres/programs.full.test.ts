import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted } from '../crash/busy-engine.js';
import { cases } from '../crash/case.js';
import { examine } from '../crash/examine.js';
import { unforgiven } from '../crash/faults.js';
import { patienceMs } from '../crash/patience.js';
import { repetitions } from '../repetitions.js';
import { freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped generated programs on PostgreSQL: ${why}.\n`);
const numRuns = Number(process.env['FUZZ_POSTGRES'] ?? repetitions({ sample: 30, full: 2_000 }));

describe.skipIf(why !== undefined)('generated programs on PostgreSQL', () => {
  it(
    'stay right through crashes, cancellations, bounds, forks and clocks that jump [R10-PG-PROGRAMS]',
    async () => {
      const server = await sharedServer();
      const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_116);
      // one schema for all of them: they must not get into each other's way either
      const engine = counted(await open(server.url, { schema: freshSchema() }));
      let runs = 0;
      let lives = 0;
      await fc.assert(
        fc.asyncProperty(cases, async (given) => {
          const examined = await examine(given, engine, { runId: `run-${++runs}`, patienceMs: 20_000 });
          lives += examined.lives;
          expect(unforgiven(examined.violations)).toEqual([]);
        }),
        { numRuns, seed },
      );
      expect(lives).toBeGreaterThan(numRuns * 2);
      await engine.close();
      server.remove();
    },
    patienceMs(numRuns, 6_000),
  );
});
