import { EffectError, FlyballError, JournalConflictError } from '../../core/errors.js';
import type { EventOf } from '../../core/events.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../open-effects.js';
import {
  type Act,
  DEFAULT_TIMEOUT_MS,
  hasFailedBefore,
  isAskedAlready,
  longestMs,
  needsGate,
  recordCutOff,
  recordFailure,
  recordKept,
  recordUnknown,
  recordValue,
} from './act.js';
import { resolveDoubt } from './doubt.js';
import { type BodyEnd, keyOf, runBody } from './effect.js';
import { isRejected, passGates } from './gate.js';
import { circuitIsOpen, circuitRefusal, eraOf, isInDoubt, type Tried, type TryOptions, tryAgain } from './tries.js';

/** Carries an act to its recorded end: gate, INTENT, body, COMPLETE or ABORT, and the resolution of doubts on the way. */
export function driveAct(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  const intent = lastIntent(attempt, pending);
  if (intent !== undefined) return carryOut(attempt, pending, act, intent);
  if (act.class !== 'pure' && isStoodIn(attempt, pending)) return simulate(attempt, pending, act);
  const mayBeRejected = attempt.journal.state.hasRejections && !isAskedAlready(attempt, `${pending.id}!gate`);
  if (mayBeRejected && isRejected(attempt, pending, act)) return Promise.resolve();
  return needsGate(attempt, act) ? driveGated(attempt, pending, act) : drivePassed(attempt, pending, act);
}

async function driveGated(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  const refusal = refusedBy(circuitIsOpen, attempt, act);
  if (refusal !== undefined) return recordFailure(attempt, pending, act, refusal);
  const passed = await passGatesOrFail(attempt, pending, act);
  if (passed !== undefined) await drivePassed(attempt, pending, passed);
}

/** Nobody has to agree to it, or somebody has. */
function drivePassed(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  return act.class === 'pure' ? drivePure(attempt, pending, act) : carryOut(attempt, pending, act, undefined);
}

/** From an INTENT of earlier, or from none yet, to the end. */
async function carryOut(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  given: EventOf<'intent'> | undefined,
): Promise<void> {
  let intent = given;
  for (let ended: BodyEnd<unknown> | undefined; ; ) {
    if (intent !== undefined && (await resolveDoubt(attempt, pending, act, intent, ended)) === 'ended') return;
    if (attempt.life.isCancelling && !pending.intended) await attempt.life.whenCancelled();
    if (pending.closedBy !== undefined && !pending.intended) return attempt.effects.drop(pending);
    if (act.class === 'idempotent' && attempt.effects.canGoOnLater) return leaveOpen(attempt, pending, act, intent);
    // numbers go on from every INTENT there ever was, so that no answer about an earlier one is taken for this one
    const before = (intent ?? attempt.recorded.intents.get(pending.id))?.attempt ?? 0;
    const made = await makeOnce(attempt, pending, act, before + 1);
    if (made === 'ended') return;
    ({ intent, ended } = made);
  }
}

/** The run can go on later, and repeats it then; should it not go on after all, this goes on from here. */
function leaveOpen(attempt: Attempt, pending: Pending, act: Act, intent: EventOf<'intent'> | undefined): void {
  attempt.effects.leaveOpen(pending, () => carryOut(attempt, pending, act, intent));
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
  if (pending.closedBy !== undefined) return attempt.effects.drop(pending);
  const refusal = refusedBy(circuitRefusal, attempt, act);
  if (refusal !== undefined) return recordFailure(attempt, pending, act, refusal);
  if (act.of === 'call') attempt.admission.beginCall(pending, act.name);
  const { end } = await attemptAct(attempt, pending, act, {
    key: keyOf(attempt, pending),
    timeoutMs: act.rules.timeoutMs ?? (act.of === 'call' ? DEFAULT_TIMEOUT_MS : undefined),
  });
  if (pending.closedBy !== undefined && !pending.begun) return attempt.effects.drop(pending);
  if (end.ended === 'value') recordValue(attempt, pending, act, end.value);
  else if (pending.closedBy !== undefined) recordCutOff(attempt, pending, act);
  else recordFailure(attempt, pending, act, errorOf(end));
}

type Doubtful = { readonly intent: EventOf<'intent'>; readonly ended: BodyEnd<unknown> };

/** Writes INTENT, makes it durable, and only then acts. */
async function makeOnce(attempt: Attempt, pending: Pending, act: Act, nth: number): Promise<'ended' | Doubtful> {
  // what is not repeatable is only made again once it is known not to have happened
  const wasAttempted = nth > 1 && act.class === 'idempotent';
  const isOpen = refusedBy(circuitIsOpen, attempt, act);
  if (isOpen !== undefined) return failed(attempt, pending, act, isOpen, wasAttempted);
  const timeoutMs = act.rules.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const graceMs = attempt.host.options.settleMs;
  const intent = intentOf(attempt, pending, act, nth);
  try {
    attempt.journal.push(intent);
  } catch (error) {
    recordFailure(attempt, pending, act, error); // an input that cannot be stored was never acted on
    return 'ended';
  }
  pending.intended = true;
  await attempt.journal.barrier();
  // the commit may have taken long enough for the run to pass on: then somebody else decides about this INTENT
  if (!attempt.life.mayBegin(intent) && !(await attempt.life.regainsLease())) {
    attempt.life.fail(new JournalConflictError(attempt.runId, `the lease ended before ${act.name} was attempted.`));
    return 'ended';
  }
  // what may have happened and can be undone is repeated even for nobody: only then its result is known
  const isWanted = pending.closedBy === undefined || (wasAttempted && act.rules.compensate !== undefined);
  if (!isWanted) return failed(attempt, pending, act, pending.closedBy, wasAttempted);
  // let in only now: whoever is let in as the trial has to come to an end
  const refusal = refusedBy(circuitRefusal, attempt, act);
  if (refusal !== undefined) return failed(attempt, pending, act, refusal, wasAttempted);
  const { end: ended, mayHaveActed } = await attemptAct(attempt, pending, act, { key: intent.key, timeoutMs, graceMs });
  if (ended.ended === 'value') {
    recordValue(attempt, pending, act, ended.value, nth > 1 ? 'repeated' : undefined);
    return 'ended';
  }
  if (act.class === 'idempotent' && ended.ended === 'stopped' && attempt.effects.canGoOnLater) {
    leaveOpen(attempt, pending, act, intent);
    return 'ended';
  }
  // repeating it is harmless, so nobody is asked; but what may have happened is not said to have failed
  if (act.class === 'idempotent') return failed(attempt, pending, act, errorOf(ended), wasAttempted || mayHaveActed);
  if (ended.ended === 'error' && !isInDoubt(ended.error)) return failed(attempt, pending, act, ended.error, false);
  return { intent, ended };
}

/** Nothing keeps a tool back of which no call has failed. */
function refusedBy(circuit: typeof circuitRefusal, attempt: Attempt, act: Act): FlyballError | undefined {
  return hasFailedBefore(attempt, act) ? circuit(attempt, act) : undefined;
}

/** Most acts succeed at once: only what fails, or failed before, is tried again or held against its tool. */
function attemptAct(attempt: Attempt, pending: Pending, act: Act, options: TryOptions): Promise<Tried> {
  const era = hasFailedBefore(attempt, act) ? eraOf(attempt, act) : undefined;
  return runBody(attempt, pending, options, act.body).then((end) =>
    end.ended === 'value' && !hasFailedBefore(attempt, act)
      ? { end, mayHaveActed: false }
      : tryAgain(attempt, pending, act, options, { end, era }),
  );
}

function intentOf(attempt: Attempt, pending: Pending, act: Act, nth: number): EventOf<'intent'> {
  return {
    type: 'intent',
    id: pending.id,
    fp: pending.fp,
    of: act.of,
    name: act.name,
    class: act.class,
    ...(act.rules.compensate === undefined ? undefined : { undo: true as const }),
    ...(act.rules.records === true ? { records: true as const } : undefined),
    key: keyOf(attempt, pending),
    input: act.input,
    deadline: attempt.clock.now() + longestMs(act, attempt.host.options.settleMs),
    reserved: pending.reserved ?? {},
    attempt: nth,
  };
}

function failed(attempt: Attempt, pending: Pending, act: Act, error: unknown, mayHaveActed: boolean): 'ended' {
  if (mayHaveActed) recordUnknown(attempt, pending, act, error);
  else recordFailure(attempt, pending, act, error);
  return 'ended';
}

/** Nothing goes out from a fork that is not live, nor from a child in a simulated world. */
function isStoodIn({ lineage }: Attempt, { scope }: Pending): boolean {
  return lineage.fork?.live === false || scope.world !== undefined;
}

/** What the effect declares, else what a fork's parent got at the same place, else nothing. */
async function simulate(attempt: Attempt, pending: Pending, act: Act): Promise<void> {
  const later = attempt.lineage.fork?.later.get(pending.id);
  // why the parent's was cut off says nothing here: nobody cut off the fork's
  const parents = later?.end.how === 'unknown' ? undefined : later;
  if (act.rules.simulate !== undefined) {
    await simulateAs(attempt, pending, act);
  } else if (parents?.fp === pending.fp && parents.end.failure !== undefined) {
    recordFailure(attempt, pending, act, new EffectError(parents.end.failure)); // there is no result to repeat
  } else if (parents?.fp === pending.fp) {
    recordKept(attempt, pending, act, { result: parents.end.result }, 'simulated'); // as guards let it pass then
  } else {
    const message =
      pending.scope.world !== undefined
        ? `${act.name} changes the world and this child is simulated. Declare \`simulate\` to stand in for it.`
        : `${act.name} changes the world and this fork is not live. Declare \`simulate\`, or fork with live: true.`;
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
