import type { ErrorCode } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';

/** What a script needs to know about how a command ended. Published: a number never changes its meaning. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  bounded: 4,
  blocked: 5,
  cancelled: 6,
  notFound: 7,
  conflict: 8,
  storage: 9,
  setAside: 10,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;
/** An exit code of the command line. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For `flyball --help` and the documentation, in this order. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.ok, 'the run is done, or the command succeeded'],
  [
    EXIT.failed,
    'the run failed; a decision or an answer was refused; a dry run or doctor found a problem; verify found a changed file; check found damage; a skill is invalid; an eval gate failed, no simulation of an experiment could run, or a replay differs from its recording; cancel left something that a person must undo',
  ],
  [EXIT.usage, 'invalid usage or input: an option, a budget, JSON, a path, a signal payload, a fork point'],
  [EXIT.waiting, 'the run is waiting for an answer or a time, or is paused'],
  [EXIT.bounded, 'the run reached a limit of its budget; resume it with a larger one'],
  [EXIT.blocked, 'the agent reports that it cannot continue'],
  [EXIT.cancelled, 'the run was cancelled'],
  [EXIT.notFound, 'there is no such run, agent or skill'],
  [EXIT.conflict, 'the run has ended, already exists, or belongs to another process'],
  [
    EXIT.storage,
    'the database or a file cannot be used (read-only, full, locked, damaged or in a newer format), or a required package is missing',
  ],
  [EXIT.setAside, 'the run is stalled: its code no longer matches its journal, or it crashed too often'],
  [EXIT.hungUp, 'the terminal was closed; the run can be resumed'],
  [EXIT.interrupted, 'interrupted with Ctrl-C; the run can be resumed'],
  [EXIT.terminated, 'terminated by a signal; the run can be resumed'],
];

// a complete record: a new error code fails to compile here until somebody decides about it
const BY_ERROR: Readonly<Record<ErrorCode, ExitCode>> = {
  CONFIG_INVALID: EXIT.usage,
  INPUT_INVALID: EXIT.usage,
  VALUE_NOT_SERIALIZABLE: EXIT.usage,
  SIGNAL_INVALID: EXIT.usage,
  SIGNAL_UNEXPECTED: EXIT.usage,
  FORK_REFUSED: EXIT.usage,
  RUN_NOT_FOUND: EXIT.notFound,
  AGENT_UNKNOWN: EXIT.notFound,
  RUN_EXISTS: EXIT.conflict,
  ALREADY_TERMINAL: EXIT.conflict,
  JOURNAL_CONFLICT: EXIT.conflict,
  RECORD_CONFLICT: EXIT.conflict,
  JOURNAL_NEWER: EXIT.storage,
  JOURNAL_CORRUPT: EXIT.storage,
  JOURNAL_TRUNCATED: EXIT.storage,
  STORAGE_READ_ONLY: EXIT.storage,
  STORAGE_UNCERTAIN: EXIT.storage,
  STORAGE_FULL: EXIT.storage,
  STORAGE_BUSY: EXIT.storage,
  STORAGE_FAILED: EXIT.storage,
  DRIVER_MISSING: EXIT.storage,
  REPLAY_DIVERGED: EXIT.setAside,
  FOREIGN_AWAIT: EXIT.setAside,
  UNCAUGHT: EXIT.failed,
  RUN_STALLED: EXIT.setAside,
  RUN_KEPT: EXIT.conflict,
  RUN_INSIDE_EFFECT: EXIT.failed,
  RUN_UNLOADED: EXIT.failed,
  BOUND_REACHED: EXIT.bounded,
  CANCELLED: EXIT.cancelled,
  APPROVAL_REJECTED: EXIT.failed,
  NO_ANSWER: EXIT.failed,
  PLAN_INVALID: EXIT.failed,
  STEP_UNVERIFIED: EXIT.failed,
  CLAIM_UNPROVEN: EXIT.failed,
  QUALITY_NOT_REACHED: EXIT.failed,
  INVARIANT_BROKEN: EXIT.failed,
  EFFECT_FAILED: EXIT.failed,
  EFFECT_TIMEOUT: EXIT.failed,
  EFFECT_IN_DOUBT: EXIT.failed,
  NOT_SIMULATED: EXIT.failed,
  DENIED: EXIT.failed,
  TOOL_UNKNOWN: EXIT.failed,
  CIRCUIT_OPEN: EXIT.failed,
  SANDBOX_MISSING: EXIT.failed,
  SANDBOX_LIMIT: EXIT.failed,
  MODEL_UNAVAILABLE: EXIT.failed,
  MODEL_REJECTED: EXIT.failed,
  WINDOW_EXCEEDED: EXIT.failed,
  PART_UNSUPPORTED: EXIT.failed,
  REPLY_INVALID: EXIT.failed,
  CONTINUE_REFUSED: EXIT.failed,
  SCRIPT_EXHAUSTED: EXIT.failed,
  CASSETTE_MISSING: EXIT.failed,
};

export function exitCodeOfError(code: ErrorCode): ExitCode {
  return BY_ERROR[code];
}

const BY_STOP: Readonly<Record<Outcome<unknown>['stop'], ExitCode>> = {
  done: EXIT.ok,
  degraded: EXIT.ok,
  bounded: EXIT.bounded,
  suspended: EXIT.waiting,
  blocked: EXIT.blocked,
  cancelled: EXIT.cancelled,
  failed: EXIT.failed,
};

export function exitCodeOfOutcome(outcome: Outcome<unknown>): ExitCode {
  return BY_STOP[outcome.stop];
}
