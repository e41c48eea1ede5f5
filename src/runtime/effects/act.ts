import { type Amounts, AXES } from '../../core/budget.js';
import { EffectError, failureOf, FlyballError } from '../../core/errors.js';
import type { EventOf } from '../../core/events.js';
import type { EffectClass, EffectContext, EffectKind, EffectRules } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../pending.js';
import type { EndEvent } from '../recorded.js';
import { type BodyEnd, runBody } from './body.js';
import { resolveDoubt } from './doubt.js';
import { passGate, passLiveForkGate } from './gate.js';

/** A step or a tool call, made ready: what to run, and what repeating or undoing it means. */
export interface Act {
  readonly of: 'call' | 'step';
  readonly name: string;
  readonly class: EffectKind;
  readonly input: unknown;
  readonly why: string | undefined;
  readonly rules: EffectRules<unknown, unknown>;
  readonly body: (how: EffectContext) => Promise<unknown> | unknown;
  /** The form in which a result is kept in the journal. */
  readonly keep: (value: unknown) => unknown;
  /** The result back from what is kept. */
  readonly restore: (kept: unknown) => unknown;
}

const DEFAULT_TIMEOUT_MS = 60_000;

export function rulesOf<A, T>(effect: EffectClass<A, T>): {
  readonly class: EffectKind;
  readonly why: string | undefined;
  readonly rules: EffectRules<unknown, unknown>;
} {
  if (typeof effect === 'string') return { class: effect, why: undefined, rules: {} };
  const { class: kind, ...rules } = effect;
  return { class: kind, why: 'why' in effect ? effect.why : undefined, rules: rules as EffectRules<unknown, unknown> };
}

/** Carries an act to its recorded end: gate, INTENT, body, COMPLETE or ABORT, or the resolution of a doubt. */
export async function driveAct(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  const intents = (attempt.recorded.starts.get(pending.id) ?? []).filter((entry) => entry.event.type === 'intent' && !entry.inherited);
  const open = intents.at(-1)?.event as EventOf<'intent'> | undefined;
  if (open !== undefined) return resolveDoubt(attempt, pending, act, open);
  if (act.class === 'pure') return drivePure(attempt, pending, act);
  if (attempt.simulates) return simulate(attempt, pending, act);
  if (!(await passLiveForkGate(attempt, pending, act)) || !(await passGate(attempt, pending, act))) return;
  await execute(attempt, pending, act, 1);
}

async function drivePure(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  const end = await runBody(attempt, pending, { key: keyOf(attempt, pending), timeoutMs: act.rules.timeoutMs }, act.body);
  if (pending.closedBy !== undefined) return attempt.drop(pending);
  const identity = { fp: pending.fp, of: act.of, name: act.name } as const;
  if (end.ended === 'value') recordValue(attempt, pending, act, end.value, identity);
  else {
    const failure = failureOf(end.ended === 'error' ? end.error : end.reason);
    attempt.record({ type: 'abort', id: pending.id, ...identity, failure, ...spentOf(pending, undefined) });
  }
}

/** Writes INTENT, makes it durable, and only then acts. */
export async function execute(attempt: Attempt, pending: Pending, act: Act, nth: number): Promise<void> {
  if (pending.closedBy !== undefined) return pending.intended ? abandon(attempt, pending, pending.closedBy) : attempt.drop(pending);
  const timeoutMs = act.rules.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const key = keyOf(attempt, pending);
  const intent: EventOf<'intent'> = {
    type: 'intent',
    id: pending.id,
    fp: pending.fp,
    of: act.of,
    name: act.name,
    class: act.class,
    ...(act.rules.compensate === undefined ? {} : { undo: true as const }),
    key,
    input: act.input,
    deadline: attempt.host.clock.now() + timeoutMs,
    reserved: pending.reserved ?? {},
    attempt: nth,
    owner: attempt.host.me,
  };
  try {
    attempt.push(intent);
  } catch (error) {
    return attempt.record({ type: 'abort', id: pending.id, fp: pending.fp, of: act.of, name: act.name, failure: failureOf(error), ...spentOf(pending, undefined) });
  }
  pending.intended = true;
  await attempt.barrier();
  // the commit may have taken long enough for the lease to pass on: then somebody else decides about this INTENT
  if (!attempt.host.leaseHolds(attempt)) return attempt.fail(new FlyballError('JOURNAL_CONFLICT', `Run ${attempt.runId}: the lease ended before ${act.name} was attempted.`));
  if (pending.closedBy !== undefined) return abandon(attempt, pending, pending.closedBy);
  const end = await runBody(attempt, pending, { key, timeoutMs }, act.body);
  await endIntent(attempt, pending, act, intent, end);
}

async function endIntent(attempt: Attempt, pending: Pending, act: Act, intent: EventOf<'intent'>, end: BodyEnd<unknown>): Promise<void> {
  if (end.ended === 'value') return recordValue(attempt, pending, act, end.value, intent.attempt > 1 ? { how: 'repeated' } : {});
  if (end.ended === 'error' && !isInDoubt(end.error)) return abandon(attempt, pending, end.error);
  // repeating an idempotent effect is harmless, so failing it is honest enough
  if (act.class === 'idempotent') return abandon(attempt, pending, end.ended === 'error' ? end.error : end.reason);
  await resolveDoubt(attempt, pending, act, intent, end);
}

/** ABORT: the effect did not take place. */
export function abandon(attempt: Attempt, pending: Pending, error: unknown): void {
  attempt.record({ type: 'abort', id: pending.id, failure: failureOf(error), ...spentOf(pending, undefined) });
}

export function recordValue(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  value: unknown,
  identity: { readonly fp?: string; readonly of?: 'call' | 'step'; readonly name?: string; readonly how?: EventOf<'complete'>['how'] & string },
): void {
  const { result, spent } = unwrapChanged(value);
  try {
    attempt.record({ type: 'complete', id: pending.id, ...identity, result: act.keep(result), ...spentOf(pending, spent) });
  } catch (error) {
    // the effect took place but its result cannot be kept: that is a failure the code sees, not a second execution
    attempt.record({ type: 'abort', id: pending.id, ...identity, failure: failureOf(error), ...spentOf(pending, spent) } as EventOf<'abort'>);
  }
}

function unwrapChanged(value: unknown): { readonly result: unknown; readonly spent: Partial<Amounts> | undefined } {
  if (typeof value === 'object' && value !== null && '$changed' in value && 'value' in value) {
    return { result: value.value, spent: value.$changed as Partial<Amounts> };
  }
  return { result: value, spent: undefined };
}

/** What a call costs: what it reported, else what was reserved for it. */
function spentOf(pending: Pending, reported: Partial<Amounts> | undefined): { readonly spent?: Partial<Amounts> } {
  if (pending.kind !== 'call') return reported === undefined ? {} : { spent: reported };
  const spent: Record<string, number> = { toolCalls: 1 };
  for (const axis of AXES) if (reported?.[axis] !== undefined) spent[axis] = reported[axis];
  return { spent };
}

async function simulate(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  const inherited = await attempt.parentResult(pending.id, pending.fp);
  const identity = { fp: pending.fp, of: act.of, name: act.name, how: 'simulated' as const };
  if (act.rules.simulate !== undefined) return recordValue(attempt, pending, act, act.rules.simulate(act.input), identity);
  if (inherited !== undefined) return recordValue(attempt, pending, act, act.restore(inherited.result), identity);
  attempt.record({
    type: 'abort',
    id: pending.id,
    fp: pending.fp,
    of: act.of,
    name: act.name,
    failure: {
      code: 'NOT_SIMULATED',
      message: `${act.name} changes the world and this fork is not live. Declare \`simulate\`, or fork with live: true.`,
      retryable: false,
    },
    ...spentOf(pending, undefined),
  });
}

/** Registers how to undo a finished effect, live and on replay alike. */
export function learnCompensation(attempt: Attempt, act: Act, end: EndEvent): void {
  const { compensate } = act.rules;
  const intent = attempt.intents.get(end.id);
  if (compensate === undefined || intent === undefined || end.type !== 'complete' || end.how === 'simulated') return;
  const { input } = intent;
  attempt.compensators.set(`${attempt.generation}:${end.id}`, (how) => compensate(input, act.restore(end.result), how));
}

export function effectError(end: EventOf<'abort'>): EffectError {
  return new EffectError(end.failure);
}

export function keyOf(attempt: Attempt, pending: Pending): string {
  return `${attempt.runId}:${attempt.generation}:${pending.id}`;
}

/** An effect can say itself that it does not know: `throw Object.assign(new Error(…), { inDoubt: true })`. */
function isInDoubt(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { inDoubt?: unknown }).inDoubt === true;
}
