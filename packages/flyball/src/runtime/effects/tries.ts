import { type Failure, FlyballError, failureOf } from '../../core/errors.js';
import { causesOf } from '../../core/original-code.js';
import { backoffMs, isBrokenOffCode, isEndOfRun, mayPass } from '../../core/retry.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../open-effects.js';
import { randomAt } from '../random-at.js';
import type { Act } from './act.js';
import { type BodyEnd, runBody } from './effect.js';

export const DEFAULT_TIMEOUT_MS = 60_000;

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

/** The longest an act can take, waits between its tries included: until then its owner may still be about to act. */
export function longestMs(act: Act, graceMs: number): number {
  const timeoutMs = (act.rules.timeoutMs ?? DEFAULT_TIMEOUT_MS) + graceMs;
  const tries = triesOf(act);
  return tries * timeoutMs + (tries - 1) * (act.invocation?.policy.maxDelayMs ?? 0);
}

/** Only what may be repeated is ever tried again by itself: anything else is in doubt after a failure. */
function triesOf(act: Act): number {
  const repeatable = act.class === 'pure' || act.class === 'idempotent';
  return repeatable && act.invocation !== undefined ? 1 + act.invocation.policy.retries : 1;
}

/** As `circuitRefusal`, without being let in: nobody is asked to approve what would not be tried anyway. */
export function circuitIsOpen(attempt: Attempt, act: Act): FlyballError | undefined {
  const { breaker } = act.invocation ?? {};
  const now = attempt.clock.monotonic();
  return breaker?.state(now) === 'open' ? leftAlone(act, breaker.refuses(now) ?? 0) : undefined;
}

/** Why nothing may be tried now, or undefined. */
export function circuitRefusal(attempt: Attempt, act: Act): FlyballError | undefined {
  const waitMs = act.invocation?.breaker.refuses(attempt.clock.monotonic());
  return waitMs === undefined ? undefined : leftAlone(act, waitMs);
}

function leftAlone(act: Act, waitMs: number): FlyballError {
  return new FlyballError(
    'CIRCUIT_OPEN',
    `${act.name} failed several times in a row and is not called for another ${Math.ceil(waitMs / 1000)} s. Do something else in the meantime.`,
    { retryable: true, detail: { tool: act.name, waitMs } },
  );
}

/** How the last try ended, and whether any of them may have acted without an end that says so. */
export interface Tried {
  readonly end: BodyEnd<unknown>;
  readonly mayHaveActed: boolean;
}

/** Runs the body, and again under the same key while it fails in a way that may pass and its policy allows. */
export async function runTries(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  options: { readonly key: string; readonly timeoutMs: number | undefined; readonly graceMs?: number },
): Promise<Tried> {
  const tries = triesOf(act);
  let mayHaveActed = false;
  for (let made = 1; ; made++) {
    const era = act.invocation?.breaker.era;
    const end = await runBody(attempt, pending, options, act.body);
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
  }
}

/** Tells the breaker how it went; answers the failure when trying again makes sense. */
function learn(attempt: Attempt, act: Act, end: BodyEnd<unknown>, era: number | undefined): Failure | undefined {
  const breaker = act.invocation?.breaker;
  if (end.ended === 'value') {
    breaker?.succeeded(era);
    return undefined;
  }
  const error = end.ended === 'error' ? end.error : end.reason;
  const failure = failureOf(error);
  const again = mayPass(failure) ? failure : undefined;
  if (again === undefined && isAboutTheCall(error, failure)) {
    breaker?.undecided(era);
    return undefined;
  }
  const now = attempt.clock.monotonic();
  const before = breaker?.state(now);
  breaker?.failed(now, era);
  if (breaker !== undefined && breaker.state(now) !== before)
    attempt.journal.push({ type: 'operator-alert', alert: 'circuit-open', why: `${act.name}: ${failure.message}` });
  return again;
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
