import type { ActRecord } from '../core/act-record.js';
import { type ByKind, byKind, rowsFor } from '../core/by-kind.js';
import { type Failure, unreachable } from '../core/errors.js';
import type { EffectId, Entry, EventOf, RecordedReply, RunEvent } from '../core/events.js';
import type { Outcome, RollbackReport } from '../core/outcome.js';
import { PRIVATE } from '../core/private-marks.js';
import type { RunState } from '../core/run-state.js';
import { scopeOf } from './paths.js';
import { BLANK, Privacy } from './privacy.js';
import { withoutPrivateSources } from './private-sources.js';

/**
 * The journal with private contents blanked, for showing it to others. Hashes of private contents are removed too,
 * because a short secret can be guessed from its hash. The stored journal does not change.
 */
export function withoutPrivate(entries: readonly Entry[]): readonly Entry[] {
  const privacy = new Privacy(entries);
  if (privacy.isEmpty) return entries;
  return entries.map((entry) => blankPrivate(entry, privacy));
}

/** One entry, where the journal around it is known: for whoever reads it as it grows. */
export function blankPrivate(entry: Entry, privacy: Privacy): Entry {
  const event = blanked(entry, privacy);
  return event === entry.event ? entry : { ...entry, event };
}

/** Where an entry stands: the same effect id names another effect in another generation. */
type Where = { readonly generation: number; readonly privacy: Privacy };

function blanked({ event, generation }: Entry, privacy: Privacy): RunEvent {
  return byKind(BLANKED, event, { generation, privacy });
}

const BLANKED: ByKind<[where: Where], RunEvent> = {
  'run-start': (event, { privacy }) => {
    const fork =
      event.fork === undefined ? {} : { fork: { ...event.fork, state: blankState(event.fork.state, privacy) } };
    return { ...event, ...fork, ...(privacy.hidesScope('') ? { input: BLANK } : {}) };
  },
  'generation-start': (event, { privacy }) => ({
    ...event,
    state: blankState(event.state, privacy),
    ...(privacy.hidesScope('') ? { input: BLANK } : {}),
  }),
  'run-end': (event, { privacy }) => ({ ...event, outcome: ownOutcome(event.outcome, privacy) }),
  note: (event, { privacy }) => (privacy.hidesNote(event) ? { ...event, event: blankNote(event) } : event),
  // which pattern it is, and how many calls it predicts, are names and counts
  'scope-start': ({ params, ...event }, { privacy }) =>
    params === undefined ? event : { ...event, params: privacy.hidesScope(event.path) ? { content: BLANK } : params },
  'scope-end': ({ learned, ...event }, { privacy }) =>
    learned === undefined
      ? event
      : { ...event, learned: privacy.hidesScope(event.path) ? { content: BLANK } : learned },
  best: (event, { privacy }) => (privacy.hidesScope(event.path) ? { ...event, value: BLANK } : event),
  // it does not say which part it is about
  redirect: (event, { privacy }) => (privacy.hidesAnyScope() ? { ...event, text: BLANK } : event),
  ...rowsFor(['cancel', 'signal-refused'], (event, { privacy }: Where) =>
    privacy.hidesAnyScope() ? { ...event, why: BLANK } : event,
  ),
  pin: (event, { privacy }) => (hidesPin(event.name, privacy) ? { ...event, value: BLANK } : event),
  'rollback-start': (event, { privacy }) =>
    // the whole run is rolled back for the reason it ended with, a cancellation's words among them
    privacy.hidesScope(event.scope) || (event.scope === '' && privacy.hidesAnyScope())
      ? { ...event, why: BLANK }
      : event,
  'rollback-end': (event, { privacy }) => ({ ...event, report: blankReport(event.report, privacy) }),
  'operator-alert': (event, { generation, privacy }) =>
    event.effect !== undefined && privacy.hidesEffect(event.generation ?? generation, event.effect)
      ? { ...event, why: BLANK }
      : event,
  'ask-start': ifPrivate((event) => ({ ...event, fp: BLANK, tip: BLANK })),
  'ask-end': ifPrivate(blankAskEnd, withoutPrivateCalls),
  'call-start': ifPrivate((event) => ({ ...event, fp: BLANK })),
  intent: ifPrivate((event) => ({ ...event, fp: BLANK, input: BLANK })),
  complete: ifPrivate((event) => {
    const failure = event.failure === undefined ? {} : { failure: blankFailure(event.failure) };
    return { ...event, ...blankAsked(event), result: BLANK, ...failure };
  }),
  abort: ifPrivate((event) => ({ ...event, ...blankAsked(event), failure: blankFailure(event.failure) })),
  doubt: ifPrivate((event) => ({ ...event, why: BLANK })),
  'spawn-start': ifPrivate((event) => ({ ...event, fp: BLANK, input: BLANK })),
  'spawn-end': ifPrivate(
    (event) => ({ ...event, outcome: blankOutcome(event.outcome) }),
    (event, { privacy }) => ({ ...event, outcome: { ...event.outcome, ...visibleActs(event.outcome, privacy) } }),
  ),
  'wait-start': ifPrivate(blankWaitStart, (event, { generation, privacy }) =>
    withoutPrivateSources(event, (effect) => privacy.hidesEffect(generation, effect)),
  ),
  'wait-end': ifPrivate((event) => (event.payload === undefined ? event : { ...event, payload: BLANK })),
  post: ifPrivate((event) => ({ ...event, fp: BLANK, entry: BLANK })),
  'guard-refused': ifPrivate((event) => ({ ...event, why: BLANK })),
  'guard-decision': ifPrivate((event) => ({ ...event, why: BLANK })),
  retry: ifPrivate((event) => ({ ...event, failure: blankFailure(event.failure) })),
  // nobody knows which effect the words of an uncaught error come from
  stuck: (event, { privacy }) =>
    event.failure === undefined || privacy.isEmpty ? event : { ...event, failure: blankFailure(event.failure) },
  // names, times and amounts
  ...rowsFor(['generation-end', 'attempt-start', 'run-resume', 'run-pause', 'trip', 'changed'], (event) => event),
  ...rowsFor(
    ['wait-close', 'sleep-start', 'sleep-end', 'budget-warning', 'scope-overlap', 'slice-change'],
    (event) => event,
  ),
};

/** What is shown of an event of an effect: `blank` where the effect is private, else `open`. */
function ifPrivate<E extends RunEvent & { readonly id: EffectId }>(
  blank: (event: E) => RunEvent,
  open: (event: E, where: Where) => RunEvent = (event) => event,
): (event: E, where: Where) => RunEvent {
  return (event, where) => (where.privacy.hidesEffect(where.generation, event.id) ? blank(event) : open(event, where));
}

function blankAskEnd({ reply, failure, fp, ...rest }: EventOf<'ask-end'>): RunEvent {
  return {
    ...rest,
    ...(fp === undefined ? {} : { fp: BLANK }),
    ...(reply === undefined ? {} : { reply: blankReply(reply) }),
    ...(failure === undefined ? {} : { failure: blankFailure(failure) }),
  };
}

function blankWaitStart({ admitted, request, acts: _hashes, ...rest }: EventOf<'wait-start'>): RunEvent {
  const args = admitted === undefined ? {} : { admitted: { ...admitted, args: BLANK } };
  return { ...rest, fp: BLANK, ...(request === undefined ? {} : { request: BLANK }), ...args };
}

/** A session that is not private may still ask for a tool that is: its arguments are the tool's. */
function withoutPrivateCalls(event: EventOf<'ask-end'>, { privacy }: Where): RunEvent {
  const calls = event.reply?.toolCalls;
  const scope = scopeOf(event.id);
  if (event.reply === undefined || !calls?.some(({ name }) => privacy.hidesTool(scope, name))) return event;
  const toolCalls = calls.map((call) => (privacy.hidesTool(scope, call.name) ? { ...call, arguments: BLANK } : call));
  return { ...event, reply: { ...event.reply, toolCalls } };
}

function blankReply(reply: RecordedReply): RecordedReply {
  const { toolCalls, reasoning, value, problem, opaqueReasoning: _opaque, logProbs: _logProbs, ...rest } = reply;
  return {
    ...rest,
    text: BLANK,
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.map((call) => ({ ...call, arguments: BLANK })) }),
    ...(reasoning === undefined ? {} : { reasoning: BLANK }),
    ...(value === undefined ? {} : { value: BLANK }),
    ...(problem === undefined ? {} : { problem: BLANK }),
  };
}

function blankFailure({ code, retryable }: Failure): Failure {
  return { code, message: BLANK, retryable };
}

type Asked = Pick<EventOf<'complete'>, 'fp' | 'input'>;

function blankAsked({ fp, input }: Asked): Asked {
  return { ...(fp === undefined ? {} : { fp: BLANK }), ...(input === undefined ? {} : { input: BLANK }) };
}

/** What a run knows about itself holds words of people and values of the code. */
function blankState(state: RunState, privacy: Privacy): RunState {
  const { instructions, pins, best } = state;
  const rejections = privacy.isEmpty ? state.rejections : {}; // by hash: it does not say whose they are
  const told = privacy.hidesAnyScope() ? instructions.map(({ by }) => ({ by, text: BLANK })) : instructions;
  const kept = Object.entries(pins).map(([name, value]) => [name, hidesPin(name, privacy) ? BLANK : value]);
  return { ...state, instructions: told, rejections, pins: Object.fromEntries(kept), ...blankBest(best, privacy) };
}

/** It does not say which scope told it. */
function blankBest(best: RunState['best'], privacy: Privacy): Pick<RunState, 'best'> {
  return { best: best !== null && privacy.hidesAnyScope() ? { value: BLANK } : best };
}

/** A pin's name begins with its scope. */
function hidesPin(name: string, privacy: Privacy): boolean {
  return privacy.hidesScope(name.slice(0, name.indexOf(' ')));
}

/** The run's own end: private as a whole with its root, else only where its rollback tells of private effects. */
function ownOutcome(outcome: Outcome<unknown>, privacy: Privacy): Outcome<unknown> {
  if (privacy.hidesScope('')) return blankOutcome(outcome);
  const hidesWhy = outcome.stop === 'cancelled' && privacy.hidesAnyScope();
  const acts = visibleActs(outcome, privacy);
  const told: Outcome<unknown> = { ...(hidesWhy ? { ...outcome, because: BLANK } : outcome), ...acts };
  if (!('rollback' in told) || told.rollback === undefined) return told;
  return { ...told, rollback: blankReport(told.rollback, privacy) };
}

function visibleActs(outcome: Outcome<unknown>, privacy: Privacy): Pick<Outcome<unknown>, 'acts' | 'actsLeftOut'> {
  return blankActs(outcome, ({ id, generation = 0 }) => privacy.hidesEffect(generation, id));
}

/** That it took place is still told, like its cost; not with what, nor why it did not. */
function blankActs(
  { acts, actsLeftOut }: Outcome<unknown>,
  hides: (act: ActRecord) => boolean,
): Pick<Outcome<unknown>, 'acts' | 'actsLeftOut'> {
  if (acts === undefined) return {};
  const shown = acts.map(({ brief, ...act }): ActRecord => {
    if (brief === undefined) return act;
    return { ...act, brief: hides(act) ? BLANK : brief };
  });
  return actsLeftOut === undefined ? { acts: shown } : { acts: shown, actsLeftOut };
}

function blankOutcome(outcome: Outcome<unknown>): Outcome<unknown> {
  const partial = 'partial' in outcome && outcome.partial !== undefined ? { partial: BLANK } : {};
  const usage = {
    ...(outcome.usage === undefined ? {} : { usage: outcome.usage }),
    ...blankActs(outcome, () => true),
  };
  switch (outcome.stop) {
    case 'done':
      return { stop: 'done', value: BLANK, ...usage };
    case 'degraded':
      return { stop: 'degraded', value: BLANK, because: BLANK, ...usage };
    case 'failed':
      return { stop: 'failed', because: BLANK, failure: blankFailure(outcome.failure), ...partial, ...usage };
    case 'blocked':
    case 'cancelled':
      return { stop: outcome.stop, because: BLANK, ...partial, ...usage };
    case 'bounded': {
      const { reason: _reason, ...bound } = outcome;
      return { ...bound, ...partial, ...usage };
    }
    case 'suspended':
      return { stop: 'suspended', waiting: [], ...usage };
    default:
      return unreachable(outcome);
  }
}

function blankReport(report: RollbackReport, privacy: Privacy): RollbackReport {
  return {
    ...report,
    entries: report.entries.map((entry) =>
      entry.note !== undefined && privacy.hidesEffect(entry.generation, entry.effect)
        ? { ...entry, note: BLANK }
        : entry,
    ),
  };
}

/** Kind and type stay, so that a reader sees that something was left out. */
function blankNote({ event }: EventOf<'note'>): EventOf<'note'>['event'] {
  const type = typeof event['type'] === 'string' ? { type: event['type'] } : {};
  return { kind: event.kind, ...type, content: BLANK, tags: [PRIVATE] };
}
