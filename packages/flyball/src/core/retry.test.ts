import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlyballError } from './errors.js';
import { backoffMs, isBrokenOffCode, isPassingCode, isUnsentCode, mayPass, patiently } from './retry.js';

const policy = { baseDelayMs: 100, maxDelayMs: 5_000, jitterMs: 50 };

describe('the wait before a retry', () => {
  it('doubles with every retry [R3-ROUTER-RETRY]', () => {
    expect([0, 1, 2, 3].map((retry) => backoffMs(policy, retry, 0))).toEqual([100, 200, 400, 800]);
  });

  it('is spread by the random number it is given [R3-ROUTER-RETRY]', () => {
    expect(backoffMs(policy, 0, 0.5)).toBe(125);
    expect(backoffMs(policy, 2, 0.5)).toBe(425);
  });

  it('never exceeds its maximum, jitter included, however many retries there were', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (retry, uniform) => {
        const ms = backoffMs(policy, retry, uniform);
        expect(ms).toBeGreaterThanOrEqual(policy.baseDelayMs);
        expect(ms).toBeLessThanOrEqual(policy.maxDelayMs);
      }),
    );
  });
});

describe('a failure', () => {
  it.each([
    ['ECONNREFUSED', true, 'unsent'],
    ['ENOTFOUND', false, 'unsent'],
    ['ECONNRESET', true, 'sent'],
    ['ENOENT', false, 'unknown'],
    [undefined, false, 'unknown'],
  ])('with the code %s is judged by one list [R9-KERNEL-RETRY]', (code, passes, sent) => {
    expect(isPassingCode(code)).toBe(passes);
    expect(isUnsentCode(code) ? 'unsent' : isBrokenOffCode(code) ? 'sent' : 'unknown').toBe(sent);
  });

  it('of a run that ended does not pass, whatever it says', () => {
    expect(mayPass({ code: 'CANCELLED', retryable: true })).toBe(false);
    expect(mayPass({ code: 'EFFECT_FAILED', retryable: false, originalCode: 'EPIPE' })).toBe(true);
    expect(mayPass({ code: 'EFFECT_FAILED', retryable: false })).toBe(false);
  });
});

describe('work that is tried patiently', () => {
  const failing = (errors: readonly Error[]) => {
    const waits: number[] = [];
    const left = [...errors];
    const work = async (): Promise<string> => {
      const error = left.shift();
      if (error !== undefined) throw error;
      return 'done';
    };
    return { waits, end: patiently(work, { ...policy, retries: 2 }, async (ms) => void waits.push(ms)) };
  };
  const busy = (retryAfterMs?: number) =>
    new FlyballError('MODEL_UNAVAILABLE', 'busy', { retryable: true, detail: { retryAfterMs } });

  it('waits longer each time, or as long as it is asked to [R9-KERNEL-RETRY]', async () => {
    const { end, waits } = failing([busy(), busy(700)]);
    expect(await end).toBe('done');
    expect(waits).toEqual([100, 700]);
  });

  it.each([
    ['may be tried no more', [busy(), busy(), busy()], 2],
    ['is asked to wait too long', [busy(6_000)], 0],
    ['fails in a way that does not pass', [new FlyballError('EFFECT_FAILED', 'no')], 0],
    ['breaks with a defect', [new TypeError('no')], 0],
  ])('fails where it %s', async (_when, errors, count) => {
    const { end, waits } = failing(errors);
    await expect(end).rejects.toBe(errors.at(-1));
    expect(waits).toHaveLength(count);
  });
});
