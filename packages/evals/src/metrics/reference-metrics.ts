import type { Results, SimulationRecord } from '../results/simulation-record.js';
import type { Termination } from '../simulation/party.js';
import type { ToolType } from '../world/environment.js';
import { isSuccessful, passHatKs } from './pass-hat-k.js';

/** The figures that the reference reports of a results file. */
export interface ReferenceMetrics {
  readonly avgReward: number;
  readonly passHatK: ReadonlyMap<number, number>;
  /** Over the costs that are known: NaN where simulations ran and none is, 0 where none ran, as the reference has it. */
  readonly avgAgentCost: number;
  /** Without infrastructure errors. */
  readonly simulations: number;
  readonly tasks: number;
  readonly infrastructureErrors: number;
  /** Ended, but nobody could judge them: counted here and in no mean. Only ours has them. */
  readonly unscored: number;
  readonly reads: Counted;
  readonly writes: Counted;
  readonly db: { readonly match: number; readonly mismatch: number; readonly notChecked: number };
  readonly terminations: {
    readonly userStop: number;
    readonly agentStop: number;
    readonly maxSteps: number;
    /** Of the agent, of the user, or too many of the tools. */
    readonly error: number;
    /** 0 where nothing else is left, as the reference has it. */
    readonly infrastructureError: number;
  };
}

export interface Counted {
  readonly total: number;
  readonly correct: number;
}

/** The metrics that the reference implementation of the benchmark reports. */
export function referenceMetrics(
  results: Pick<Results, 'simulations'> & { readonly info: Pick<Results['info'], 'trials'> },
): ReferenceMetrics {
  const ran = results.simulations.filter(({ termination }) => termination !== 'infrastructure_error');
  const infrastructureErrors = results.simulations.length - ran.length;
  const scored = ran.filter(({ reward }) => reward !== null);
  const costs = ran.map(({ agentCost }) => agentCost);
  return {
    avgReward: meanOf(scored.map(rewardOf)),
    passHatK: passHatKs(successesByTask(scored).values(), results.info.trials),
    avgAgentCost: ran.length > 0 && costs.every((cost) => cost === null) ? Number.NaN : meanOf(costs),
    simulations: ran.length,
    tasks: new Set(ran.map(({ taskId }) => taskId)).size,
    infrastructureErrors,
    unscored: ran.length - scored.length,
    reads: actionsOf(ran, 'read'),
    writes: actionsOf(ran, 'write'),
    db: databaseOf(ran),
    terminations: terminationsOf(ran, ran.length === 0 ? 0 : infrastructureErrors),
  };
}

function rewardOf({ reward }: SimulationRecord): number {
  return reward?.reward ?? 0;
}

function successesByTask(scored: readonly SimulationRecord[]): ReadonlyMap<string, readonly boolean[]> {
  const byTask = new Map<string, boolean[]>();
  for (const one of scored) {
    const known = byTask.get(one.taskId) ?? [];
    known.push(isSuccessful(rewardOf(one)));
    byTask.set(one.taskId, known);
  }
  return byTask;
}

function actionsOf(ran: readonly SimulationRecord[], type: ToolType): Counted {
  const checks = ran.flatMap(({ reward }) => (reward?.actions ?? []).filter(({ toolType }) => toolType === type));
  return { total: checks.length, correct: checks.filter(({ matched }) => matched).length };
}

function databaseOf(ran: readonly SimulationRecord[]): ReferenceMetrics['db'] {
  const count = (match: boolean): number => ran.filter(({ reward }) => reward?.db?.match === match).length;
  const [match, mismatch] = [count(true), count(false)];
  return { match, mismatch, notChecked: ran.length - match - mismatch };
}

function terminationsOf(
  ran: readonly SimulationRecord[],
  infrastructureError: number,
): ReferenceMetrics['terminations'] {
  const count = (...reasons: readonly Termination[]): number =>
    ran.filter(({ termination }) => reasons.includes(termination)).length;
  return {
    userStop: count('user_stop'),
    agentStop: count('agent_stop'),
    maxSteps: count('max_steps'),
    error: count('agent_error', 'user_error', 'too_many_errors'),
    infrastructureError,
  };
}

/** Over the values that are known; 0 where none is. */
function meanOf(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null).length;
  return known === 0 ? 0 : pairwiseSum(values.map((value) => value ?? 0)) / known;
}

/** In the order in which numpy adds, so that means are equal to the last digit. */
function pairwiseSum(values: readonly number[]): number {
  if (values.length < 8) return values.reduce((sum, value) => sum + value, 0);
  if (values.length > 128) {
    const half = Math.floor(values.length / 2);
    const split = half - (half % 8);
    return pairwiseSum(values.slice(0, split)) + pairwiseSum(values.slice(split));
  }
  const lanes = values.slice(0, 8);
  const whole = values.length - (values.length % 8);
  for (let i = 8; i < whole; i++) lanes[i % 8] = (lanes[i % 8] ?? 0) + (values[i] ?? 0);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = lanes;
  return values.slice(whole).reduce((sum, value) => sum + value, a + b + (c + d) + (e + f + (g + h)));
}
