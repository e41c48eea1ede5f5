import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { batches, failingWith } from './planted.js';
import { plantedFaults } from './planted-faults.js';

const ITEMS = 300;

it('plants faults that fit the sources, at least eighty', () => {
  expect(plantedFaults.length).toBeGreaterThanOrEqual(80);
  for (const { file, find, name } of plantedFaults) {
    const text = readFileSync(join(root, 'packages/flyball/src', file), 'utf8');
    expect(text.split(find).length - 1, name).toBe(1);
  }
});

it.each(batches(plantedFaults).map((batch, n) => [n + 1, batch] as const))(
  'every fault of batch %i is caught by its claim [R13-LAB-PLANTED]',
  async (_, batch) => {
    const claims = batch.map(({ claim }) => claim);
    expect([...(await failingWith(batch, claims, ITEMS))].sort()).toEqual([...claims].sort());
  },
);
