import fc from 'fast-check';
import { memoryEngine } from 'flyball';
import { expect, it } from 'vitest';
import { repetitions } from '../repetitions.js';
import { patienceMs } from './patience.js';
import { examineTalk, talks } from './turns.js';

const numRuns = Number(process.env['FUZZ_TURNS'] ?? repetitions({ sample: 80, full: 3_000 }));

it(
  'keeps what every turn of a generated conversation did in sight of all later ones, through failures and crashes [R7-GEN-TURNS]',
  async () => {
    const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_117);
    await fc.assert(
      fc.asyncProperty(talks, async (given) => {
        expect(await examineTalk(given, memoryEngine())).toEqual([]);
      }),
      { numRuns, seed },
    );
  },
  patienceMs(numRuns, 300),
);
