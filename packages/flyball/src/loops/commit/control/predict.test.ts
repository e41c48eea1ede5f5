import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Controller, controller } from './controller.js';
import { courseFrom } from './course.js';
import type { Prediction } from './predict.js';
import type { ControllerSettings } from './settings.js';

const AMPLE = { iterations: 1000, costUsd: 1e6 };
/** Nothing but the law decides: no limits, no noise, no stall. */
const LAW: Partial<ControllerSettings> = { maxIterations: 1000, maxCostUsd: 1e6, noise: 0, deltaMin: 0 };

/** Evenly spread, where doubles would crowd at 0. */
const share = (min: number, max: number) => fc.nat(100_000).map((n) => min + (n / 100_000) * (max - min));

/** The formula of a proportional loop that is never clamped. */
function byFormula(initial: number, { gain, kp, epsilon }: Controller['settings']): number {
  return initial <= epsilon ? 0 : Math.ceil(Math.log(epsilon / initial) / Math.log(1 - gain * kp) - 1e-6);
}

describe('a prediction', () => {
  it('is ⌈ln(ε/e0) / ln(1 - G·Kp)⌉ repairs [R4-CONTROL-PREDICT]', () => {
    fc.assert(
      fc.property(share(0.05, 1), share(0.2, 0.5), share(0.01, 0.2), share(0, 1), (gain, alpha, epsilon, part) => {
        const control = controller({ ...LAW, gain, alpha, epsilon });
        const initial = part * Math.min(1, 1 / control.settings.kp); // up to where the clamp begins
        const ratio = Math.log(epsilon / initial) / Math.log(alpha);
        fc.pre(Math.abs(ratio - Math.round(ratio)) > 1e-5); // there, rounding decides
        expect(control.predict(initial, AMPLE).iterations).toBe(byFormula(initial, control.settings));
      }),
      { numRuns: 1000 },
    );
  });

  it('is right where the gate is hit exactly [R4-CONTROL-PREDICT]', () => {
    const control = controller({ ...LAW, gain: 0.5, alpha: 0.5, epsilon: 0.1 });
    expect(control.predict(0.8, AMPLE).iterations).toBe(3);
    expect(control.predict(0.81, AMPLE).iterations).toBe(4);
  });

  it('costs the sum of c_base·(1 + β·u) [R4-CONTROL-PREDICT]', () => {
    const control = controller({ ...LAW, gain: 0.5, alpha: 0.5, epsilon: 0.1, baseCostUsd: 0.2, costFactor: 3 });
    // u = e with Kp = 1: 0.8, 0.4, 0.2
    expect(control.predict(0.8, AMPLE)).toEqual({
      iterations: 3,
      costUsd: expect.closeTo(0.2 * (3 + 3 * 1.4), 12),
      floor: 0,
      verdict: { kind: 'go' },
    });
  });

  it('counts the repairs at full intensity too, where the clamp makes the formula too optimistic [R4-CONTROL-PREDICT]', () => {
    const control = controller({ ...LAW, gain: 0.2, alpha: 0.3, epsilon: 0.05 });
    // Kp = 3.5: from 0.9 it takes steps of 0.2 down to 0.1 (0.3 is clamped still), and 0.03 in one more
    expect(control.predict(0.9, AMPLE).iterations).toBe(5);
    expect(byFormula(0.9, control.settings)).toBe(3);
  });

  it('takes scores as well as an error, and nothing where they are good enough [R4-CONTROL-PREDICT]', () => {
    const control = controller();
    const scores = { correctness: 0.95, completeness: 0.9, coherence: 0.6, safety: 1 };
    expect(control.predict(scores, AMPLE)).toEqual(control.predict(0.9 - 0.6, AMPLE));
    const met: Prediction = { iterations: 0, costUsd: 0, floor: expect.any(Number), verdict: { kind: 'go' } };
    expect(control.predict({ ...scores, coherence: 0.85 }, AMPLE)).toEqual(met);
    expect(control.predict(-0.1, { iterations: 0, costUsd: 0 })).toEqual(met);
    expect(controller({ noise: 0.5 }).predict(0.05, AMPLE)).toMatchObject({ iterations: 0, verdict: { kind: 'go' } });
  });

  it.each([
    [Number.NaN, AMPLE],
    [Number.POSITIVE_INFINITY, AMPLE],
    [0.5, { iterations: -1, costUsd: 1 }],
    [0.5, { iterations: 1, costUsd: Number.NaN }],
  ])('is not made from %s and %j', (initial, budget) => {
    expect(() => controller().predict(initial, budget)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });
});

describe('a loop that does not fit its budget', () => {
  const base: Partial<ControllerSettings> = {
    ...LAW,
    gain: 0.5,
    alpha: 0.5,
    epsilon: 0.05,
    baseCostUsd: 1,
    costFactor: 0,
  };

  it('relaxes its gate to what the iterations allow [R4-CONTROL-PREDICT]', () => {
    const control = controller(base);
    const prediction = control.predict(0.4, { iterations: 2, costUsd: 100 });
    // 0.4, 0.2, 0.1, 0.05: three are needed, two there
    expect(prediction).toMatchObject({
      iterations: 3,
      costUsd: 3,
      verdict: { kind: 'relax-gate', epsilon: expect.closeTo(0.1) },
    });
    expect(control.predict(0.4, { iterations: 100, costUsd: 2.5 })).toEqual(prediction);
  });

  it('takes the limits of its own settings for a budget too [R4-CONTROL-PREDICT]', () => {
    const relaxed = { kind: 'relax-gate', epsilon: expect.closeTo(0.1) };
    expect(controller({ ...base, maxIterations: 2 }).predict(0.4, AMPLE).verdict).toEqual(relaxed);
    expect(controller({ ...base, maxCostUsd: 2.5 }).predict(0.4, AMPLE).verdict).toEqual(relaxed);
  });

  it('does not relax its gate beyond the limit that was set [R4-CONTROL-PREDICT]', () => {
    expect(controller({ ...base, maxEpsilon: 0.09 }).predict(0.4, { iterations: 2, costUsd: 100 }).verdict).toEqual({
      kind: 'refuse',
      why: 'It would take 3 repairs for about 3 USD, and there is room for 2 and 100 USD. Raise the budget, split the task, or accept a larger epsilon.',
    });
    expect(controller(base).predict(0.4, { iterations: 1, costUsd: 100 }).verdict.kind).toBe('refuse');
  });

  it('lowers its gain where intensity is dear and the last repair does more than it has to [R4-CONTROL-PREDICT]', () => {
    const control = controller({ ...base, kp: 2, costFactor: 10, noise: 0 });
    // one repair of intensity 0.8 would hit the mark: 9 USD. 0.7 reaches the gate: 8 USD
    const prediction = control.predict(0.4, { iterations: 5, costUsd: 8.5 });
    expect(prediction).toMatchObject({
      iterations: 1,
      costUsd: expect.closeTo(9),
      verdict: { kind: 'lower-gain', kp: expect.closeTo(0.75 / 0.4, 6) },
    });
    expect(control.predict(0.4, { iterations: 5, costUsd: 7.9 }).verdict.kind).toBe('refuse');
  });

  it('does not lower a gain where that saves nothing [R4-CONTROL-PREDICT]', () => {
    const control = controller({ ...base, kp: 2, costFactor: 0 });
    expect(control.predict(0.4, { iterations: 5, costUsd: 0.9 }).verdict.kind).toBe('refuse');
  });

  it('does not lower its gain into the noise [R4-CONTROL-PREDICT] [R4-CONTROL-NOISE]', () => {
    const priced = { ...base, kp: 2, costFactor: 10 };
    const budget = { iterations: 5, costUsd: 8.01 };
    expect(controller({ ...priced, noise: 0.045 }).predict(0.4, budget).verdict.kind).toBe('lower-gain');
    expect(controller({ ...priced, noise: 0.04999 }).predict(0.4, budget).verdict.kind).toBe('refuse');
  });

  it('lowers a gain that overshoots out of the noise, where the gate may not be relaxed [R4-CONTROL-PREDICT] [R4-CONTROL-NOISE]', () => {
    const control = controller({ ...base, kp: 3.6, noise: 0.04, maxEpsilon: 0.05 });
    expect(control.predict(0.2, AMPLE)).toMatchObject({ iterations: 'never', verdict: { kind: 'lower-gain', kp: 2 } });
  });

  it('is refused before it starts where a stall comes first [R4-CONTROL-PREDICT] [R4-CONTROL-STALL]', () => {
    const control = controller({ gain: 0.02, maxIterations: 100, noise: 0, deltaMin: 0.03 });
    expect(control.predict(0.5, AMPLE)).toEqual({
      iterations: 'never',
      costUsd: expect.closeTo(2 * 0.05 * 3),
      floor: 0,
      verdict: {
        kind: 'refuse',
        why: 'Repairs would stall after 2 at an error of 0.46, above the gate of 0.05 and its limit of 0.1. Use a stronger model, retrieve more evidence, split the task or ask a person.',
      },
    });
    expect(control.predict(0.13, AMPLE).verdict).toEqual({ kind: 'relax-gate', epsilon: expect.closeTo(0.09) });
  });

  it('is refused before it starts where noise keeps it from its gate [R4-CONTROL-PREDICT] [R4-CONTROL-NOISE]', () => {
    expect(controller({ noise: 0.2 }).predict(0.5, AMPLE)).toEqual({
      iterations: 'never',
      costUsd: 0,
      floor: expect.closeTo(0.2097, 3),
      verdict: {
        kind: 'refuse',
        why: expect.stringContaining('Noise of 0.2 leaves an error of 0.21, above the gate of 0.05'),
      },
    });
    expect(controller({ noise: 0.07 }).predict(0.5, AMPLE).verdict).toEqual({
      kind: 'relax-gate',
      epsilon: expect.closeTo(0.07 / Math.sqrt(1 - 0.09)),
    });
  });

  it('is refused where it would take for ever [R4-CONTROL-PREDICT]', () => {
    const control = controller({ ...LAW, gain: 1e-4 });
    expect(control.predict(0.9, AMPLE)).toMatchObject({
      iterations: 'never',
      verdict: { kind: 'refuse', why: expect.stringContaining('more than 1000 repairs') },
    });
  });

  it('fits once it does what the prediction says [R4-CONTROL-PREDICT]', () => {
    const seen = { go: 0, 'relax-gate': 0, 'lower-gain': 0, refuse: 0 };
    const given = fc.record({
      gain: share(0.1, 1),
      aim: share(0.3, 1.9), // G·Kp
      noise: share(0, 0.12),
      costFactor: share(0, 50),
      deltaMin: fc.constantFrom(0, 0.01),
      maxEpsilon: share(0.05, 0.2),
    });
    const limits = fc.record({ iterations: fc.integer({ min: 0, max: 8 }), part: share(0.5, 1.1) });
    fc.assert(
      fc.property(given, share(0, 1), limits, ({ aim, ...settings }, initial, { iterations, part }) => {
        const whole = {
          ...settings,
          kp: aim / settings.gain,
          epsilon: 0.05,
          baseCostUsd: 1,
          maxCostUsd: 1000,
          maxIterations: 50,
        };
        const budget = { iterations, costUsd: part * controller(whole).predict(initial, AMPLE).costUsd };
        const first = controller(whole).predict(initial, budget);
        seen[first.verdict.kind]++;
        if (first.verdict.kind === 'refuse') return;
        if (first.verdict.kind === 'lower-gain') expect(first.verdict.kp).toBeLessThan(whole.kp);
        const { kind, ...instead } = first.verdict;
        const revised = controller({ ...whole, ...instead, maxEpsilon: 0.3 }).predict(initial, budget);
        expect(revised.verdict).toEqual({ kind: 'go' });
        expect(revised.iterations).toBeLessThanOrEqual(budget.iterations);
        expect(revised.costUsd).toBeLessThanOrEqual(budget.costUsd + 1e-6);
        if (kind === 'go') expect(revised).toEqual(first);
        if (kind === 'relax-gate')
          expect(instead).toMatchObject({ epsilon: expect.toSatisfy((e) => e <= settings.maxEpsilon + 1e-9) });
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  it('is refused only where no smaller gain would have done [R4-CONTROL-PREDICT]', () => {
    let refused = 0;
    const given = fc.record({ gain: share(0.1, 1), aim: share(0.3, 1.9), costFactor: share(0, 50) });
    fc.assert(
      fc.property(given, share(0.1, 1), share(0.8, 1), ({ aim, gain, costFactor }, initial, part) => {
        const kp = aim / gain;
        const whole = { ...LAW, gain, kp, costFactor, epsilon: 0.05, maxEpsilon: 0.05, baseCostUsd: 1 };
        const { predict, settings } = controller(whole);
        const costUsd = part * predict(initial, AMPLE).costUsd;
        if (predict(initial, { iterations: 50, costUsd }).verdict.kind !== 'refuse') return;
        refused++;
        for (let smaller = 1; smaller < 40; smaller++) {
          const { end, costs } = courseFrom(initial, { ...settings, kp: (kp * smaller) / 40 }, 50);
          if (end === 'reached') expect(costs.at(-1)).toBeGreaterThan(costUsd);
        }
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(50);
  });
});
