import { describe, expect, it } from 'vitest';
import { CancelledError, FlyballError } from '../core/errors.js';
import { explained, lessonOf, nextMove, whyUnfit } from './next-move.js';
import { ROUTER_DEFAULTS } from './router-policy.js';
import {
  answers,
  cutOff,
  puppet,
  rateLimited,
  rejected,
  request,
  serverError,
  windowExceeded,
} from './routing.test-data.js';

const policy = {
  ...ROUTER_DEFAULTS.retry,
  retries: 2,
  baseDelayMs: 100,
  maxDelayMs: 1_000,
  jitterMs: 10,
  maxRetryAfterMs: 5_000,
};
const fresh = { retries: 0, paidFailures: 0, wasPaid: false, hasStandIn: false, uniform: 0.5 };
const moveAfter = (error: FlyballError, tried: Partial<typeof fresh> = {}) =>
  nextMove(error, { ...fresh, ...tried }, policy);

describe('after a failed try', () => {
  it('a retryable failure is retried after a doubling, jittered wait while there are retries [R3-ROUTER-RETRY]', () => {
    expect(moveAfter(serverError())).toEqual({ move: 'retry', waitMs: 105 });
    expect(moveAfter(serverError(), { retries: 1 })).toEqual({ move: 'retry', waitMs: 205 });
    expect(moveAfter(serverError(), { retries: 2 })).toEqual({ move: 'fall-back' });
  });

  it('Retry-After is the least wait, and the backoff where that is longer [R3-ROUTER-RETRY]', () => {
    expect(moveAfter(rateLimited(3_000))).toEqual({ move: 'retry', waitMs: 3_000 });
    expect(moveAfter(rateLimited(1))).toEqual({ move: 'retry', waitMs: 105 });
    expect(moveAfter(rateLimited(Number.NaN))).toEqual({ move: 'retry', waitMs: 105 });
  });

  it('a provider that wants too much time is left for the next model instead of waited for [R3-ROUTER-RETRY]', () => {
    expect(moveAfter(rateLimited(5_000))).toEqual({ move: 'retry', waitMs: 5_000 });
    expect(moveAfter(rateLimited(5_001))).toEqual({ move: 'fall-back' });
  });

  it.each([
    ['a rejection', rejected()],
    ['an exceeded window', windowExceeded()],
    ['an open circuit', new FlyballError('CIRCUIT_OPEN', 'open', { retryable: true })],
    ['a full line', new FlyballError('MODEL_UNAVAILABLE', 'full', { retryable: true, detail: { lineFull: true } })],
    ['a reply that cannot be read', new FlyballError('REPLY_INVALID', 'nonsense')],
  ])('%s goes to the next model at once [R3-ROUTER-FALLBACK]', (_, error) => {
    expect(moveAfter(error)).toEqual({ move: 'fall-back' });
  });

  it.each([
    ['a cancellation', new CancelledError('by hand')],
    ['a script that ran dry', new FlyballError('SCRIPT_EXHAUSTED', 'dry')],
    ['bad settings', new FlyballError('CONFIG_INVALID', 'bad')],
    ['a defect of an adapter', explained(new TypeError('x is undefined'), puppet('a/one', []))],
  ])('%s ends the call', (_, error) => {
    expect(moveAfter(error)).toEqual({ move: 'give-up' });
  });

  it('nobody is asked any more once the paid failures are used up [R3-ROUTER-BUDGET]', () => {
    expect(moveAfter(cutOff(), { paidFailures: 1, wasPaid: true })).toMatchObject({ move: 'retry' });
    expect(moveAfter(cutOff(), { paidFailures: 2, wasPaid: true })).toEqual({ move: 'give-up' });
    expect(moveAfter(cutOff(), { paidFailures: 2, wasPaid: true, hasStandIn: true })).toEqual({ move: 'give-up' });
  });

  it('the last try that may be paid for goes to another model where there is one [R3-ROUTER-FALLBACK]', () => {
    const paid = { paidFailures: 1, wasPaid: true };
    expect(moveAfter(cutOff(), { ...paid, hasStandIn: true })).toEqual({ move: 'fall-back' });
    expect(moveAfter(serverError(), { ...paid, wasPaid: false, hasStandIn: true })).toMatchObject({ move: 'retry' });
  });
});

describe('what a failure says about the provider', () => {
  it.each([
    ['a server error', serverError(), 'failed'],
    ['a cut stream', cutOff(), 'failed'],
    ['a rate limit, which is no outage', rateLimited(), 'undecided'],
    ['a rejection', rejected(), 'undecided'],
  ])('%s', (_, error, lesson) => {
    expect(lessonOf(error)).toBe(lesson);
  });
});

describe('a model that could stand in', () => {
  const small = puppet('b/small', [answers('hi')], { capabilities: { window: 500, tools: false } });
  const tool = { name: 'ls', description: 'Lists.', input: { type: 'object' } };

  it('is fit for what it can do', () => {
    expect(whyUnfit(small, request, 0)).toBeUndefined();
  });

  it('is unfit for a prompt that exceeded a window as large as its own [R3-ROUTER-FALLBACK]', () => {
    expect(whyUnfit(small, request, 500)).toContain('window of 500');
    expect(whyUnfit(small, request, 499)).toBeUndefined();
  });

  it('is unfit for tools it cannot call: its text would pass for the end of the task', () => {
    expect(whyUnfit(small, { ...request, tools: [tool] }, 0)).toContain('cannot call tools');
  });

  it('is unfit for an image that it cannot take [R11-N12-ROUTER]', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
    const messages = [{ role: 'user', content: '', parts: [image] } as const];
    expect(whyUnfit(small, { ...request, messages }, 0)).toBe('it cannot take image/png');
    const seeing = puppet('b/eye', [answers('hi')], { capabilities: { media: ['image/*'] } });
    expect(whyUnfit(seeing, { ...request, messages }, 0)).toBeUndefined();
  });
});
