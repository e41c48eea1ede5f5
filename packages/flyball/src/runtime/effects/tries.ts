import { Breaker, FIRST_ERA } from '../../core/breaker.js';
import { type Failure, FlyballError, failureOf } from '../../core/errors.js';
import { causesOf } from '../../core/original-code.js';
import { backoffMs, isBrokenOffCode, isEndOfRun, mayPass } from '../../core/retry.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../open-effects.js';
import { randomAt } from '../random-at.js';
import { type Act, type Invocation, triesOf } from './act.js';
import { type BodyEnd, runBody } from './effect.js';

/** The effect itself did not wait for the end of what it had begun. */
const GIVEN_UP: ReadonlySet<unknown> = new Set(['AbortError', 'TimeoutError']);

/** An effect can say itself that it does not know: `throw Object.assign(new Error(…), { inDoubt: true })`. */
export function isInDoubt(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    const { inDoubt, code, name } = cause as { readonly [field: string]: unknown };
    if (typeof inDoubt === 'boolean') return inDoubt; // whoever passes an error on may know more than it says
    if (isBrokenOffCode(code) || GIVEN_UP.has(name)) return true;
  }
  return false;
}

/** As `circuitRefusal`, without being let in: nobody is asked to approve what would not be tried anyway. */
export function circuitIsOpen(attempt: Attempt, act: Act): FlyballError | undefined {
  const breaker = breakerOf(attempt, act);
  const now = attempt.clock.monotonic();
  return breaker?.state(now) === 'open' ? leftAlone(act, breaker.refuses(now) ?? 0) : undefined;
}

/** Why nothing may be tried now, or undefined. */
export function circuitRefusal(attempt: Attempt, act: Act): FlyballError | undefined {
  const waitMs = breakerOf(attempt, act)?.refuses(attempt.clock.monotonic());
  return waitMs === undefined ? undefined : leftAlone(act, waitMs);
}

function leftAlone(act: Act, waitMs: number): FlyballError {
  return new FlyballError(
    'CIRCUIT_OPEN',
    `${act.name} failed several times in a row and is not called for another ${Math.ceil(waitMs / 1000)} s. Do something else in the meantime.`,
    { retryable: true, detail: { tool: act.name, waitMs } },
  );
}

/** Known once a call of the tool has failed. */
function breakerOf({ host }: Attempt, { invocation }: Act): Breaker | undefined {
  return invocation === undefined ? undefined : host.breakers.get(invocation.tool);
}

/** Taken where a try begins: its end is reported with it. A breaker that comes later begins with the first. */
export function eraOf(attempt: Attempt, act: Act): number | undefined {
  return breakerOf(attempt, act)?.era;
}

/** What one try came to, and when it began. */
export interface Try {
  readonly end: BodyEnd<unknown>;
  /** Undefined: the tool had no breaker yet. */
  readonly era: number | undefined;
}

/** How the last try ended, and whether any of them may have acted without an end that says so. */
export interface Tried {
  readonly end: BodyEnd<unknown>;
  readonly mayHaveActed: boolean;
}

export interface TryOptions {
  readonly key: string;
  readonly timeoutMs: number | undefined;
  readonly graceMs?: number;
}

/** After a first try: runs the body again under the same key while it fails in a way that may pass and its policy allows. */
export async function tryAgain(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  options: TryOptions,
  first: Try,
): Promise<Tried> {
  const tries = triesOf(act);
  let mayHaveActed = false;
  let { end, era } = first;
  for (let made = 1; ; made++) {
    const failure = learn(attempt, act, end, era);
    mayHaveActed ||= end.ended === 'stopped' || (end.ended === 'error' && isInDoubt(end.error));
    if (failure === undefined || made >= tries || act.invocation === undefined || pending.closedBy !== undefined)
      return { end, mayHaveActed };
    const delayMs = backoffMs(act.invocation.policy, made - 1, randomAt(`${options.key}~retry${made}`));
    attempt.journal.push({ type: 'retry', id: pending.id, name: act.name, retry: made, delayMs, failure });
    const stopped = await pauseFor(attempt, pending, delayMs);
    if (stopped !== undefined) return { end: { ended: 'stopped', reason: stopped, settled: true }, mayHaveActed };
    const refusal = circuitRefusal(attempt, act);
    if (refusal !== undefined) return { end: { ended: 'error', error: refusal }, mayHaveActed };
    era = eraOf(attempt, act);
    end = await runBody(attempt, pending, options, act.body);
  }
}

/** Tells the breaker how it went; answers the failure when trying again makes sense. */
function learn(attempt: Attempt, act: Act, end: BodyEnd<unknown>, era = FIRST_ERA): Failure | undefined {
  if (end.ended === 'value') {
    breakerOf(attempt, act)?.succeeded(era);
    return undefined;
  }
  const error = end.ended === 'error' ? end.error : end.reason;
  const failure = failureOf(error);
  const again = mayPass(failure) ? failure : undefined;
  if (again === undefined && isAboutTheCall(error, failure)) {
    breakerOf(attempt, act)?.undecided(era);
    return undefined;
  }
  if (act.invocation !== undefined && countFailure(attempt, act.invocation, era))
    attempt.journal.push({ type: 'operator-alert', alert: 'circuit-open', why: `${act.name}: ${failure.message}` });
  return again;
}

/** Whether this failure is the one that opened the circuit. */
function countFailure({ host, clock }: Attempt, { tool, policy }: Invocation, era: number): boolean {
  const breaker = host.breakers.get(tool) ?? new Breaker(policy.breaker);
  host.breakers.set(tool, breaker);
  const now = clock.monotonic();
  const before = breaker.state(now);
  breaker.failed(now, era);
  return breaker.state(now) !== before;
}

/**
 * A failure that says nothing about the health of the tool: the run ended it, or the error says itself that the same
 * call would fail again (`retryable: false`). An error that says nothing counts: a tool that throws whatever it is
 * given is as broken as one that nobody reaches.
 */
function isAboutTheCall(error: unknown, failure: Failure): boolean {
  if (isEndOfRun(failure)) return true;
  for (const cause of causesOf(error)) {
    const { retryable } = cause as { readonly retryable?: unknown };
    if (typeof retryable === 'boolean') return !retryable;
  }
  return false;
}

/** Waits between two tries; answers why when the scope is closed meanwhile. */
function pauseFor(attempt: Attempt, pending: Pending, ms: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const finish = (reason: Error | undefined): void => {
      cancel();
      pending.onAbort = undefined;
      resolve(reason);
    };
    const cancel = attempt.clock.after(ms, () => finish(undefined));
    pending.onAbort = finish;
  });
}
