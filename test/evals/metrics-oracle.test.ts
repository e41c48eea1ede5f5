import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { passHatK } from '../../packages/evals/src/metrics/pass-hat-k.js';
import { referenceMetrics } from '../../packages/evals/src/metrics/reference-metrics.js';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import { RecordFields } from '../../packages/evals/src/tau2/python/record-fields.js';
import type { Check } from '../../packages/evals/src/verify/check.js';
import { recordedSimulation, verifyMetrics } from '../../packages/evals/src/verify/metrics.js';
import { tau2, withTau2 } from './tau2-data.js';

withTau2('the recorded metrics', () => {
  const recorded = readFileSync(`${tau2().oracle}/metrics.json`, 'utf8');

  async function checksOf(what: RegExp): Promise<readonly Check[]> {
    const found: Check[] = [];
    for await (const check of verifyMetrics(recorded, 'metrics.json')) if (what.test(check.what)) found.push(check);
    return found;
  }
  const unlike = (checks: readonly Check[]): readonly Check[] => checks.filter(({ differs }) => differs.length > 0);

  it('give every recorded pass^k and success [R5-MET-PASSK]', async () => {
    const checks = await checksOf(/^(?:pass|success)/);
    expect(checks.length).toBeGreaterThan(100);
    expect(unlike(checks)).toEqual([]);
    expect(() => passHatK({ trials: 2, successes: 2, k: 3 })).toThrow(/at least 3 trials/);
  });

  it('come out the same for every recorded set of runs [R5-MET-PASSK]', async () => {
    const checks = await checksOf(/^metrics/);
    expect(checks).toHaveLength(8);
    expect(unlike(checks)).toEqual([]);
  });

  it("have the trial seeds drawn from a run's seed [R5-SIM-SEEDS]", async () => {
    const checks = await checksOf(/^seeds/);
    expect(checks).toHaveLength(5);
    expect(unlike(checks)).toEqual([]);
  });
});

it('counts a simulation that nobody could judge apart, and in no mean [R5-GRADE-NL]', () => {
  const simulation = (trial: number, reward: number | null) =>
    recordedSimulation(
      new RecordFields(
        parseJson(
          JSON.stringify({
            task_id: 't',
            trial,
            reward,
            agent_cost: 1,
            termination_reason: 'user_stop',
            db_match: true,
            action_checks: null,
          }),
        ),
        'simulation',
      ),
    );
  const own = referenceMetrics({ info: { trials: 2 }, simulations: [simulation(0, 1), simulation(1, null)] });
  expect(own).toMatchObject({ avgReward: 1, simulations: 2, unscored: 1 });
  expect([...own.passHatK]).toEqual([[1, 1]]);
});
