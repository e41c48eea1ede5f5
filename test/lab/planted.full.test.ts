import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cardClaims } from '../../packages/evals/src/lab/claims/cards.js';
import { CLAIMS } from '../../packages/evals/src/lab/registry.js';
import { agentCard } from '../../packages/server/src/card/agent-card.js';
import { discover } from '../../packages/server/src/card/discover.js';
import { root } from '../../scripts/files.mjs';
import { batches, failingWith } from './planted.js';
import { plantedFaults } from './planted-faults.js';

const ITEMS = 300;

it('plants faults that fit the sources, at least 120, and one at least in each pattern that has claims [R13-LAB-PLANTED]', () => {
  expect(plantedFaults.length).toBeGreaterThanOrEqual(120);
  const all = [...CLAIMS, ...cardClaims({ agentCard, discover })];
  const patternOf = new Map(all.map(({ id, pattern }) => [id, pattern]));
  const planted = new Set(plantedFaults.map(({ claim }) => patternOf.get(claim)));
  const without = [...new Set(patternOf.values())].filter((pattern) => !planted.has(pattern));
  expect(without).toEqual([]);
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
