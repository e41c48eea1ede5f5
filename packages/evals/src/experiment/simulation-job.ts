import { hash } from 'node:crypto';
import { ConfigError, type ErrorCode, FlyballError, failed, type Outcome } from 'flyball';
import { failureOf } from 'flyball/internal';
import { gradeSimulation } from '../grading/grade.js';
import type { NlJudge } from '../grading/reward.js';
import type { SimulationRecord } from '../results/simulation-record.js';
import { PyError } from '../tau2/python/value.js';
import type { Domain } from '../world/environment.js';
import type { Task } from '../world/task.js';
import { type Drivers, driveRun, passed } from './drive-run.js';
import type { Condition, ExperimentOptions } from './experiment.js';
import { type Finished, readFinished } from './finished-course.js';
import { policyFor, type SimulationInput } from './simulation-agent.js';

/** One simulation that an experiment owes: which it is, and under which name its runs are in the journal. */
export interface Job {
  readonly condition: Condition;
  readonly task: Task;
  readonly trial: number;
  readonly seed: number;
  readonly key: string;
  /** Runs of it that an earlier experiment recorded as an infrastructure error. */
  readonly triesBefore: number;
}

export interface JobOptions extends Pick<ExperimentOptions, 'domain' | 'limits' | 'signal'> {
  readonly maxRetries: number;
  readonly retryDelayMs: number;
  /** Whether each simulation's policy text is kept with it. */
  readonly policyByTask: boolean;
}

/** Run of attempt `nth`, from 1. An attempt that failed stays in the journal, so a resumed experiment counts on. */
export function runIdOf(job: Pick<Job, 'key' | 'task' | 'trial' | 'seed'>, nth: number): string {
  return `sim-${job.key}-${job.task.id}-${job.trial}-${job.seed}-${nth}`;
}

/** Runs a simulation to a record: its messages and grade, or, when every try failed for us, an infrastructure error. */
export async function simulateJob(drivers: Drivers, job: Job, options: JobOptions): Promise<SimulationRecord> {
  const input = { condition: job.condition.name, task: job.task.id, trial: job.trial, seed: job.seed };
  const first = job.triesBefore + 1;
  let last = first + options.maxRetries;
  let failure = 'it was not tried';
  const since = drivers.clock.now();
  const began = drivers.clock.monotonic();
  const ended = (): number => since + drivers.clock.monotonic() - began; // a date that was set lies about how long it took
  for (let nth = first; nth <= last; nth++) {
    const runId = runIdOf(job, nth);
    const isKnown = (await drivers.engine.get(runId)) !== undefined;
    if (nth > first && !isKnown) await passed(drivers.clock, options.retryDelayMs);
    if (options.signal?.aborted === true) throw options.signal.reason;
    const outcome = await driven(drivers, runId, input);
    if (outcome.stop === 'done' && typeof outcome.value === 'string')
      return graded(job, readFinished(outcome.value), runId, nth, options);
    failure = reasonOf(outcome);
    if (isMisconfigured(outcome)) {
      if (!isKnown) throw new ConfigError(`Simulation ${runId}: ${outcome.because}`); // every other one would say the same
      last++; // an earlier process stopped at it; since then somebody may have set it right
      continue;
    }
    if (!isWorthAnotherTry(outcome)) return infrastructureError(job, failure, nth, since, ended());
  }
  return infrastructureError(job, failure, last, since, ended());
}

/** A run that was set aside, by this process or an earlier one, is one failed try; a broken store is none. */
const SET_ASIDE: ReadonlySet<ErrorCode> = new Set([
  'RUN_STALLED',
  'REPLAY_DIVERGED',
  'FOREIGN_AWAIT',
  'JOURNAL_CORRUPT',
]);

async function driven(drivers: Drivers, runId: string, input: SimulationInput): Promise<Outcome<unknown>> {
  try {
    return await driveRun(drivers, runId, input);
  } catch (error) {
    if (!(error instanceof FlyballError) || !SET_ASIDE.has(error.code)) throw error;
    return failed(failureOf(error));
  }
}

function isMisconfigured(outcome: Outcome<unknown>): outcome is Outcome<unknown> & { readonly because: string } {
  return outcome.stop === 'failed' && outcome.failure.code === 'CONFIG_INVALID';
}

/** A bound or a person that does not come would be met again. */
function isWorthAnotherTry(outcome: Outcome<unknown>): boolean {
  return outcome.stop !== 'bounded' && outcome.stop !== 'blocked';
}

async function graded(
  job: Job,
  finished: Finished,
  runId: string,
  attempts: number,
  options: JobOptions,
): Promise<SimulationRecord> {
  const { course, startedAt, endedAt } = finished;
  const grade = await gradeFinished(job, finished, options);
  const reward = grade.kind === 'scored' ? grade.reward : null;
  return {
    id: uuidOf(runId),
    taskId: job.task.id,
    trial: job.trial,
    seed: job.seed,
    startedAt,
    endedAt,
    seconds: (endedAt - startedAt) / 1000,
    termination: course.termination,
    agentCost: course.agentCost,
    userCost: course.userCost,
    reward,
    messages: course.messages,
    policy: options.policyByTask ? await policyFor(options, job.condition, job.task) : null,
    info: {
      ...finished.info,
      runId,
      attempts,
      ...(grade.kind === 'unscored' ? { unscored: grade.because } : {}),
    },
  };
}

async function gradeFinished(
  job: Job,
  { course, judged }: Finished,
  { domain, limits }: { readonly domain: Domain; readonly limits?: JobOptions['limits'] },
): ReturnType<typeof gradeSimulation> {
  const judge: NlJudge | undefined =
    judged === null
      ? undefined
      : async () => {
          if (judged.kind === 'judged') return judged.checks;
          throw new FlyballError('REPLY_INVALID', judged.because);
        };
  try {
    return await gradeSimulation(domain, job.task, course, {
      ...(judge === undefined ? {} : { nlJudge: judge }),
      ...(limits?.solo === undefined ? {} : { solo: limits.solo }),
      ...(job.condition.retrieval === undefined ? {} : { retrieval: job.condition.retrieval }),
    });
  } catch (error) {
    // a replay that does not answer as recorded: nobody can say what the course is worth
    if (!(error instanceof PyError) && !(error instanceof FlyballError)) throw error;
    return { kind: 'unscored', because: `It could not be graded: ${error.message}` };
  }
}

/** Without messages and without a score: our failure says nothing about the agent. */
function infrastructureError(
  job: Job,
  because: string,
  attempts: number,
  startedAt: number,
  endedAt: number,
): SimulationRecord {
  return {
    id: uuidOf(runIdOf(job, attempts)),
    taskId: job.task.id,
    trial: job.trial,
    seed: job.seed,
    startedAt,
    endedAt,
    seconds: (endedAt - startedAt) / 1000,
    termination: 'infrastructure_error',
    agentCost: null,
    userCost: null,
    reward: null,
    messages: [],
    policy: null,
    info: { error: because, runId: runIdOf(job, attempts), attempts },
  };
}

function reasonOf(outcome: Outcome<unknown>): string {
  switch (outcome.stop) {
    case 'failed':
      return `${outcome.failure.code}: ${outcome.because}`;
    case 'bounded':
      return `BOUND_REACHED: the simulation's budget of ${outcome.limit} ${outcome.bound} is used up.`;
    case 'blocked':
    case 'cancelled':
    case 'degraded':
      return outcome.because;
    case 'done':
    case 'suspended':
      return `it ended ${outcome.stop} without a result`;
  }
}

/** The reference names simulations by UUID; ours follow from the run, so that a resumed experiment says the same. */
function uuidOf(runId: string): string {
  const hex = hash('sha256', runId, 'hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
