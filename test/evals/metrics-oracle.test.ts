import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isSuccessful, passHatK, passHatKs } from '../../src/evals/metrics/pass-hat-k.js';
import { referenceMetrics } from '../../src/evals/metrics/reference-metrics.js';
import { trialSeeds } from '../../src/evals/metrics/trial-seeds.js';
import type { SimulationRecord } from '../../src/evals/results/simulation-record.js';
import type { Termination } from '../../src/evals/simulation/party.js';
import type { ToolType } from '../../src/evals/world/environment.js';
import { tau2, withTau2 } from './tau2-data.js';

interface Recorded {
  readonly pass_hat_k: readonly {
    readonly n: number;
    readonly c: number;
    readonly k: number;
    readonly value: number;
  }[];
  readonly is_successful: readonly (readonly [number, boolean])[];
  readonly compute_metrics: readonly {
    readonly num_trials: number;
    readonly simulations: readonly RecordedSimulation[];
    readonly metrics: Readonly<Record<string, unknown>>;
  }[];
  readonly trial_seeds_from_run_seed: Readonly<Record<string, readonly number[]>>;
}

interface RecordedSimulation {
  readonly task_id: string;
  readonly trial: number;
  readonly reward: number | null;
  readonly agent_cost: number | null;
  readonly termination_reason: Termination;
  readonly db_match: boolean | null;
  readonly action_checks: readonly { readonly match: boolean; readonly tool_type: ToolType | null }[] | null;
}

function simulation(given: RecordedSimulation): SimulationRecord {
  const action = {
    actionId: 'a',
    requestor: 'assistant',
    name: 'a',
    arguments: new Map(),
    info: null,
    compareArgs: null,
  } as const;
  const reward = {
    reward: given.reward ?? 0,
    db: given.db_match === null ? null : { match: given.db_match, reward: given.db_match ? 1 : 0 },
    envAssertions: null,
    actions:
      given.action_checks?.map(({ match, tool_type }) => ({
        action,
        matched: match,
        reward: match ? 1 : 0,
        toolType: tool_type,
      })) ?? null,
    nl: null,
    communicate: null,
    basis: null,
    breakdown: null,
    info: {},
  };
  return {
    id: `${given.task_id}/${given.trial}`,
    taskId: given.task_id,
    trial: given.trial,
    seed: null,
    startedAt: 0,
    endedAt: 0,
    seconds: 0,
    termination: given.termination_reason,
    agentCost: given.agent_cost,
    userCost: null,
    reward: given.reward === null ? null : reward,
    messages: [],
    policy: null,
    info: null,
  };
}

withTau2('the recorded metrics', () => {
  const recorded = JSON.parse(readFileSync(`${tau2?.oracle}/metrics.json`, 'utf8')) as Recorded;

  it('gives every recorded pass^k and success [R5-MET-PASSK]', () => {
    for (const { n, c, k, value } of recorded.pass_hat_k)
      expect(passHatK({ trials: n, successes: c, k }), `C(${c},${k})/C(${n},${k})`).toBeCloseTo(value, 12);
    for (const [reward, success] of recorded.is_successful) expect(isSuccessful(reward), String(reward)).toBe(success);
    expect(() => passHatK({ trials: 2, successes: 2, k: 3 })).toThrow(/at least 3 trials/);
  });

  it('computes the metrics of every recorded set of runs [R5-MET-PASSK]', () => {
    for (const { num_trials, simulations, metrics } of recorded.compute_metrics) {
      const own = referenceMetrics({ info: { trials: num_trials }, simulations: simulations.map(simulation) });
      expect({
        avg_reward: own.avgReward,
        pass_hat_ks: Object.fromEntries(own.passHatK),
        avg_agent_cost: own.avgAgentCost,
        total_simulations: own.simulations,
        total_tasks: own.tasks,
        infra_error_count: own.infrastructureErrors,
        total_read_actions: own.reads.total,
        correct_read_actions: own.reads.correct,
        total_write_actions: own.writes.total,
        correct_write_actions: own.writes.correct,
        db_match_count: own.db.match,
        db_mismatch_count: own.db.mismatch,
        db_not_checked: own.db.notChecked,
        termination_user_stop: own.terminations.userStop,
        termination_agent_stop: own.terminations.agentStop,
        termination_max_steps: own.terminations.maxSteps,
        termination_error: own.terminations.error,
        termination_infrastructure_error: own.terminations.infrastructureError,
      }).toEqual(textMetrics(metrics));
    }
  });

  it("draws the recorded trial seeds from a run's seed [R5-SIM-SEEDS]", () => {
    for (const [seed, seeds] of Object.entries(recorded.trial_seeds_from_run_seed))
      expect(trialSeeds(Number(seed), seeds.length)).toEqual(seeds);
  });
});

it('goes no further than the trials that were declared, and than those that every task has [R5-MET-PASSK]', () => {
  const tasks = [
    [true, true, true],
    [true, false, true],
  ];
  expect([...passHatKs(tasks, 2).keys()]).toEqual([1, 2]);
  expect([...passHatKs([...tasks, [true]], 3).keys()]).toEqual([1]);
  expect([...passHatKs([], 3).keys()]).toEqual([]);
});

it('counts a simulation that nobody could judge apart, and in no mean [R5-GRADE-NL]', () => {
  const base = { task_id: 't', trial: 0, agent_cost: 1, termination_reason: 'user_stop', db_match: true } as const;
  const simulations = [
    simulation({ ...base, reward: 1, action_checks: null }),
    simulation({ ...base, trial: 1, reward: null, action_checks: null }),
  ];
  const own = referenceMetrics({ info: { trials: 2 }, simulations });
  expect(own).toMatchObject({ avgReward: 1, simulations: 2, unscored: 1 });
  expect([...own.passHatK]).toEqual([[1, 1]]);
});

/** Authentication, responsiveness and reviews belong to the reference's voice mode. */
function textMetrics(metrics: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(metrics).filter(([key]) => !/^(auth_|sims_|agent_err|user_err)/.test(key)));
}
