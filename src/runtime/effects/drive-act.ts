import { FlyballError, JournalConflictError } from '../../core/errors.js';
import type { EventOf } from '../../core/events.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../pending.js';
import { type Act, keyOf, RefusedResult, recordFailure, recordKept, recordValue } from './act.js';
import type { BodyEnd } from './body.js';
import { resolveDoubt } from './doubt.js';
import { needsGate, passGates } from './gate.js';
import { circuitIsOpen, circuitRefusal, DEFAULT_TIMEOUT_MS, longestMs, runTries } from './tries.js';

/** Carries an act to its recorded end: gate, INTENT, body, COMPLETE or ABORT, and the resolution of doubts on the way. */
export async function driveAct(attempt: Attempt, pending: Pending, proposed: Act): Promise<void> {
  let act = proposed;
  let intent = lastIntent(attempt, pending);
  if (intent === undefined) {
    if (act.class !== 'pure' && attempt.lineage.fork?.live === false) return await simulate(attempt, pending, act);
    if (needsGate(attempt, act)) {
      const refusal = circuitIsOpen(attempt, act);
      if (refusal !== undefined) return recordFailure(attempt, pending, act, refusal);
      const passed = await passGatesOrFail(attempt, pending, act);
      if (passed === undefined) return;
      act = passed;
    }
    if (act.class === 'pure') return drivePure(attempt, pending, act);
  }
  for (let ended: BodyEnd<unknown> | undefined; ; ) {
    if (intent !== undefined && (await resolveDoubt(attempt, pending, act, intent, ended)) === 'ended') return;
    if (pending.closedBy !== undefined && !pending.intended) return attempt.drop(pending);
    if (act.class === 'idempotent' && attempt.canGoOnLater) return attempt.leaveOpen(pending);
    // numbers go on from every INTENT there ever was, so that no answer about an earlier one is taken for this one
    const before = (intent ?? attempt.recorded.intents.get(pending.id))?.attempt ?? 0;
    const made = await makeOnce(attempt, pending, act, before + 1);
    if (made === 'ended') return;
    ({ intent, ended } = made);
  }
}

/** A request for approval that cannot be stored is a failure of the effect, not of the run. */
async function passGatesOrFail(attempt: Attempt, pending: Pending, act: Act): Promise<Act | undefined> {
  try {
    return await passGates(attempt, pending, act);
  } catch (error) {
    recordFailure(attempt, pending, act, error);
    return undefined;
  }
}

function lastIntent(attempt: Attempt, pending: Pending): EventOf<'intent'> | undefined {
  const own = attempt.recorded.starts.get(pending.id)?.findLast((entry) => entry.inherited === undefined)?.event;
  return own?.type === 'intent' ? own : undefined;
}

async function drivePure(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  const refusal = circuitRefusal(attempt, act);
  if (refusal !== undefined) return recordFailure(attempt, pending, act, refusal);
  const end = await runTries(attempt, pending, act, {
    key: keyOf(attempt, pending),
    timeoutMs: act.rules.timeoutMs ?? (act.of === 'call' ? DEFAULT_TIMEOUT_MS : undefined),
  });
  if (pending.closedBy !== undefined) return attempt.drop(pending);
  if (end.ended === 'value') recordValue(attempt, pending, act, end.value);
  else recordFailure(attempt, pending, act, errorOf(end));
}

type Doubtful = { readonly intent: EventOf<'intent'>; readonly ended: BodyEnd<unknown> };

/** Writes INTENT, makes it durable, and only then acts. */
async function makeOnce(attempt: Attempt, pending: Pending, act: Act, nth: number): Promise<'ended' | Doubtful> {
  const isOpen = circuitIsOpen(attempt, act);
  if (isOpen !== undefined) return failed(attempt, pending, act, isOpen);
  const timeoutMs = act.rules.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const intent: EventOf<'intent'> = {
    type: 'intent',
    id: pending.id,
    fp: pending.fp,
    of: act.of,
    name: act.name,
    class: act.class,
    ...(act.rules.compensate === undefined ? {} : { undo: true as const }),
    key: keyOf(attempt, pending),
    input: act.input,
    deadline: attempt.host.clock.now() + longestMs(act),
    reserved: pending.reserved ?? {},
    attempt: nth,
  };
  try {
    attempt.push(intent);
  } catch (error) {
    recordFailure(attempt, pending, act, error); // an input that cannot be stored was never acted on
    return 'ended';
  }
  pending.intended = true;
  await attempt.barrier();
  // the commit may have taken long enough for the lease to pass on: then somebody else decides about this INTENT
  if (!attempt.host.leaseHolds(attempt)) {
    attempt.fail(new JournalConflictError(attempt.runId, `the lease ended before ${act.name} was attempted.`));
    return 'ended';
  }
  // an idempotent effect that may have happened is repeated even for nobody: only then it is known, and can be undone
  if (pending.closedBy !== undefined && nth === 1) return failed(attempt, pending, act, pending.closedBy);
  // let in only now: whoever is let in as the trial has to come to an end
  const refusal = circuitRefusal(attempt, act);
  if (refusal !== undefined) return failed(attempt, pending, act, refusal);
  const ended = await runTries(attempt, pending, act, { key: intent.key, timeoutMs });
  if (ended.ended === 'value') {
    recordValue(attempt, pending, act, ended.value, nth > 1 ? 'repeated' : undefined);
    return 'ended';
  }
  if (act.class === 'idempotent' && ended.ended === 'stopped' && attempt.canGoOnLater) {
    attempt.leaveOpen(pending);
    return 'ended';
  }
  if (act.class === 'idempotent' && ended.ended === 'stopped' && act.rules.compensate !== undefined) {
    // it may have happened: kept as done with this failure, so that a rollback asserts the state before it
    recordValue(attempt, pending, act, new RefusedResult(ended.reason));
    return 'ended';
  }
  // repeating an idempotent effect is harmless, so calling it failed is honest enough
  if (act.class === 'idempotent' || (ended.ended === 'error' && !isInDoubt(ended.error))) {
    return failed(attempt, pending, act, errorOf(ended));
  }
  return { intent, ended };
}

function failed(attempt: Attempt, pending: Pending, act: Act, error: unknown): 'ended' {
  recordFailure(attempt, pending, act, error);
  return 'ended';
}

/** In a fork that is not live: what the effect declares, else what the parent got at the same place, else nothing. */
async function simulate(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  const parents = attempt.lineage.fork?.later.get(pending.id);
  if (act.rules.simulate !== undefined) {
    await simulateAs(attempt, pending, act);
  } else if (parents?.fp === pending.fp) {
    recordKept(attempt, pending, act, { result: parents.end.result }, 'simulated'); // as guards let it pass then
  } else {
    const message = `${act.name} changes the world and this fork is not live. Declare \`simulate\`, or fork with live: true.`;
    recordFailure(attempt, pending, act, new FlyballError('NOT_SIMULATED', message));
  }
}

async function simulateAs(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  try {
    const value = act.rules.simulate?.(act.input);
    recordValue(attempt, pending, act, act.observe === undefined ? value : await act.observe(value), 'simulated');
  } catch (error) {
    recordFailure(attempt, pending, act, error);
  }
}

function errorOf(end: BodyEnd<unknown>): unknown {
  return end.ended === 'error' ? end.error : end.ended === 'stopped' ? end.reason : undefined;
}

/** The connection broke after something may have been sent: whoever was at the other end may have acted. */
const BROKEN_OFF = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE', 'UND_ERR_SOCKET']);

/** An effect can say itself that it does not know: `throw Object.assign(new Error(…), { inDoubt: true })`. */
function isInDoubt(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { inDoubt, code } = error as { readonly inDoubt?: unknown; readonly code?: unknown };
  return inDoubt === true || (typeof code === 'string' && BROKEN_OFF.has(code));
}
