import type { EventOf } from '../../core/events.js';
import type { StandardSchema } from '../../core/schema.js';
import type { EffectContext, Verification } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../pending.js';
import { type Act, abandon, execute, recordValue } from './act.js';
import { type BodyEnd, runBody } from './body.js';
import { subWait, waitUntil } from './wait.js';

/**
 * INTENT without an end: did it happen? Idempotent effects run again under the same key. Otherwise only a `verify`
 * that says yes is believed at once; acting again needs a no *and* an owner proven gone, because an owner that merely
 * lost its lease can wake up and act. Nothing is examined before the INTENT's deadline. The rest is for a person.
 */
export async function resolveDoubt(attempt: Attempt, pending: Pending, act: Act, intent: EventOf<'intent'>, ended?: BodyEnd<unknown>): Promise<void> {
  pending.intended = true;
  if (act.class === 'idempotent') return execute(attempt, pending, act, intent.attempt + 1);
  if (!attempt.recorded.doubts.has(doubtOf(intent))) {
    await untilDeadline(attempt, pending, intent, ended);
    const answer = await verify(attempt, pending, act, intent);
    if (answer.happened === 'yes') return recordValue(attempt, pending, act, answer.result, { how: 'verified' });
    // our own body that has ended cannot act any more; another owner's must be proven gone
    const nobodyLeft = ended === undefined ? attempt.host.isGone(intent.owner) : ended.ended !== 'stopped' || ended.settled;
    if (answer.happened === 'no' && nobodyLeft) {
      if (pending.closedBy !== undefined) return abandon(attempt, pending, pending.closedBy);
      if (ended !== undefined) return abandon(attempt, pending, ended.ended === 'error' ? ended.error : reasonOf(ended));
      return execute(attempt, pending, act, intent.attempt + 1);
    }
    attempt.push({ type: 'doubt', id: pending.id, attempt: intent.attempt, name: act.name, why: whyInDoubt(answer, nobodyLeft, act) });
  }
  await askPerson(attempt, pending, act, intent);
}

async function askPerson(attempt: Attempt, pending: Pending, act: Act, intent: EventOf<'intent'>): Promise<void> {
  const end = await subWait(attempt, pending, doubtOf(intent), {
    kind: 'doubt',
    name: intent.attempt === 1 ? `doubt:${pending.id}` : `doubt:${pending.id}:${intent.attempt}`,
    request: { action: act.name, input: act.input, key: intent.key, question: 'Did this happen?' },
    schema: answerSchema as StandardSchema,
    jsonSchema: ANSWER_SCHEMA,
  });
  const answer = end.payload as DoubtAnswer;
  if (answer.happened) return recordValue(attempt, pending, act, answer.result, { how: 'person' });
  if (pending.closedBy !== undefined) return abandon(attempt, pending, pending.closedBy);
  await execute(attempt, pending, act, intent.attempt + 1);
}

/** Each INTENT is doubted on its own: what a person said of one attempt says nothing about the next. */
function doubtOf(intent: EventOf<'intent'>): string {
  return `${intent.id}!doubt${intent.attempt}`;
}

export interface DoubtAnswer {
  readonly happened: boolean;
  readonly result?: unknown;
}

export const ANSWER_SCHEMA = {
  type: 'object',
  required: ['happened'],
  properties: { happened: { type: 'boolean' }, result: {} },
} as const;

const answerSchema: StandardSchema<unknown, DoubtAnswer> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate: (value) =>
      typeof (value as { happened?: unknown } | null | undefined)?.happened === 'boolean'
        ? { value: value as DoubtAnswer }
        : { issues: [{ message: 'a doubt is answered with { "happened": true, "result": … } or { "happened": false }' }] },
  },
};

/** The owner may still be about to act until then; when our own body has ended there is nobody to wait for. */
function untilDeadline(attempt: Attempt, pending: Pending, intent: EventOf<'intent'>, ended: BodyEnd<unknown> | undefined): Promise<void> {
  if (attempt.host.clock.now() >= intent.deadline || (ended !== undefined && ended.ended !== 'stopped')) return Promise.resolve();
  if (ended?.ended === 'stopped' && ended.settled) return Promise.resolve();
  return new Promise((resolve) => waitUntil(attempt, pending, intent.deadline, resolve));
}

async function verify(attempt: Attempt, pending: Pending, act: Act, intent: EventOf<'intent'>): Promise<Verification<unknown>> {
  const ask = act.rules.verify;
  if (ask === undefined) return { happened: 'unknown' };
  const looked = await runBody(attempt, pending, { key: intent.key, timeoutMs: 60_000 }, (how: EffectContext) => ask(intent.input, how));
  return looked.ended === 'value' ? looked.value : { happened: 'unknown' };
}

function reasonOf(ended: BodyEnd<unknown>): Error {
  return ended.ended === 'stopped' ? ended.reason : new Error('stopped');
}

function whyInDoubt(answer: Verification<unknown>, nobodyLeft: boolean, act: Act): string {
  if (act.rules.verify === undefined) return 'it was attempted, its end is not recorded, and it declares no way to verify it';
  if (answer.happened === 'unknown') return 'it was attempted, its end is not recorded, and verifying it gave no answer';
  return nobodyLeft ? 'it was attempted and its end is not recorded' : 'verifying says no, but whoever attempted it may still be alive and act';
}
