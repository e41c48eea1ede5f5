import { expect, it } from 'vitest';
import { repetitions } from '../repetitions.js';
import { planOf } from './plan.js';
import { find } from './planted.js';
import { plantedFaults } from './planted-faults.js';
import { simulate } from './simulation.js';

it('keeps every promise under many seeds [R10-SIM-MANY]', async () => {
  const count = repetitions({ sample: 200, full: 1_500 });
  let lives = 0;
  for (let seed = 100_001; seed <= 100_000 + count; seed++) {
    const played = await simulate(planOf(seed));
    lives += played.lives;
    expect({ seed, violations: played.violations }).toEqual({ seed, violations: [] });
  }
  expect(lives).toBeGreaterThan(count * 2);
});

it.each(plantedFaults.filter(({ missed }) => missed === undefined))(
  'finds $name: $what [R10-SIM-PLANTED] [R19-SIM-LEASES]',
  async (fault) => {
    const { seeds } = await find(fault, { first: 1, seeds: 20_000 });
    expect(seeds).toBeGreaterThan(0);
  },
);
