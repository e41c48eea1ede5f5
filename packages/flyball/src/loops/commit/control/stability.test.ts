import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { characteristic, isStable, type LoopGains, noiseFloor } from './stability.js';

type Complex = readonly [number, number];
const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
const minus = ([a, b]: Complex, [c, d]: Complex): Complex => [a - c, b - d];
const over = ([a, b]: Complex, [c, d]: Complex): Complex => [
  (a * c + b * d) / (c * c + d * d),
  (b * c - a * d) / (c * c + d * d),
];

/** Roots by the method of Durand and Kerner: found, where the criterion only decides. */
function largestRoot(coefficients: readonly number[]): number {
  const value = (z: Complex): Complex =>
    coefficients.reduce<Complex>((sum, c) => minus(times(sum, z), [-c, 0]), [1, 0]);
  let roots: Complex[] = coefficients.map((_, n) => [0.4 ** n * Math.cos(0.9 * n), 0.9 ** n * Math.sin(0.9 * n + 0.1)]);
  for (let round = 0; round < 120; round++) {
    roots = roots.map((z, n) => {
      const apart = roots.reduce<Complex>(
        (product, other, m) => (m === n ? product : times(product, minus(z, other))),
        [1, 0],
      );
      return minus(z, over(value(z), apart));
    });
  }
  return Math.max(...roots.map(([re, im]) => Math.hypot(re, im)));
}

/** The loop itself, without clamps: how large its error still is after so many iterations. */
function errorAfter(iterations: number, { gain, kp, ki, kd }: LoopGains): number {
  let [error, previous, integral] = [1, 0, 0]; // at rest before, so that every mode is excited
  let largest = 0;
  for (let k = 0; k < iterations; k++) {
    integral += error;
    const u = kp * error + ki * integral + kd * (error - previous);
    [previous, error] = [error, error - gain * u];
    if (Math.abs(error) > 1e6) return Math.abs(error);
    if (k >= iterations - 10) largest = Math.max(largest, Math.abs(error));
  }
  return largest;
}

const share = (max: number) => fc.double({ min: 0, max, noNaN: true, noDefaultInfinity: true });
const coarse = (max: number) => fc.integer({ min: 0, max: 100 }).map((n) => (n / 100) * max);
const gains: fc.Arbitrary<LoopGains> = fc.record({
  gain: fc.integer({ min: 1, max: 100 }).map((n) => n / 100),
  kp: fc.oneof(share(6), coarse(6)),
  // below 0 too, which no controller takes: there all conditions of the criterion matter
  ki: fc.oneof(fc.constant(0), coarse(4), coarse(-1)),
  kd: fc.oneof(fc.constant(0), coarse(4), coarse(-4)),
});

describe('the stability of a loop', () => {
  it.each([
    [{ kp: 0, ki: 0, kd: 0 }, false],
    [{ kp: 0.001, ki: 0, kd: 0 }, true],
    [{ kp: 3.999, ki: 0, kd: 0 }, true],
    [{ kp: 4, ki: 0, kd: 0 }, false],
    [{ kp: -0.1, ki: 0, kd: 0 }, false],
    [{ kp: 1, ki: 0, kd: 0.9 }, true],
    [{ kp: 1, ki: 0, kd: 2 }, false],
    [{ kp: 1, ki: 0.5, kd: 0 }, true],
    [{ kp: 1, ki: 5.9, kd: 0 }, true],
    [{ kp: 1, ki: 6, kd: 0 }, false],
    [{ kp: 1, ki: 0.2, kd: 0.4 }, true],
    [{ kp: 1, ki: 1.9, kd: 1.9 }, false],
  ])('of %j with a gain of one half is %s [R4-CONTROL-STABILITY]', (terms, stable) => {
    expect(isStable({ gain: 0.5, ...terms })).toBe(stable);
  });

  it('is decided by the criterion as the roots of the characteristic polynomial decide it [R4-CONTROL-STABILITY]', () => {
    const seen = { stable: 0, unstable: 0 };
    fc.assert(
      fc.property(gains, (loop) => {
        const largest = largestRoot(characteristic(loop));
        fc.pre(Math.abs(largest - 1) > 1e-3); // on the circle itself, rounding decides
        seen[largest < 1 ? 'stable' : 'unstable']++;
        expect(isStable(loop)).toBe(largest < 1);
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(seen.stable, seen.unstable)).toBeGreaterThan(100);
  });

  it('is what the loop does when it is let run [R4-CONTROL-STABILITY]', () => {
    fc.assert(
      fc.property(gains, (loop) => {
        const largest = largestRoot(characteristic(loop));
        fc.pre(Math.abs(largest - 1) > 0.02);
        if (isStable(loop)) expect(errorAfter(2000, loop)).toBeLessThan(1e-6);
        else expect(errorAfter(2000, loop)).toBeGreaterThan(1e3);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the noise floor', () => {
  it('of a proportional loop is that of the formula [R4-CONTROL-NOISE]', () => {
    for (const kp of [0.2, 1, 1.4, 2, 3.5]) {
      const decay = 1 - 0.5 * kp;
      expect(noiseFloor({ gain: 0.5, kp, ki: 0, kd: 0 }, 0.03)).toBeCloseTo(
        Math.sqrt(0.03 ** 2 / (1 - decay ** 2)),
        12,
      );
    }
  });

  it('is the noise itself where every repair hits its mark, and nothing without noise [R4-CONTROL-NOISE]', () => {
    expect(noiseFloor({ gain: 0.5, kp: 2, ki: 0, kd: 0 }, 0.03)).toBe(0.03);
    expect(noiseFloor({ gain: 0.5, kp: 1, ki: 0.1, kd: 0.1 }, 0)).toBe(0);
  });

  it('of other loops passes into it as their other terms vanish [R4-CONTROL-NOISE]', () => {
    const proportional = noiseFloor({ gain: 0.5, kp: 1, ki: 0, kd: 0 }, 0.03);
    expect(noiseFloor({ gain: 0.5, kp: 1, ki: 0, kd: 1e-9 }, 0.03)).toBeCloseTo(proportional, 8);
    expect(noiseFloor({ gain: 0.5, kp: 1, ki: 0.2, kd: 0 }, 0.03)).toBeGreaterThan(proportional);
  });
});
