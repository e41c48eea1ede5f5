import type { Agents } from '../core/agent-types.js';
import { joinSeams } from '../core/join-seams.js';
import type { PriceLookup } from '../core/prices.js';
import type { JsonSchema } from '../core/schema.js';
import type { Seams } from '../core/seams.js';
import type { Clock } from '../ports/clock.js';
import type { Dispatcher } from '../ports/dispatcher.js';
import type { Engine } from '../ports/engine.js';
import type { Host } from '../ports/host.js';
import type { Telemetry } from '../ports/telemetry.js';
import { checkedOptions } from './checked-options.js';
import { type DeclaredGone, withDeclared } from './declared-gone.js';
import type { AroundBody, AttemptOptions } from './host.js';
import { type Work, type WorkerChoice, workOf } from './worker-options.js';

export interface RuntimeParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly host: Host;
  /** Says whose turn it is: runs are handed to it, and go on where it has them driven. Without one, workers look around. */
  readonly dispatcher?: Dispatcher;
  /** By name: the agents this process can run. A version marks which code wrote a journal. */
  readonly agents: Agents;
  readonly seams?: Seams;
  /** The price that holds for a model, which may state one of its own. */
  readonly prices?: PriceLookup;
  /** Undefined when the value fits the schema, else what is wrong with it. */
  readonly checkJson?: (schema: JsonSchema, value: unknown) => Promise<string | undefined>;
  readonly telemetry?: Telemetry;
  /** Told of failures that nobody awaits: a worker's look-around, a lease renewal, an observer that throws. */
  readonly onProblem?: (error: unknown, doing: string) => void;
  /** Called with every run that becomes `stalled`, and the reason. */
  readonly onStalled?: (runId: string, error: unknown) => void;
  /** Called with every run that another process took over while this one worked on it. */
  readonly onLost?: (runId: string) => void;
  readonly options?: Partial<RuntimeOptions>;
  readonly aroundBody?: AroundBody;
}

/** Settings of a runtime: leases, polling, resuming and draining. */
export interface RuntimeOptions extends AttemptOptions {
  readonly leaseMs: number;
  /** How often a worker polls for runs whose owner is gone. */
  readonly pollMs: number;
  /** Crashes in a row without progress after which a run becomes `stalled`. */
  readonly maxResumes: number;
  /** How long `close` waits for running effects before it releases their runs. */
  readonly drainMs: number;
  /** How many runs are kept in memory. Above that, runs that only wait are unloaded immediately. */
  readonly maxLoaded: number;
  /**
   * Where runs are worked on. `true`, or what this process takes on: here, also those of others that are due. `false`: here,
   * but only what is started or resumed here. `'elsewhere'`: what is started or resumed here is put in line for the workers
   * of other processes.
   */
  readonly worker: WorkerChoice;
}

export const DEFAULTS: RuntimeOptions = {
  flushAfterMs: 5,
  suspendAfterMs: 50,
  foreignTurns: 3,
  compensationAttempts: 3,
  compensationTimeoutMs: 60_000,
  settleMs: 5_000,
  requesterDecides: false,
  leaseMs: 15_000,
  pollMs: 500,
  maxResumes: 10,
  drainMs: 10_000,
  maxLoaded: 1_000,
  worker: true,
};

/** The parts with every choice made. */
export interface Settings extends RuntimeParts {
  readonly seams: Seams;
  readonly prices: PriceLookup;
  readonly options: RuntimeOptions;
  readonly onProblem: (error: unknown, doing: string) => void;
  readonly onStalled: (runId: string, error: unknown) => void;
  readonly onLost: (runId: string) => void;
  readonly host: DeclaredGone;
  /** What is taken on here without being asked for; undefined: nothing. */
  readonly work: Work | undefined;
  /** What is taken on here when the dispatcher says so; undefined: nothing, or nobody asks. */
  readonly driven: Work | undefined;
}

export function settle(parts: RuntimeParts): Settings {
  const chosen = { ...DEFAULTS, ...checkedOptions<RuntimeOptions>(parts.options) };
  const { dispatcher, agents } = parts;
  const options = dispatcher === undefined ? chosen : { ...chosen, worker: false };
  return {
    ...parts,
    seams: joinSeams(parts.seams ?? {}),
    prices: parts.prices ?? ((_modelId, own) => own),
    options,
    work: workOf(options.worker, agents, options.maxLoaded),
    driven: dispatcher?.attend === undefined ? undefined : workOf(chosen.worker, agents, options.maxLoaded),
    onProblem: parts.onProblem ?? (() => undefined),
    onStalled: parts.onStalled ?? (() => undefined),
    onLost: parts.onLost ?? (() => undefined),
    host: withDeclared(parts.host, parts.engine),
  };
}
