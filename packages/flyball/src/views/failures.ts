import { REPLY_REFUSED } from '../core/ask-until.js';
import { type ByKind, byKind, nothingFor, rowsFor } from '../core/by-kind.js';
import { boundText, type ErrorCode, type Failure } from '../core/errors.js';
import { PATTERNS, ROLLBACKS, TELLING, WAITS } from '../core/event-kinds.js';
import type { EffectId, Entry, EventOf } from '../core/events.js';
import { isNote } from '../core/notes.js';
import { type Effect, EffectFold } from './effects.js';

/** The part of the system that a failure comes from. */
export type FailureCategory =
  | 'model'
  | 'tool'
  | 'policy'
  | 'budget'
  | 'validation'
  | 'timeout'
  | 'sandbox'
  | 'memory'
  | 'runtime';

/**
 * low: an answer the agent can work with. medium: something did not get done. high: the run, or a whole kind of work in
 * it, cannot go on. critical: somebody has to look, because the state of the world or of the journal is in question.
 */
export type FailureSeverity = 'low' | 'medium' | 'high' | 'critical';

/** A failure in a run, with category and severity. */
export interface FailureRecord {
  readonly at: number;
  readonly generation: number;
  /** Empty where the run as a whole failed. */
  readonly effect: EffectId;
  readonly code: ErrorCode;
  readonly category: FailureCategory;
  readonly severity: FailureSeverity;
  readonly message: string;
  readonly retryable: boolean;
}

/** `by effect`: the code alone does not say; a model call, a tool call and a step fail with it alike. */
type Kind = readonly [FailureCategory | 'by effect', FailureSeverity];

/** A new code fails to compile here until somebody says what kind of failure it is. */
const KINDS: Readonly<Record<ErrorCode, Kind>> = {
  CONFIG_INVALID: ['validation', 'high'],
  INPUT_INVALID: ['validation', 'low'],
  VALUE_NOT_SERIALIZABLE: ['validation', 'medium'],
  RUN_NOT_FOUND: ['runtime', 'low'],
  RUN_EXISTS: ['runtime', 'low'],
  ALREADY_TERMINAL: ['runtime', 'low'],
  AGENT_UNKNOWN: ['runtime', 'high'],
  JOURNAL_CONFLICT: ['runtime', 'high'],
  JOURNAL_NEWER: ['runtime', 'high'],
  JOURNAL_CORRUPT: ['runtime', 'critical'],
  JOURNAL_TRUNCATED: ['runtime', 'critical'],
  STORAGE_READ_ONLY: ['runtime', 'high'],
  STORAGE_UNCERTAIN: ['runtime', 'high'],
  STORAGE_FULL: ['runtime', 'critical'],
  STORAGE_BUSY: ['runtime', 'medium'],
  STORAGE_FAILED: ['runtime', 'critical'],
  DRIVER_MISSING: ['runtime', 'high'],
  REPLAY_DIVERGED: ['runtime', 'high'],
  FOREIGN_AWAIT: ['runtime', 'high'],
  UNCAUGHT: ['runtime', 'high'],
  RUN_INSIDE_EFFECT: ['runtime', 'high'],
  RUN_UNLOADED: ['runtime', 'low'],
  RUN_STALLED: ['runtime', 'high'],
  RUN_KEPT: ['runtime', 'low'],
  BOUND_REACHED: ['budget', 'medium'],
  CANCELLED: ['runtime', 'low'],
  APPROVAL_REJECTED: ['policy', 'medium'],
  NO_ANSWER: ['timeout', 'medium'],
  PLAN_INVALID: ['validation', 'medium'],
  STEP_UNVERIFIED: ['validation', 'medium'],
  CLAIM_UNPROVEN: ['validation', 'medium'],
  QUALITY_NOT_REACHED: ['validation', 'high'],
  INVARIANT_BROKEN: ['runtime', 'critical'],
  EFFECT_FAILED: ['by effect', 'medium'],
  EFFECT_TIMEOUT: ['timeout', 'medium'],
  EFFECT_IN_DOUBT: ['by effect', 'critical'],
  NOT_SIMULATED: ['runtime', 'low'],
  DENIED: ['policy', 'medium'],
  TOOL_UNKNOWN: ['tool', 'low'],
  CIRCUIT_OPEN: ['by effect', 'medium'],
  SANDBOX_MISSING: ['sandbox', 'high'],
  SANDBOX_LIMIT: ['sandbox', 'medium'],
  MODEL_UNAVAILABLE: ['model', 'medium'],
  MODEL_REJECTED: ['model', 'high'],
  WINDOW_EXCEEDED: ['model', 'high'],
  PART_UNSUPPORTED: ['model', 'high'],
  REPLY_INVALID: ['validation', 'medium'],
  SIGNAL_INVALID: ['validation', 'low'],
  SIGNAL_UNEXPECTED: ['validation', 'low'],
  FORK_REFUSED: ['runtime', 'low'],
  CONTINUE_REFUSED: ['runtime', 'high'],
  RECORD_CONFLICT: ['memory', 'medium'],
  SCRIPT_EXHAUSTED: ['model', 'high'],
  CASSETTE_MISSING: ['model', 'high'],
};

/** What went wrong in a run, in order. One record for each entry that tells of a failure. */
export function failuresOf(entries: readonly Entry[]): readonly FailureRecord[] {
  const effects = new EffectFold();
  return entries.flatMap((entry) => failureAt(entry, effects.apply(entry)) ?? []);
}

/** Steps of the memory go by this name, so that a full disk under the memory counts as the memory's failure. */
const MEMORY_STEP = /^memory\./;

/** What kind of failure a code is, in the effect it came from. */
export function kindOfFailure(
  code: ErrorCode,
  effect?: Pick<Effect, 'verb' | 'name'>,
): { readonly category: FailureCategory; readonly severity: FailureSeverity } {
  const [category, severity] = KINDS[code];
  if (effect?.verb === 'step' && MEMORY_STEP.test(effect.name)) return { category: 'memory', severity };
  return { category: category === 'by effect' ? categoryOf(effect) : category, severity };
}

function categoryOf(effect: Pick<Effect, 'verb'> | undefined): FailureCategory {
  switch (effect?.verb) {
    case 'ask':
      return 'model';
    case 'call':
      return 'tool';
    default:
      return 'runtime';
  }
}

/** The failure that an entry tells of, where it tells of one. `effect` is the one the entry belongs to. */
export function failureAt(entry: Entry, effect: Effect | undefined): FailureRecord | undefined {
  return byKind(FAILURES, entry.event, entry, effect);
}

/** Events that tell neither of a failure nor of anything an agent said, decided or did. */
export const NO_NEWS = [
  ...WAITS,
  ...ROLLBACKS,
  ...PATTERNS,
  ...TELLING,
  'run-start',
  'generation-start',
  'generation-end',
  'attempt-start',
  'run-resume',
  'run-pause',
  'ask-start',
  'intent',
  'call-start',
  'spawn-start',
  'slice-change',
  'cancel',
  'redirect',
  'pin',
  'post',
] as const;

const FAILURES: ByKind<[entry: Entry, effect: Effect | undefined], FailureRecord | undefined> = {
  ...nothingFor(...NO_NEWS),
  ...rowsFor(['ask-end', 'complete', 'abort'], ({ id, failure }, entry: Entry, effect: Effect | undefined) =>
    failure === undefined ? undefined : record(entry, id, failure, effect),
  ),
  'spawn-end': ({ id, outcome }, entry, effect) =>
    outcome.stop === 'failed' ? record(entry, id, outcome.failure, effect) : undefined,
  'run-end': ({ outcome }, entry) =>
    outcome.stop === 'failed' ? atLeast('high', record(entry, '', outcome.failure, undefined)) : undefined,
  doubt: ({ id, why }, entry, effect) =>
    record(entry, id, { code: 'EFFECT_IN_DOUBT', message: why, retryable: false }, effect),
  trip: (event, entry) =>
    record(entry, event.node, { code: 'BOUND_REACHED', message: boundText(event), retryable: false }, undefined),
  stuck: ({ failure = AWAITS }, entry) => record(entry, '', failure, undefined),
  'signal-refused': ({ why }, entry) =>
    record(entry, '', { code: 'SIGNAL_INVALID', message: why, retryable: true }, undefined),
  note: (event, entry) => refusedReply(entry, event),
  retry: ({ id, name, failure }, entry) => ({ ...record(entry, id, failure, { verb: 'call', name }), severity: 'low' }),
  'operator-alert': ({ effect: id = '', why }, entry, effect) => ({
    ...record(entry, id, { code: 'EFFECT_FAILED', message: why, retryable: false }, effect),
    severity: 'critical',
  }),
  // no failure: bounds and refusals have entries of their own
};

const AWAITS: Failure = {
  code: 'FOREIGN_AWAIT',
  message: 'the agent awaits something that did not go through `run`',
  retryable: false,
};

function record(
  { at, generation }: Entry,
  id: EffectId,
  { code, message, retryable }: Failure,
  effect: Pick<Effect, 'verb' | 'name'> | undefined,
): FailureRecord {
  return { at, generation, effect: id, code, ...kindOfFailure(code, effect), message, retryable };
}

/** A reply that is asked for again: where that does not help, a failure of its own follows. */
function refusedReply(entry: Entry, note: EventOf<'note'>): FailureRecord | undefined {
  if (!isNote(note, REPLY_REFUSED)) return undefined;
  const { code, problem } = note.event;
  return { ...record(entry, note.path, { code, message: problem, retryable: true }, undefined), severity: 'low' };
}

const SEVERITIES: readonly FailureSeverity[] = ['low', 'medium', 'high', 'critical'];

function atLeast(severity: FailureSeverity, of: FailureRecord): FailureRecord {
  return SEVERITIES.indexOf(of.severity) >= SEVERITIES.indexOf(severity) ? of : { ...of, severity };
}
