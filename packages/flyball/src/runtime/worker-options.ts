import type { Agents } from '../core/agent-types.js';
import { ConfigError } from '../core/errors.js';

/** What a worker takes on. */
export interface WorkerOptions {
  /** Agents whose runs it works on: all that the runtime has, unless some are named. Runs of the others are left to other workers. */
  readonly agents?: readonly string[];
  /** Runs that live here at one time, by default `maxLoaded`. More stay in line, for this worker or another. */
  readonly concurrency?: number;
  /** How much it takes at once compared with the others: one of weight 2 takes twice as many runs as one of weight 1. */
  readonly weight?: number;
}

/** Where runs are worked on that are started, resumed or due. See `RuntimeOptions.worker`. */
export type WorkerChoice = boolean | 'elsewhere' | WorkerOptions;

/** What the worker of this process takes on, every choice made. */
export type Work = Required<WorkerOptions>;

/** Undefined: it takes nothing by itself. */
export function workOf(choice: WorkerChoice, agents: Agents, maxLoaded: number): Work | undefined {
  if (choice === false || choice === 'elsewhere') return undefined;
  const given = choice === true ? {} : choice;
  const work = { agents: Object.keys(agents), concurrency: maxLoaded, weight: 1, ...given };
  const unknown = work.agents.find((name) => !Object.hasOwn(agents, name));
  if (unknown !== undefined)
    throw new ConfigError(`The worker is configured for the agent "${unknown}", which this runtime does not have.`);
  if (!(work.concurrency >= 1))
    throw new ConfigError(`The concurrency of a worker must be 1 or more, not ${work.concurrency}.`);
  if (!(work.weight > 0 && Number.isFinite(work.weight)))
    throw new ConfigError(`The weight of a worker must be a number above 0, not ${work.weight}.`);
  return work;
}

/** Runs that are taken in one go: others who look get some as well, and none waits long for its life to begin. */
const BITE = 25;

/** How many runs it takes in one go: the heaviest worker a whole bite, the others their part of one. */
export function biteOf(weight: number, heaviest: number): number {
  return Math.max(1, Math.round((BITE * weight) / Math.max(weight, heaviest)));
}
