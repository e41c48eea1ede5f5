import { hash } from 'node:crypto';
import { type Budget, budget, ConfigError } from 'flyball';
import { openRuntime } from 'flyball/internal';
import { trialSeeds } from '../metrics/trial-seeds.js';
import type { Limits } from '../simulation/party.js';
import { ConditionBook } from './condition-book.js';
import { type Drivers, SIMULATION } from './drive-run.js';
import type { ExperimentOptions, ExperimentReport } from './experiment.js';
import { ProgressMeter } from './progress-meter.js';
import { MOST_TRIALS } from './settings.js';
import { DEFAULT_LIMITS, simulationAgent } from './simulation-agent.js';
import { type Job, type JobOptions, runIdOf, simulateJob } from './simulation-job.js';

/**
 * Runs every task under every condition as often as there are trials, and keeps the results. What is finished in the
 * checkpoint is not run again; what was under way goes on from its journal.
 */
export async function runExperiment(options: ExperimentOptions): Promise<ExperimentReport> {
  checkOptions(options);
  const { clock, engine } = options.runtime;
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const books = await openBooks(options, limits);
  const jobs = jobsOf(options, books);
  const runtime = openRuntime({
    ...options.runtime,
    agents: { [SIMULATION]: simulationAgent(options) },
    // what is due here is what the queue below takes up, in its order and within its bound
    options: { ...options.runtime.options, worker: false },
  });
  const drivers: Drivers = { runtime, engine, clock, budget: budgetOf(options, limits) };
  const meter = new ProgressMeter(clock, jobs.length, books);
  const work = async (job: Job): Promise<void> => {
    const book = bookOf(books, job);
    const record = await simulateJob(drivers, job, jobOptions(options, limits, book));
    await book.add(record);
    options.onProgress?.(meter.told(job.condition.name, record));
  };
  const pool = startPool(jobs, work, options);
  try {
    await pool.ended;
  } finally {
    await runtime.close({ drainMs: DRAIN_MS });
    await pool.settled;
  }
  const ended = options.signal?.aborted === true && books.some((book) => !book.isComplete) ? 'aborted' : 'complete';
  return { ended, results: new Map(books.map((book) => [book.condition.name, book.results()])) };
}

/** Long enough for a tool to end; a model call that is cut off is made again when the experiment is resumed. */
const DRAIN_MS = 1_000;

async function openBooks(options: ExperimentOptions, limits: Limits): Promise<readonly ConditionBook[]> {
  const books: ConditionBook[] = [];
  for (const condition of options.conditions) books.push(await ConditionBook.open(options, condition, limits));
  const seeds = trialSeeds(options.seed, options.trials);
  // a file of the same moment would give the same names to other runs in the same journal
  for (const book of books) {
    await book.settle(async (stamp) => {
      const [task, seed] = [options.tasks[0], seeds[0]];
      if (task === undefined || seed === undefined) return false;
      const first = { key: keyOf(book, stamp), task, trial: 0, seed };
      return (await options.runtime.engine.get(runIdOf(first, 1))) !== undefined;
    });
  }
  return books;
}

/** Trial by trial and task by task, the conditions side by side: an interrupted experiment can still be compared. */
function jobsOf(options: ExperimentOptions, books: readonly ConditionBook[]): readonly Job[] {
  const seeds = trialSeeds(options.seed, options.trials);
  return seeds.flatMap((seed, trial) =>
    options.tasks.flatMap((task) =>
      books.flatMap((book): readonly Job[] => {
        const one = { trial, taskId: task.id, seed };
        if (book.has(one)) return [];
        const key = keyOf(book, book.timestamp);
        return [{ condition: book.condition, task, trial, seed, key, triesBefore: book.triesBefore(one) }];
      }),
    ),
  );
}

/** Names an experiment in the journal: by when its results file was begun. */
function keyOf(book: ConditionBook, timestamp: string): string {
  const about = [timestamp, book.info.domain, book.condition.name, String(book.info.seed)];
  return hash('sha256', JSON.stringify(about), 'hex').slice(0, 12);
}

function bookOf(books: readonly ConditionBook[], job: Pick<Job, 'condition'>): ConditionBook {
  const book = books.find(({ condition }) => condition.name === job.condition.name);
  if (book === undefined) throw new ConfigError(`There is no condition ${job.condition.name}.`);
  return book;
}

function jobOptions(options: ExperimentOptions, limits: Limits, book: ConditionBook): JobOptions {
  return {
    domain: options.domain,
    limits,
    maxRetries: options.maxRetries ?? 3,
    retryDelayMs: options.retryDelayMs ?? 1_000,
    policyByTask: book.policyByTask,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
}

/** The protocol's own limits decide how long a conversation is; the budget only catches what they cannot. */
function budgetOf(options: ExperimentOptions, { maxSteps }: Limits): Budget {
  return budget({
    iterations: maxSteps * 10,
    modelCalls: maxSteps * 10,
    toolCalls: maxSteps * 40,
    tokensIn: 100_000_000,
    tokensOut: 10_000_000,
    costUsd: 25,
    wallMs: 6 * 3_600_000,
    noProgress: maxSteps * 40,
    ...options.budget,
  });
}

interface Pool {
  /** Everything is done, or the signal was given. Rejects with the first failure that is not a simulation's own. */
  readonly ended: Promise<void>;
  /** Nothing is under way any more. */
  readonly settled: Promise<void>;
}

/**
 * Every job once, at most `concurrency` at a time. A failure that is not a simulation's own ends the taking of new ones;
 * those under way are waited for, so that what they finished is saved.
 */
function startPool(
  jobs: readonly Job[],
  work: (job: Job) => Promise<void>,
  { concurrency, signal }: ExperimentOptions,
): Pool {
  let next = 0;
  const broken: unknown[] = [];
  const isOver = (): boolean => signal?.aborted === true || broken.length > 0;
  const lane = async (): Promise<void> => {
    for (let job = jobs[next++]; job !== undefined && !isOver(); job = jobs[next++]) {
      await work(job).catch((error: unknown) => {
        if (signal?.aborted !== true) broken.push(error); // what is cut off by the signal fails, and goes on later
      });
    }
  };
  const settled = Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, lane)).then(() => undefined);
  const worked = settled.then(() => {
    if (broken.length > 0) throw broken[0];
  });
  return { ended: signal === undefined ? worked : Promise.race([worked, aborted(signal)]), settled };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function checkOptions({ tasks, trials, conditions, concurrency, agents, users }: ExperimentOptions): void {
  if (!(Number.isInteger(trials) && trials >= 1 && trials <= MOST_TRIALS))
    throw new ConfigError(`trials must be from 1 to ${MOST_TRIALS}, got ${trials}.`);
  if (!(Number.isInteger(concurrency) && concurrency >= 1))
    throw new ConfigError(`concurrency must be at least 1, got ${concurrency}.`);
  if (tasks.length === 0) throw new ConfigError('There are no tasks. Name at least one.');
  if (new Set(tasks.map(({ id }) => id)).size < tasks.length) throw new ConfigError('Two tasks have the same id.');
  if (conditions.length === 0) throw new ConfigError('There are no conditions. Name at least one.');
  if (new Set(conditions.map(({ name }) => name)).size < conditions.length)
    throw new ConfigError('Two conditions have the same name: their results would be one file.');
  for (const { agent, user, name } of conditions) {
    if (!Object.hasOwn(agents, agent)) throw unknown(name, 'agent', agent, agents);
    if (!Object.hasOwn(users, user)) throw unknown(name, 'user', user, users);
  }
}

function unknown(condition: string, what: string, name: string, known: Readonly<Record<string, unknown>>): ConfigError {
  const names = Object.keys(known).join(', ') || 'none';
  return new ConfigError(`Condition ${condition} names the ${what} ${name}. Available: ${names}.`);
}
