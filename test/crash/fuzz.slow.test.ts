import fc from 'fast-check';
import { memoryEngine } from 'flyball';
import { expect, it } from 'vitest';
import { repetitions } from '../repetitions.js';
import { checkDriven } from './check.js';
import { drive } from './drive.js';
import { cases } from './program.js';

it('keeps every generated program right through up to three crashes, in memory [R2-SHOW-PROPERTY-MEMORY]', async () => {
  let lives = 0;
  let cancelled = 0;
  const numRuns = Number(process.env['FUZZ'] ?? repetitions({ sample: 2_000, full: 50_000 }));
  const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_115);
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const engine = memoryEngine();
      const driven = await drive(given, engine);
      lives += driven.lives;
      if (driven.outcome.stop === 'cancelled') cancelled++;
      await checkDriven(given, engine, driven);
    }),
    { numRuns, seed },
  );
  expect(lives).toBeGreaterThan(numRuns);
  expect(cancelled).toBeGreaterThan(numRuns / 20);
});
