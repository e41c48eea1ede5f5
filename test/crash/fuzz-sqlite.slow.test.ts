import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  availableDrivers,
  temporaryFile,
} from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';
import { repetitions } from '../repetitions.js';
import { cases } from './case.js';
import { examine } from './examine.js';
import { unforgiven } from './faults.js';
import { patienceMs } from './patience.js';

const numRuns = Number(process.env['FUZZ_SQLITE'] ?? repetitions({ sample: 30, full: 2_000 }));

describe.each(await availableDrivers())('generated programs on a file with %s', (driver) => {
  const file = temporaryFile(driver);
  afterAll(() => file.remove());

  it(
    'stay right through crashes, cancellations, bounds, forks and clocks that jump [R2-SHOW-PROPERTY-SQLITE] [R7-GEN-SQLITE]',
    async () => {
      const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_116);
      const engine = await file.open(); // one file for all of them: they must not get into each other's way either
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
    },
    patienceMs(numRuns, 1_000),
  );
});
