import { originalCodeOf } from './original-code.js';

/** The codes of all errors. */
export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'INPUT_INVALID'
  | 'VALUE_NOT_SERIALIZABLE'
  | 'RUN_NOT_FOUND'
  | 'RUN_EXISTS'
  | 'ALREADY_TERMINAL'
  | 'AGENT_UNKNOWN'
  | 'JOURNAL_CONFLICT'
  | 'JOURNAL_NEWER'
  | 'JOURNAL_CORRUPT'
  | 'JOURNAL_TRUNCATED'
  | 'STORAGE_READ_ONLY'
  | 'STORAGE_FULL'
  | 'STORAGE_BUSY'
  | 'STORAGE_FAILED'
  | 'STORAGE_UNCERTAIN'
  | 'DRIVER_MISSING'
  | 'REPLAY_DIVERGED'
  | 'FOREIGN_AWAIT'
  | 'UNCAUGHT'
  | 'RUN_INSIDE_EFFECT'
  | 'RUN_UNLOADED'
  | 'RUN_STALLED'
  | 'RUN_KEPT'
  | 'BOUND_REACHED'
  | 'CANCELLED'
  | 'APPROVAL_REJECTED'
  | 'NO_ANSWER'
  | 'PLAN_INVALID'
  | 'STEP_UNVERIFIED'
  | 'CLAIM_UNPROVEN'
  | 'QUALITY_NOT_REACHED'
  | 'INVARIANT_BROKEN'
  | 'EFFECT_FAILED'
  | 'EFFECT_TIMEOUT'
  | 'EFFECT_IN_DOUBT'
  | 'NOT_SIMULATED'
  | 'DENIED'
  | 'TOOL_UNKNOWN'
  | 'CIRCUIT_OPEN'
  | 'SANDBOX_MISSING'
  | 'SANDBOX_LIMIT'
  | 'MODEL_UNAVAILABLE'
  | 'MODEL_REJECTED'
  | 'WINDOW_EXCEEDED'
  | 'PART_UNSUPPORTED'
  | 'REPLY_INVALID'
  | 'SIGNAL_INVALID'
  | 'SIGNAL_UNEXPECTED'
  | 'FORK_REFUSED'
  | 'CONTINUE_REFUSED'
  | 'RECORD_CONFLICT'
  | 'SCRIPT_EXHAUSTED'
  | 'CASSETTE_MISSING';

/**
 * The base class of all errors: `code` says which failure it is, `retryable` whether the same call can be made again.
 */
export class FlyballError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** The values that explain the failure, for programs; the message carries them for people. */
  readonly detail: Readonly<Record<string, unknown>>;
  /**
   * Made by the runtime to say how something ended, kept as long as that, and handed to code far from here: without a
   * stack. One that nobody has read yet holds on to every object that was at work where the error was made.
   */
  protected static readonly isValue: boolean = false;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly retryable?: boolean; readonly detail?: Record<string, unknown>; readonly cause?: unknown } = {},
  ) {
    const { stackTraceLimit } = Error;
    if (new.target.isValue) Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = new.target.name;
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.detail = options.detail ?? {};
  }
}

/** Invalid settings. Thrown on construction, before anything is spent. */
export class ConfigError extends FlyballError {
  constructor(message: string) {
    super('CONFIG_INVALID', message);
  }
}

/** Another process owns this run. Not retryable, because a retry would interleave two histories. */
export class JournalConflictError extends FlyballError {
  constructor(runId: string, why: string) {
    super('JOURNAL_CONFLICT', `Run ${runId}: ${why}`, { detail: { runId } });
  }
}

/** The code makes another effect than the journal contains. No new effect was made. */
export class ReplayDivergedError extends FlyballError {
  constructor(at: {
    readonly id: string;
    readonly recorded: string;
    /** Nothing: the code does not ask for what is recorded. */
    readonly asked?: string;
    readonly versions: AgentVersions;
  }) {
    const { agent, began, here } = at.versions;
    const versions =
      began === here
        ? `The run began with version ${began} of "${agent}", and this process has version ${here} too: its code has changed.`
        : `The run began with version ${began} of "${agent}"; this process has version ${here}.`;
    super(
      'REPLAY_DIVERGED',
      `At ${at.id} the journal holds ${at.recorded}, but the code ${at.asked === undefined ? 'does not ask for it' : `asks for ${at.asked}`}. ` +
        `No effect was made. ${versions} Start a worker with the code that wrote this run, then retry the run. ` +
        "If the agent is a function of your own, you can also mark the change with run.changed('…').",
      { detail: { ...at } },
    );
  }
}

/** Of the agent of a run: with which version the run began, and which one this process has. */
export interface AgentVersions {
  readonly agent: string;
  readonly began: string;
  readonly here: string;
}

export interface ReachedBound {
  readonly bound: string;
  readonly limit: number;
  readonly spent: number;
  readonly node: string;
  /** What did not fit any more, and into what: nothing where time ran out. */
  readonly wanted?: number;
  readonly left?: number;
}

/** Which limit was reached, and what did not fit into what was left of it. */
export function boundText({ bound, limit, spent, wanted = 0, left = 0 }: Omit<ReachedBound, 'node'>): string {
  const round = (amount: number): number => Number(amount.toPrecision(6));
  if (!(wanted > 0)) return `the ${bound} limit is reached (${round(spent)} of ${round(limit)})`;
  return `the next call may need ${round(wanted)} ${bound}, and ${round(left)} of ${round(limit)} are left (${round(spent)} spent)`;
}

/** A limit was reached. The runtime turns this into the outcome `bounded`. */
export class BoundReachedError extends FlyballError {
  protected static override readonly isValue = true;
  readonly bound: string;
  readonly limit: number;
  readonly node: string;
  /** What did not fit any more, and into what. */
  readonly refused: { readonly wanted: number; readonly left: number } | undefined;
  constructor(at: ReachedBound) {
    super('BOUND_REACHED', `Budget of ${at.node || '/'}: ${boundText(at)}.`, { detail: { ...at } });
    this.bound = at.bound;
    this.limit = at.limit;
    this.node = at.node;
    this.refused = (at.wanted ?? 0) > 0 ? { wanted: at.wanted ?? 0, left: at.left ?? 0 } : undefined;
  }
}

/** Thrown in the code of a run that was cancelled. */
export class CancelledError extends FlyballError {
  protected static override readonly isValue = true;
  readonly why: string;
  /** `branch`: path of the branch that was left. */
  constructor(why: string, branch?: string) {
    super('CANCELLED', `Cancelled: ${why}`, { detail: { why, ...(branch === undefined ? {} : { branch }) } });
    this.why = why;
  }
}

/** The failure of an effect. It has only fields that are in the journal, so it is the same in a replay. */
export class EffectError extends FlyballError {
  protected static override readonly isValue = true;
  /** `code` of the error the effect threw, or of what caused that, where there was one. */
  readonly originalCode: string | undefined;
  constructor(failure: Failure) {
    super(failure.code, failure.message, {
      retryable: failure.retryable,
      ...(failure.detail === undefined ? {} : { detail: failure.detail as Record<string, unknown> }),
    });
    this.originalCode = failure.originalCode;
  }
}

/** A failure as data, as in journals and outcomes. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly originalCode?: string;
  readonly detail?: unknown;
}

export function failureOf(error: unknown, fallback: ErrorCode = 'EFFECT_FAILED'): Failure {
  if (error instanceof FlyballError) {
    const original =
      error instanceof EffectError && error.originalCode !== undefined ? { originalCode: error.originalCode } : {};
    const detail = Object.keys(error.detail).length > 0 ? { detail: jsonOrText(error.detail) } : {};
    return { code: error.code, message: error.message, retryable: error.retryable, ...original, ...detail };
  }
  if (error instanceof Error) {
    const originalCode = originalCodeOf(error);
    return {
      code: fallback,
      message: error.message === '' ? error.name : error.message,
      retryable: (error as { retryable?: unknown }).retryable === true,
      ...(originalCode === undefined ? {} : { originalCode }),
    };
  }
  return { code: fallback, message: String(error), retryable: false };
}

function jsonOrText(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value)) as unknown;
  } catch {
    return String(value); // a cyclic detail is still better shown as text than lost
  }
}

/** Takes `never`: a new variant fails to compile where it is forgotten, not in production. */
export function unreachable(value: never): never {
  throw new FlyballError('CONFIG_INVALID', `Unexpected variant: ${JSON.stringify(value)}`);
}
