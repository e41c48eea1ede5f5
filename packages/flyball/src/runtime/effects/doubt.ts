import type { DoubtRequest } from '../../core/approval.js';
import type { EffectId, EventOf } from '../../core/events.js';
import type { StandardSchema } from '../../core/schema.js';
import type { Verification } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../open-effects.js';
import { type Act, recordFailure, recordUnknown, recordValue } from './act.js';
import { type BodyEnd, runBody } from './effect.js';
import { askingAgain } from './gate.js';
import { subWait, waitUntil } from './wait.js';

const VERIFY_TIMEOUT_MS = 60_000;
const UNKNOWN: Verification<unknown> = { happened: 'unknown' };

/**
 * INTENT without an end: did it happen? Idempotent effects are made again under the same key, unless nobody wants them
 * any more. Otherwise only a
 * `verify` that says yes is believed at once; acting again needs a no *and* an owner proven gone, because an owner
 * that merely lost its lease can wake up and act. Nothing is examined before the INTENT's deadline. The rest is for
 * a person. Answers whether the end is recorded, or the effect is to be made again.
 */
export async function resolveDoubt(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  intent: EventOf<'intent'>,
  ended: BodyEnd<unknown> | undefined,
): Promise<'ended' | 'again'> {
  pending.intended = true;
  // what it was when it was attempted counts: calling it idempotent today does not make it so then
  if (act.class === 'idempotent' && intent.class === 'idempotent')
    return isUnwanted(attempt, pending, act) ? notRepeated(attempt, pending, act, intent, ended) : 'again';
  let why = attempt.recorded.doubts.get(doubtOf(intent));
  if (why === undefined) {
    await untilDeadline(attempt, pending, act, intent, ended);
    const { answer, isSafe } = await look(attempt, pending, act, intent, ended);
    if (answer.happened === 'yes') return happened(attempt, pending, act, answer.result, 'verified');
    if (answer.happened === 'no' && isSafe) return didNotHappen(attempt, pending, act, ended);
    why = whyInDoubt(act, answer);
    attempt.journal.push({ type: 'doubt', id: pending.id, attempt: intent.attempt, name: act.name, why });
  }
  const told = await askPerson(attempt, pending, act, { intent, why });
  return told.happened
    ? happened(attempt, pending, act, told.result, 'person')
    : didNotHappen(attempt, pending, act, undefined);
}

/** Nobody wants it any more, and what repeating it would cause could not be undone. */
function isUnwanted(attempt: Attempt, pending: Pending, act: Act): boolean {
  return pending.closedBy !== undefined && act.rules.compensate === undefined && !attempt.effects.canGoOnLater;
}

/** Not worth asking a person about: what is known of it is said, and a rollback reports it. */
async function notRepeated(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  intent: EventOf<'intent'>,
  ended: BodyEnd<unknown> | undefined,
): Promise<'ended' | 'again'> {
  const { answer, isSafe } = await look(attempt, pending, act, intent, ended);
  if (answer.happened === 'yes') return happened(attempt, pending, act, answer.result, 'verified');
  if (answer.happened === 'no' && isSafe) return didNotHappen(attempt, pending, act, ended);
  recordUnknown(attempt, pending, act, pending.closedBy);
  return 'ended';
}

async function happened(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  result: unknown,
  how: 'verified' | 'person',
): Promise<'ended'> {
  // a result that is told afterwards passes the same guard as one that the effect returns
  recordValue(attempt, pending, act, act.observe === undefined ? result : await act.observe(result), how);
  return 'ended';
}

/** Made again, unless nobody wants it any more or its own body said how it failed. */
function didNotHappen(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  ended: BodyEnd<unknown> | undefined,
): 'ended' | 'again' {
  const failure =
    pending.closedBy ??
    (ended?.ended === 'error' ? ended.error : ended?.ended === 'stopped' ? ended.reason : undefined);
  if (failure === undefined) return 'again';
  recordFailure(attempt, pending, act, failure);
  return 'ended';
}

/** Our own body that has ended cannot act any more; another owner's must be proven gone. */
function nobodyLeft(attempt: Attempt, intent: EventOf<'intent'>, ended: BodyEnd<unknown> | undefined): boolean {
  if (ended !== undefined) return hasEnded(ended);
  const owner = attempt.recorded.intentOwners.get(intent.id);
  return owner !== undefined && attempt.host.isGone(owner);
}

function hasEnded(body: BodyEnd<unknown>): boolean {
  return body.ended !== 'stopped' || body.settled;
}

/** The owner may still be about to act until then. Where it is gone and only a person can tell, nobody is kept waiting. */
function untilDeadline(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  intent: EventOf<'intent'>,
  ended: BodyEnd<unknown> | undefined,
): Promise<void> {
  const hasLeft =
    ended === undefined ? act.rules.verify === undefined && nobodyLeft(attempt, intent, ended) : hasEnded(ended);
  const isOver = attempt.clock.now() >= intent.deadline || hasLeft;
  return isOver ? Promise.resolve() : new Promise((resolve) => waitUntil(attempt, pending, intent.deadline, resolve));
}

/**
 * What the world says, and whether that stands: whoever attempted it must be gone before the look. One that is alive then
 * may act right after it and die, so once it is gone too, a no is asked for again.
 */
async function look(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  intent: EventOf<'intent'>,
  ended: BodyEnd<unknown> | undefined,
): Promise<{ readonly answer: Verification<unknown>; readonly isSafe: boolean }> {
  for (;;) {
    const isSafe = nobodyLeft(attempt, intent, ended);
    const answer = await verify(attempt, pending, act, intent);
    if (answer.happened !== 'no' || isSafe || !nobodyLeft(attempt, intent, ended)) return { answer, isSafe };
  }
}

async function verify(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  intent: EventOf<'intent'>,
): Promise<Verification<unknown>> {
  const { rules } = act;
  if (rules.verify === undefined) return UNKNOWN;
  const looked = await runBody(
    attempt,
    pending,
    { key: intent.key, timeoutMs: VERIFY_TIMEOUT_MS },
    async (how) => (await rules.verify?.(intent.input, how)) ?? UNKNOWN,
  );
  return looked.ended === 'value' ? looked.value : UNKNOWN;
}

async function askPerson(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  { intent, why }: { readonly intent: EventOf<'intent'>; readonly why: string },
): Promise<DoubtAnswer> {
  const end = await subWait(attempt, pending, doubtOf(intent), {
    kind: 'doubt',
    name: intent.attempt === 1 ? `doubt:${pending.id}` : `doubt:${pending.id}:${intent.attempt}`,
    request: {
      action: act.name,
      input: act.input,
      effect: act.class,
      key: intent.key,
      why: `${act.name} was started, but its end was not recorded, and ${why}. Did it happen?`,
    } satisfies DoubtRequest,
    schema: answerSchema as StandardSchema,
    jsonSchema: ANSWER_SCHEMA,
    asking: askingAgain(act, pending),
  });
  return end.payload as DoubtAnswer;
}

/** Each INTENT is doubted on its own: what a person said of one attempt says nothing about the next. */
function doubtOf(intent: EventOf<'intent'>): EffectId {
  return `${intent.id}!doubt${intent.attempt}`;
}

interface DoubtAnswer {
  readonly happened: boolean;
  readonly result?: unknown;
}

const ANSWER_SCHEMA = {
  type: 'object',
  required: ['happened'],
  properties: { happened: { type: 'boolean' }, result: {} },
} as const;

const answerSchema: StandardSchema<unknown, DoubtAnswer> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate: (value) =>
      typeof (value as { readonly happened?: unknown } | null | undefined)?.happened === 'boolean'
        ? { value: value as DoubtAnswer }
        : {
            issues: [
              { message: 'a doubt is answered with { "happened": true, "result": … } or { "happened": false }' },
            ],
          },
  },
};

/** Why nobody but a person can tell. */
function whyInDoubt(act: Act, answer: Verification<unknown>): string {
  if (act.rules.verify === undefined) return 'it cannot be checked automatically';
  if (answer.happened === 'unknown') return 'checking gave no answer';
  return 'a check says that it did not happen, but the process that started it may still be running';
}
