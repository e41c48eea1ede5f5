import type { Budget, Model, Run, Sampling, ToolRef } from 'flyball';
import type { GateRules } from 'flyball/agents';
import type { MoveNote, RuntimeParts } from 'flyball/internal';
import type { Results, SimulationRecord } from '../results/simulation-record.js';
import type { Limits, Party } from '../simulation/party.js';
import type { PyValue } from '../tau2/python/value.js';
import type { Domain } from '../world/environment.js';
import type { Task } from '../world/task.js';

/** What one side of one simulation is made from. Everything it does to the world goes through `run`. */
export interface SideSetting {
  readonly run: Run;
  readonly domain: Domain;
  readonly task: Task;
  /** The domain's policy text under the retrieval configuration of this condition. */
  readonly policy: string;
  /** What this side may call, in the order in which it is offered. */
  readonly tools: readonly ToolRef[];
  /** Of the trial: for the models of both sides. */
  readonly seed: number;
  /** Tells the record of the simulation something that its messages do not show. */
  note(entry: MoveNote): void;
}

/** An agent or a user by name, with what the results file says about it. */
export interface SideMaker {
  /** What the results file calls it, where the name it is registered by says more. */
  readonly implementation?: string;
  readonly llm: string | null;
  readonly llmArgs?: PyValue;
  /** Rules that the run holds its calls to, whatever the agent itself does. */
  readonly gate?: GateRules;
  make(setting: SideSetting): Party;
}

/** One way of running the tasks: it has a results file of its own. */
export interface Condition {
  readonly name: string;
  /** Names in `agents` and `users`. */
  readonly agent: string;
  readonly user: string;
  readonly retrieval?: string;
  readonly retrievalOptions?: Readonly<Record<string, unknown>>;
}

/** Where the results of a condition are kept. A save is whole or not at all. */
export interface Checkpoint {
  load(): Promise<Results | undefined>;
  save(results: Results): Promise<void>;
}

/** Options of an experiment: what to simulate, how often, and where to record it. */
export interface ExperimentOptions {
  readonly domain: Domain;
  readonly tasks: readonly Task[];
  readonly trials: number;
  readonly seed: number;
  readonly conditions: readonly Condition[];
  readonly agents: Readonly<Record<string, SideMaker>>;
  readonly users: Readonly<Record<string, SideMaker>>;
  /** Every simulation is a run in this journal. */
  readonly runtime: Pick<
    RuntimeParts,
    'engine' | 'clock' | 'host' | 'seams' | 'prices' | 'telemetry' | 'onProblem' | 'options'
  >;
  /** Simulations at once, over all conditions. */
  readonly concurrency: number;
  /** Tries after the first one, for simulations that fail for infrastructure: 3. */
  readonly maxRetries?: number;
  /** 1,000 */
  readonly retryDelayMs?: number;
  /** 200 steps and 10 errors where it does not say. */
  readonly limits?: Partial<Limits>;
  /** Of one simulation. */
  readonly budget?: Partial<Budget>;
  /** Judges natural-language assertions; without one, tasks that need it stay unscored. */
  readonly judge?: { readonly model: Model; readonly sampling?: Sampling };
  readonly checkpoint?: (condition: Condition) => Checkpoint;
  readonly onProgress?: (progress: Progress) => void;
  /** Stops taking new simulations; those under way stay in the journal, to go on from there. */
  readonly signal?: AbortSignal;
  /** Written into the results file. */
  readonly revision?: string;
}

/** How far an experiment has come, reported after each simulation. */
export interface Progress {
  readonly condition: string;
  readonly simulation: SimulationRecord;
  readonly finished: number;
  readonly total: number;
  readonly infrastructureErrors: number;
  /** Of everything that is finished, before a resume too. */
  readonly successes: number;
  /** Of the whole experiment, what earlier processes ran included, as far as it is known. */
  readonly costUsd: number;
  readonly elapsedMs: number;
  /** Undefined while nothing says how long a simulation takes. */
  readonly etaMs: number | undefined;
}

/** How an experiment ended, with its results. */
export interface ExperimentReport {
  readonly ended: 'complete' | 'aborted';
  /** By name of the condition. */
  readonly results: ReadonlyMap<string, Results>;
}
