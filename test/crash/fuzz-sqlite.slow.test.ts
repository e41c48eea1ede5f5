import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { availableDrivers, temporaryFile } from '../../src/adapters/engine-sqlite/available-drivers.test-data.js';
import { repetitions } from '../repetitions.js';
import { checkDriven } from './check.js';
import { drive } from './drive.js';
import { cases } from './program.js';

describe.each(await availableDrivers())('generated programs on a file with %s', (driver) => {
  const file = temporaryFile(driver);
  afterAll(() => file.remove());

  it('stay right through up to three crashes and a cancellation [R2-SHOW-PROPERTY-SQLITE]', async () => {
    const numRuns = Number(process.env['FUZZ_SQLITE'] ?? repetitions({ sample: 60, full: 500 }));
    const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_116);
    const engine = await file.open(); // one file for all of them: they must not get into each other's way either
    let runs = 0;
    let lives = 0;
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const driven = await drive(given, engine, { runId: `run-${++runs}`, patienceMs: 20_000 });
        lives += driven.lives;
        await checkDriven(given, engine, driven);
      }),
      { numRuns, seed },
    );
    expect(lives).toBeGreaterThan(numRuns);
    await engine.close();
  });
});
