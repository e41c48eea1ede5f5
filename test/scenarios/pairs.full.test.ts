import { memoryEngine } from 'flyball';
import { assertSame, exercise } from 'flyball/testing';
import { describe, it } from 'vitest';
import { meeting } from './features.js';
import { pairs, triples } from './meetings.js';

/** Points of each kind in a run at which something happens to it: all of them with `FLYBALL_POINTS=1000`. */
const most = Number(process.env['FLYBALL_POINTS'] ?? 5);

describe('two features that meet', () => {
  for (const names of pairs) {
    it(`${names.join(' × ')} comes out the same in every way [R7-DRIVER-PAIRS]`, async () => {
      assertSame(await exercise(meeting(names), { engine: memoryEngine, most }));
    });
  }
});

describe('three features that meet', () => {
  for (const names of triples) {
    it(`${names.join(' × ')} comes out the same in every way [R7-DRIVER-PAIRS]`, async () => {
      assertSame(await exercise(meeting(names), { engine: memoryEngine, most }));
    });
  }
});
