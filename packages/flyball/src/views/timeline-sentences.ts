import { type ByKind, byKind } from '../core/by-kind.js';
import { unreachable } from '../core/errors.js';
import type { EventOf, RunEvent } from '../core/events.js';
import type { Outcome } from '../core/outcome.js';
import type { Effect } from './effects.js';
import { baseOf } from './paths.js';
import { type Sentence, say } from './sentence.js';
import { decided, noted, triedAgain } from './told-sentences.js';

/** What an entry says to somebody who has never seen a journal. Undefined for entries that would only be noise. */
export function sentenceFor(event: RunEvent, effect: Effect | undefined): Sentence | undefined {
  return byKind(SENTENCES, event, effect);
}

const SENTENCES: ByKind<[effect: Effect | undefined], Sentence | undefined> = {
  'run-start': ({ fork, agent, version, input }) => {
    const from = fork === undefined ? '' : `, forked from run ${fork.run} after entry ${fork.seq}`;
    return say('▶', `started ${agent} (version ${version})${from}`, input);
  },
  'generation-start': ({ input }) => say('▶', 'continued in a new journal with the state passed on', input),
  'generation-end': () => undefined, // the start of the next one tells it
  'attempt-start': attempt,
  'run-resume': ({ by, budget }) => say('▶', `resumed by ${by}${budget === undefined ? '' : ' under a larger budget'}`),
  'run-pause': ({ by }) => say('‖', `paused by ${by}`),
  'run-end': ({ outcome }) => ended(outcome),
  'ask-start': ({ id, session, model, attempt: nth }) =>
    say('?', `asking ${session} (model ${model})${again(nth)}`, id),
  'ask-end': answered,
  intent: ({ of, name, class: kind, key, input, attempt: nth }) => {
    const what = of === 'undo' ? `undo ${name}` : name;
    return say('→', `intent to ${what} (${kind}), key ${key}${again(nth)}`, input);
  },
  'call-start': () => undefined, // its end tells it
  complete: completed,
  abort: ({ id, failure }, effect) => say('✗', `${effect?.name ?? id} did not take place: ${failure.message}`, id),
  doubt: ({ id, name, why }) => say('!', `in doubt whether ${name} happened: ${why}`, id),
  'spawn-start': ({ name, input, within }) =>
    within === true ? say('▸', 'a part of the budget begins') : say('▸', `child ${name} started`, input),
  'spawn-end': ({ id, outcome }, effect) =>
    effect?.start?.type === 'spawn-start' && effect.start.within === true
      ? say('▸', `a part of the budget ended: ${outcomeText(outcome)}`)
      : say(outcome.stop === 'done' ? '✓' : '✗', `child ${effect?.name ?? id}: ${outcomeText(outcome)}`),
  'slice-change': ({ path }) => say('·', `child ${path}: its part of the new budget`),
  'wait-start': waiting,
  'wait-end': waited,
  'wait-close': closed,
  'sleep-start': ({ due }) => say('…', `sleeping until ${time(due)}`),
  'sleep-end': () => say('✓', 'slept'),
  post: ({ board, entry }) => say('✎', `posted to the board "${board}"`, entry),
  trip: tripped,
  cancel: ({ by, why }) => say('■', `cancelled by ${by}: ${why}`),
  redirect: ({ by, text }) => say('↪', `redirected by ${by}: ${text}`),
  stuck: ({ failure }) => say('✗', failure?.message ?? 'the agent awaits something that did not go through `run`'),
  note: noted,
  'scope-start': ({ pattern, params, predicted }) => {
    const calls = predicted === undefined ? '' : `, ${callsIn(predicted)} predicted`;
    return say('◆', `${pattern} begins${calls}`, params);
  },
  'scope-end': ({ path, how, learned }) => say('◆', `${patternAt(path)} ended: ${how}`, learned),
  best: ({ value }) => say('↑', 'best so far', value),
  changed: ({ id }) => say('·', `takes the changed path "${id}"`),
  pin: ({ name }) => say('·', `fixes "${name.slice(name.indexOf(' ') + 1)}" for the whole run`),
  'budget-warning': ({ node, axis, spent, limit }) =>
    say('!', `budget${where(node)}: ${axis} at ${percent(spent, limit)} %`, `${amount(spent)} of ${amount(limit)}`),
  'scope-overlap': ({ path }) =>
    say('!', `effects overlap in scope ${path === '' ? '/' : path}: give parallel work scopes of its own`),
  'guard-refused': ({ id, seam, why }) => say('✗', `refused at ${seam}: ${why}`, id),
  'guard-decision': decided,
  retry: triedAgain,
  'signal-refused': ({ name, why }) => say('✗', `signal "${name}" refused: ${why}`),
  'operator-alert': ({ alert, why, effect }) => say('!', `operator alert, ${alert}: ${why}`, effect),
  'rollback-start': ({ entries, why }) => say('↶', `rolling back ${count(entries.length, 'effect')}: ${why}`),
  'rollback-end': rolledBack,
};

function callsIn({ min, max }: { readonly min: number; readonly max: number }): string {
  if (max >= Number.MAX_SAFE_INTEGER) return `at least ${count(min, 'model call')}`; // a part does not say what it makes
  return min === max ? count(min, 'model call') : `${min} to ${count(max, 'model call')}`;
}

/** The scope of a pattern is called after it, with a number: `/selfConsistency.0`. */
function patternAt(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\d+$/, '');
}

function wantedText({ wanted, left }: { readonly wanted?: number; readonly left?: number }): string {
  return wanted === undefined ? '' : ` (the next call may need ${amount(wanted)}, ${amount(left ?? 0)} left)`;
}

/** How a run or a child ended, in a few words. */
export function outcomeText(outcome: Outcome<unknown>): string {
  switch (outcome.stop) {
    case 'done':
      return 'done';
    case 'degraded':
      return `done, but degraded: ${outcome.because}`;
    case 'bounded':
      return `stopped at a limit: ${outcome.bound}, limit ${amount(outcome.limit)}${wantedText(outcome)}`;
    case 'suspended':
      return 'suspended';
    case 'blocked':
    case 'cancelled':
      return `${outcome.stop}: ${outcome.because}`;
    case 'failed':
      return `failed: ${outcome.because} (${outcome.failure.code})`;
    default:
      return unreachable(outcome);
  }
}

export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

function attempt({ why, attempt: nth }: EventOf<'attempt-start'>): Sentence | undefined {
  switch (why) {
    case 'start':
      return undefined; // the run's own start has just been told
    case 'wake':
      return say('▶', `resumed (attempt ${nth})`);
    case 'takeover':
      return say('↻', `resumed after a crash (attempt ${nth})`);
    case 'resume':
      return say('▶', `continues (attempt ${nth})`);
  }
}

function ended(outcome: Outcome<unknown>): Sentence {
  const value = outcome.stop === 'done' || outcome.stop === 'degraded' ? outcome.value : undefined;
  return say(outcome.stop === 'done' ? '✓' : '■', outcomeText(outcome), value);
}

function answered({ id, reply, failure, spent }: EventOf<'ask-end'>, effect: Effect | undefined): Sentence {
  const model = effect?.start?.type === 'ask-start' ? ` (model ${effect.start.model})` : '';
  const asked = `asked ${effect?.name ?? id}${model}`;
  if (reply === undefined) return say('✗', `${asked}: no answer: ${failure?.message ?? 'unknown'}`, id);
  const tools =
    reply.toolCalls === undefined || reply.toolCalls.length === 0
      ? ''
      : `, wants ${reply.toolCalls.map(({ name }) => name).join(', ')}`;
  const tokens = `${spent.tokensIn ?? reply.usage.input} in, ${spent.tokensOut ?? reply.usage.output} out`;
  return say('✓', `${asked}: ${tokens}, ${dollars(reply.costUsd)}${tools}`, reply.text);
}

const HOW = {
  verified: ': it had happened, as a check showed',
  repeated: ', repeated because nobody knew how it had ended',
  person: ': it had happened, a person said',
  simulated: ' (simulated)',
  unknown: '',
} as const;

function completed({ id, result, how, failure }: EventOf<'complete'>, effect: Effect | undefined): Sentence {
  const name = effect?.name ?? id;
  if (how === 'unknown')
    return say('?', `${name} may have taken place: ${failure?.message ?? 'its end is not known'}`, id);
  // a question is pure: what a person said about one in doubt has an INTENT before it
  if (how === 'person' && effect?.start === undefined) return say('✓', `${name} answered by a person`, result);
  const told = how === undefined ? '' : HOW[how];
  if (effect?.verb === 'undo') return say('↶', `${name} undone${told}`, id);
  if (effect?.start === undefined)
    return say('✓', `${effect?.verb === 'call' ? 'called' : 'ran'} ${name}${told}`, result);
  return say('✓', `${name} done${told}`, result);
}

function waiting(event: EventOf<'wait-start'>): Sentence {
  const due = event.due === undefined ? '' : `, until ${time(event.due)}`;
  switch (event.kind) {
    case 'approval':
      return say('…', `waiting for approval of ${actionOf(event)}${due}`, event.request);
    case 'doubt':
      return say('…', `waiting for a person to say whether ${actionOf(event)} happened${due}`, event.request);
    case 'question':
      return say('…', `asking a person: ${promptOf(event)}${due}`, event.request);
    case 'signal':
      return say('…', `waiting for signal "${event.name}"${due}`, event.request);
  }
}

function waited({ id, from, payload, timedOut }: EventOf<'wait-end'>, effect: Effect | undefined): Sentence {
  const start = effect?.start?.type === 'wait-start' ? effect.start : undefined;
  const by = from === undefined ? '' : ` by ${from}`;
  if (timedOut === true) return say('✗', `no answer in time to "${effect?.name ?? id}"`);
  if (start?.kind === 'signal' || start === undefined)
    return say('✓', `signal "${effect?.name ?? id}" received${from === undefined ? '' : ` from ${from}`}`, payload);
  if (start.kind === 'approval') return decision(start, payload, by);
  return say('✓', `answered${by}`, payload);
}

const CLOSED_BY: Readonly<Record<EventOf<'wait-close'>['why'], string>> = {
  branch: 'the part of the run that asked has ended',
  bound: 'a limit was reached',
  cancel: 'the run was cancelled',
  end: 'the run has ended',
};

/** Of a signal that nobody waits for any more nobody needs to hear; whoever was asked does. */
function closed({ id, why }: EventOf<'wait-close'>, effect: Effect | undefined): Sentence | undefined {
  const start = effect?.start?.type === 'wait-start' ? effect.start : undefined;
  if (start === undefined || start.kind === 'signal') return undefined;
  return say('·', `request about ${actionOf(start)} withdrawn: ${CLOSED_BY[why]}`, id);
}

function decision(start: EventOf<'wait-start'>, payload: unknown, by: string): Sentence {
  const { verdict, reason, value, recommended } = (payload ?? {}) as {
    readonly verdict?: unknown;
    readonly reason?: unknown;
    readonly value?: unknown;
    readonly recommended?: unknown;
  };
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  switch (verdict) {
    case 'approve':
      return say('✓', `${actionOf(start)} approved${recommended === true ? ' as recommended' : ''}${by}${why}`);
    case 'reject':
      return say('✗', `${actionOf(start)} rejected${by}${why}`);
    case 'modify':
      return say('↪', `${actionOf(start)} modified${by}${why}`, value);
    case 'escalate':
      return say('↪', `${actionOf(start)} escalated${by}${why}`);
    default:
      return say('✓', `answered${by}`, payload);
  }
}

function promptOf({ request, name }: EventOf<'wait-start'>): string {
  const prompt = (request as { readonly prompt?: unknown } | null | undefined)?.prompt;
  return typeof prompt === 'string' ? prompt : name;
}

/** Gates and doubts name the action in what they show to the person. */
function actionOf({ id, request }: EventOf<'wait-start'>): string {
  const action = (request as { readonly action?: unknown } | null | undefined)?.action;
  return typeof action === 'string' ? action : baseOf(id);
}

function tripped({ node, bound, limit, spent, wanted }: EventOf<'trip'>): Sentence {
  if (bound === 'deadline') return say('■', `budget${where(node)}: past its deadline of ${time(limit)}: stopped`);
  const more = wanted > 0 ? `, ${amount(wanted)} more wanted` : '';
  return say('■', `budget${where(node)}: ${bound} at ${amount(spent)} of ${amount(limit)}${more}: stopped`);
}

function rolledBack({ report }: EventOf<'rollback-end'>): Sentence {
  const undone = report.entries.filter(({ status }) => status === 'COMPENSATED').length;
  const left = report.entries
    .filter(({ status }) => status !== 'COMPENSATED')
    .map(({ name, status }) => `${name} ${status}`);
  const rest = left.length === 0 ? '' : `; ${left.join(', ')}`;
  const attention = report.attention === undefined ? '' : ` (${report.attention})`;
  return say('↶', `rollback: ${count(undone, 'effect')} undone${rest}${attention}`);
}

function again(nth: number): string {
  return nth > 1 ? `, attempt ${nth}` : '';
}

function where(node: string): string {
  return node === '' ? '' : ` of ${node}`;
}

function count(of: number, noun: string): string {
  return `${of} ${noun}${of === 1 ? '' : 's'}`;
}

/** Floor: at 79.9 % nobody should read 80. */
function percent(spent: number, limit: number): number {
  return limit === 0 ? 100 : Math.floor((spent / limit) * 100 + 1e-9);
}

/** Numbers without the noise of binary fractions. */
function amount(of: number): string {
  return String(Number.isInteger(of) ? of : Number(of.toFixed(6)));
}

const LAST_DATE = 8.64e15;

function time(at: number): string {
  return new Date(Math.min(at, LAST_DATE)).toISOString();
}
