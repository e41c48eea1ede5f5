import fc from 'fast-check';
import { memoryEngine } from 'flyball';
import { expect, it } from 'vitest';
import { checkDriven } from './check.js';
import { drive } from './drive.js';
import { cases } from './program.js';

const SOAK = Number(process.env['FLYBALL_SOAK'] ?? 1);

it(
  'keeps every generated program right through up to three crashes, in memory [R2-SHOW-PROPERTY-MEMORY]',
  async () => {
    let lives = 0;
    let cancelled = 0;
    const numRuns = Number(process.env['FUZZ'] ?? 50_000) * SOAK;
    const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_115);
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const engine = memoryEngine();
        const driven = await drive(given, engine);
        lives += driven.lives;
        if (driven.outcome.stop === 'cancelled') cancelled++;
        await checkDriven(given, engine, driven);
      }),
      { numRuns, seed, interruptAfterTimeLimit: 280_000 * SOAK, markInterruptAsFailure: true },
    );
    expect(lives).toBeGreaterThan(numRuns);
    expect(cancelled).toBeGreaterThan(numRuns / 20);
  },
  300_000 * SOAK,
);
