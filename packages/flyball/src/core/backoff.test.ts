import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.js';

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
