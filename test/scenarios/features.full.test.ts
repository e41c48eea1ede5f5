import { memoryEngine } from 'flyball';
import { assertSame, exercise } from 'flyball/testing';
import { describe, it } from 'vitest';
import { features, meeting } from './features.js';

describe('a feature alone', () => {
  for (const name of Object.keys(features)) {
    it(`${name} comes out the same in every way [R7-DRIVER]`, async () => {
      assertSame(await exercise(meeting([name]), { engine: memoryEngine, most: 3 }));
    });
  }
});
