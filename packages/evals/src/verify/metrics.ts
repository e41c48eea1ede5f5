import { isSuccessful, passHatK } from '../metrics/pass-hat-k.js';
import { type ReferenceMetrics, referenceMetrics } from '../metrics/reference-metrics.js';
import { trialSeeds } from '../metrics/trial-seeds.js';
import type { SimulationRecord } from '../results/simulation-record.js';
import type { Termination } from '../simulation/party.js';
import { parseJson } from '../tau2/python/json.js';
import { plainOf } from '../tau2/python/plain-values.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import type { PyValue } from '../tau2/python/value.js';
import type { ToolType } from '../world/environment.js';
import { type Check, checked, unlike } from './check.js';

const NEAR = 1e-12;

/** Tables of pass^k, metrics of sets of runs, and the seeds of trials. */
export async function* verifyMetrics(text: string, file: string): AsyncGenerator<Check> {
  const record = new RecordFields(parseJson(text), file);
  for (const one of record.eachOrNull('pass_hat_k', fields) ?? [])
    yield checked(`pass^${one.number('k')} of ${one.number('c')} in ${one.number('n')}`, async () => {
      const own = passHatK({ trials: one.number('n'), successes: one.number('c'), k: one.number('k') });
      return Math.abs(own - one.number('value')) <= NEAR ? [] : unlike('it', one.number('value'), own);
    });
  for (const pair of record.eachOrNull('is_successful', (value) => value as [PyValue, PyValue]) ?? [])
    yield checked(`success of ${String(pair[0])}`, async () => unlike('it', pair[1], isSuccessful(Number(pair[0]))));
  for (const [at, set] of (record.eachOrNull('compute_metrics', fields) ?? []).entries())
    yield checked(`metrics of set ${at + 1}`, async () => setDifferences(set));
  for (const [seed, seeds] of record.fieldsOrNull('trial_seeds_from_run_seed')?.dict ?? [])
    yield checked(`seeds of run ${seed}`, async () => {
      const recorded = (seeds as PyValue[]).map(Number);
      return unlike('they', String(recorded), String(trialSeeds(Number(seed), recorded.length)));
    });
}

function fields(value: PyValue, path: string): RecordFields {
  return new RecordFields(value, path);
}

function setDifferences(set: RecordFields): readonly string[] {
  const simulations = set.each('simulations', (value, path) => recordedSimulation(new RecordFields(value, path)));
  const own = figuresOf(referenceMetrics({ info: { trials: set.number('num_trials') }, simulations }));
  return [...set.fields('metrics').dict].flatMap(([name, value]) => {
    // authentication, responsiveness and reviews belong to the reference's voice mode
    if (/^(auth_|sims_|agent_err|user_err)/.test(name)) return [];
    return unlike(name, sortedText(plainOf(value)), sortedText(own[name]));
  });
}

function sortedText(value: unknown): string {
  if (value instanceof Object) return JSON.stringify(Object.entries(value).sort());
  return String(value);
}

function figuresOf(own: ReferenceMetrics): Readonly<Record<string, unknown>> {
  return {
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
  };
}

/** The recording keeps of a simulation what its metrics are made of. */
export function recordedSimulation(given: RecordFields): SimulationRecord {
  const [reward, db] = [given.numberOrNull('reward'), given.value('db_match')];
  const action = {
    actionId: '',
    requestor: 'assistant',
    name: '',
    arguments: new Map(),
    info: null,
    compareArgs: null,
  };
  const actions = given.eachOrNull('action_checks', (value, path) => {
    const check = new RecordFields(value, path);
    const matched = check.boolean('match');
    const toolType = check.textOrNull('tool_type') as ToolType | null;
    return { action: { ...action, requestor: 'assistant' as const }, matched, reward: matched ? 1 : 0, toolType };
  });
  const graded = {
    reward: reward ?? 0,
    db: db === null ? null : { match: db === true, reward: db === true ? 1 : 0 },
    actions,
    envAssertions: null,
    nl: null,
    communicate: null,
    basis: null,
    breakdown: null,
    info: {},
  };
  return {
    id: `${given.text('task_id')}/${given.number('trial')}`,
    taskId: given.text('task_id'),
    trial: given.number('trial'),
    seed: null,
    startedAt: 0,
    endedAt: 0,
    seconds: 0,
    termination: given.text('termination_reason') as Termination,
    agentCost: given.numberOrNull('agent_cost'),
    userCost: null,
    reward: reward === null ? null : graded,
    messages: [],
    policy: null,
    info: null,
  };
}
