import { unreachable } from '../core/errors.js';
import type { EventOf, RunEvent } from '../core/events.js';
import type { Outcome } from '../core/outcome.js';
import type { Effect } from './effects.js';
import { baseOf } from './paths.js';
import { type Sentence, say } from './sentence.js';
import { decided, noted, triedAgain } from './told-sentences.js';

/** What an entry says to somebody who has never seen a journal. Undefined for entries that would only be noise. */
export function sentenceFor(event: RunEvent, effect: Effect | undefined): Sentence | undefined {
  switch (event.type) {
    case 'run-start': {
      const from = event.fork === undefined ? '' : `, forked from run ${event.fork.run} after entry ${event.fork.seq}`;
      return say('▶', `started ${event.agent} (version ${event.version})${from}`, event.input);
    }
    case 'generation-start':
      return say('▶', 'went on in a fresh journal with the state handed over', event.input);
    case 'attempt-start':
      return attempt(event);
    case 'run-resume':
      return say('▶', `resumed by ${event.by}${event.budget === undefined ? '' : ' under a larger budget'}`);
    case 'run-pause':
      return say('‖', `paused by ${event.by}`);
    case 'run-end':
      return ended(event.outcome);
    case 'ask-start':
      return say('?', `asking ${event.session} (model ${event.model})${again(event.attempt)}`, event.id);
    case 'ask-end':
      return answered(event, effect);
    case 'intent': {
      const what = event.of === 'undo' ? `undo ${event.name}` : event.name;
      return say('→', `intent to ${what} (${event.class}), key ${event.key}${again(event.attempt)}`, event.input);
    }
    case 'complete':
      return completed(event, effect);
    case 'abort':
      return say('✗', `${effect?.name ?? event.id} did not take place: ${event.failure.message}`, event.id);
    case 'doubt':
      return say('!', `in doubt whether ${event.name} happened: ${event.why}`, event.id);
    case 'spawn-start':
      return say('▸', `child ${event.name} started`, event.input);
    case 'spawn-end':
      return say(
        event.outcome.stop === 'done' ? '✓' : '✗',
        `child ${effect?.name ?? event.id}: ${outcomeText(event.outcome)}`,
      );
    case 'wait-start':
      return waiting(event);
    case 'wait-end':
      return waited(event, effect);
    case 'wait-close':
      return closed(event, effect);
    case 'sleep-start':
      return say('…', `sleeping until ${time(event.due)}`);
    case 'sleep-end':
      return say('✓', 'slept');
    case 'trip':
      return tripped(event);
    case 'cancel':
      return say('■', `cancelled by ${event.by}: ${event.why}`);
    case 'redirect':
      return say('↪', `redirected by ${event.by}: ${event.text}`);
    case 'stuck':
      return say('✗', event.failure?.message ?? 'the agent awaits something that did not go through `run`');
    case 'note':
      return noted(event);
    case 'changed':
      return say('·', `takes the changed path "${event.id}"`);
    case 'pin':
      return say('·', `fixes "${event.name.slice(event.name.indexOf(' ') + 1)}" for the whole run`);
    case 'budget-warning':
      return say(
        '!',
        `budget${where(event.node)}: ${event.axis} at ${percent(event.spent, event.limit)} %`,
        `${amount(event.spent)} of ${amount(event.limit)}`,
      );
    case 'scope-overlap':
      return say(
        '!',
        `effects overlap in scope ${event.path === '' ? '/' : event.path}: give parallel work scopes of its own`,
      );
    case 'guard-refused':
      return say('✗', `refused at ${event.seam}: ${event.why}`, event.id);
    case 'guard-decision':
      return decided(event);
    case 'retry':
      return triedAgain(event);
    case 'signal-refused':
      return say('✗', `signal "${event.name}" refused: ${event.why}`);
    case 'operator-alert':
      return say('!', `operator alert, ${event.alert}: ${event.why}`, event.effect);
    case 'rollback-start':
      return say('↶', `rolling back ${count(event.entries.length, 'effect')}: ${event.why}`);
    case 'rollback-end':
      return rolledBack(event);
    case 'slice-change':
      return say('·', `child ${event.path}: its part of the new budget`);
    case 'call-start': // its end tells it
    case 'generation-end':
      return undefined; // the start of the next one tells it
    default:
      return unreachable(event);
  }
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
      return `stopped at a bound: ${outcome.bound}, limit ${amount(outcome.limit)}${wantedText(outcome)}`;
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
      return say('▶', `woken up (attempt ${nth})`);
    case 'takeover':
      return say('↻', `taken over after a crash (attempt ${nth})`);
    case 'resume':
      return say('▶', `goes on (attempt ${nth})`);
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
  branch: 'what asked has ended',
  bound: 'a bound was reached',
  cancel: 'the run was cancelled',
  end: 'the run has ended',
};

/** Of a signal that nobody waits for any more nobody needs to hear; whoever was asked does. */
function closed({ id, why }: EventOf<'wait-close'>, effect: Effect | undefined): Sentence | undefined {
  const start = effect?.start?.type === 'wait-start' ? effect.start : undefined;
  if (start === undefined || start.kind === 'signal') return undefined;
  return say('·', `nobody is asked about ${actionOf(start)} any more: ${CLOSED_BY[why]}`, id);
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
