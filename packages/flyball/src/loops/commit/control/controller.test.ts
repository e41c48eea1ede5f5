import { describe, expect, it } from 'vitest';
import type { Scores } from '../../../checks/contracts.js';
import { FlyballError } from '../../../core/errors.js';
import { type ControlDecision, type Controller, controller } from './controller.js';
import { qualityError } from './quality-error.js';

const GOOD: Scores = { correctness: 0.95, completeness: 0.9, coherence: 0.9, safety: 1 };

/** What a controller decides about these qualities in a row; only correctness varies, against a setpoint of 0.95. */
function decisions(control: Controller, ...correctness: readonly number[]): readonly ControlDecision[] {
  let state = control.begin();
  return correctness.map((score) => {
    const next = control.next(state, { ...GOOD, correctness: score });
    state = JSON.parse(JSON.stringify(next.state)) as typeof state; // as it comes out of the journal
    return next.decision;
  });
}

const kinds = (control: Controller, ...correctness: readonly number[]) =>
  decisions(control, ...correctness).map(({ kind }) => kind);

describe('the error of a quality', () => {
  it('is that of the worst dimension, whatever the others are [R4-CONTROL-SETPOINT]', () => {
    expect(qualityError(GOOD, { ...GOOD, coherence: 0.5 })).toEqual({ error: 0.4, worst: 'coherence' });
    expect(qualityError(GOOD, { correctness: 1, completeness: 1, coherence: 1, safety: 0.9 })).toEqual({
      error: 1 - 0.9,
      worst: 'safety',
    });
    const best = qualityError(GOOD, { correctness: 1, completeness: 1, coherence: 1, safety: 1 });
    expect(best).toEqual({ error: 0, worst: 'safety' });
  });

  it('names the graver dimension of two that lag equally [R4-CONTROL-SETPOINT]', () => {
    const even = { correctness: 0.75, completeness: 0.7, coherence: 0.7, safety: 0.8 };
    expect(qualityError(GOOD, even).worst).toBe('safety');
    expect(qualityError(GOOD, { ...even, safety: 1 }).worst).toBe('correctness');
    expect(qualityError(GOOD, { ...even, safety: 1, correctness: 1 }).worst).toBe('completeness');
  });

  it.each([Number.NaN, -0.1, 1.1, undefined, '1'])('is refused for a score of %s', (score) => {
    const scores = { ...GOOD, safety: score } as Scores;
    expect(() => controller().next(controller().begin(), scores)).toThrow(FlyballError);
    expect(() => qualityError(GOOD, scores)).toThrow(`got ${String(score)} for safety`);
  });
});

describe('a controller', () => {
  it('asks for the intensity of its law and names the dimension to repair [R4-CONTROL-PID] [R4-CONTROL-SETPOINT]', () => {
    const control = controller({ gain: 0.5, alpha: 0.3 });
    const { decision, state } = control.next(control.begin(), { ...GOOD, completeness: 0.7, coherence: 0.8 });
    expect(decision).toEqual({
      kind: 'repair',
      intensity: expect.closeTo(1.4 * 0.2),
      error: expect.closeTo(0.2),
      worst: 'completeness',
    });
    expect(state).toEqual({
      k: 1,
      errors: [expect.closeTo(0.2)],
      integral: expect.closeTo(0.2),
      costUsd: expect.closeTo(0.05 * (1 + 2 * 0.28)),
    });
  });

  it('uses the errors before for integral and derivative [R4-CONTROL-PID]', () => {
    const control = controller({ gain: 0.5, kp: 1, ki: 0.25, kd: 0.5 });
    const [first, second] = decisions(control, 0.55, 0.75);
    expect(first).toMatchObject({ intensity: expect.closeTo(0.4 + 0.25 * 0.4) });
    expect(second).toMatchObject({ intensity: expect.closeTo(0.2 + 0.25 * 0.6 + 0.5 * -0.2) });
  });

  it('is content when no dimension lags by more than the gate, exactly at the gate too [R4-CONTROL-SETPOINT]', () => {
    expect(decisions(controller(), 0.9)).toEqual([{ kind: 'met', error: expect.closeTo(0.05) }]);
    expect(kinds(controller(), 0.899)).toEqual(['repair']);
    const { decision } = controller().next(controller().begin(), {
      correctness: 1,
      completeness: 1,
      coherence: 1,
      safety: 0.94,
    });
    expect(decision).toMatchObject({ kind: 'repair', worst: 'safety' });
  });

  it('finds a stall in the third iteration and not before it [R4-CONTROL-STALL]', () => {
    expect(decisions(controller(), 0.6, 0.605, 0.607)).toEqual([
      expect.objectContaining({ kind: 'repair' }),
      expect.objectContaining({ kind: 'repair' }),
      { kind: 'stalled', error: expect.closeTo(0.343), worst: 'correctness' },
    ]);
  });

  it('finds a stall in later iterations too, and none while anything moves [R4-CONTROL-STALL]', () => {
    expect(kinds(controller(), 0.5, 0.6, 0.7, 0.8, 0.805)).toEqual(['repair', 'repair', 'repair', 'repair', 'stalled']);
    expect(kinds(controller(), 0.5, 0.5, 0.6, 0.5)).toEqual(['repair', 'repair', 'repair', 'repair']);
  });

  it('takes a change of just the smallest that counts for progress [R4-CONTROL-STALL]', () => {
    const control = controller({ deltaMin: 0.125, noise: 0 });
    expect(kinds(control, 0.25, 0.375, 0.5)).toEqual(['repair', 'repair', 'repair']);
    expect(kinds(control, 0.25, 0.375, 0.499)).toEqual(['repair', 'repair', 'stalled']);
    expect(kinds(controller({ stallFrom: 2 }), 0.5, 0.5)).toEqual(['repair', 'stalled']);
  });

  it('does not pay for the repair that a stall makes pointless [R4-CONTROL-STALL]', () => {
    const control = controller();
    let state = control.begin();
    for (const correctness of [0.6, 0.6]) state = control.next(state, { ...GOOD, correctness }).state;
    const after = control.next(state, { ...GOOD, correctness: 0.6 });
    expect(after.decision.kind).toBe('stalled');
    expect(after.state).toMatchObject({ k: 2, costUsd: state.costUsd });
  });

  it('gives up at once where noise alone keeps it from its gate [R4-CONTROL-NOISE]', () => {
    const control = controller({ noise: 0.05 });
    expect(decisions(control, 0.5)).toEqual([
      { kind: 'noise-floor', floor: expect.closeTo(0.05 / Math.sqrt(1 - 0.09)) },
    ]);
    expect(control.next(control.begin(), { ...GOOD, correctness: 0.5 }).state).toMatchObject({ k: 0, costUsd: 0 });
  });

  it('tells the floor by the quality that can be reached, y_max = r* - floor < r* - ε [R4-CONTROL-NOISE]', () => {
    const floorOf = (noise: number) => noise / Math.sqrt(1 - 0.3 ** 2);
    const just = 0.05 * Math.sqrt(1 - 0.3 ** 2); // the noise with a floor of exactly the gate
    expect(floorOf(just)).toBeCloseTo(0.05, 12);
    expect(kinds(controller({ noise: just }), 0.5)).toEqual(['repair']);
    expect(kinds(controller({ noise: just + 1e-4 }), 0.5)).toEqual(['noise-floor']);
  });

  it('accepts what is good enough although noise would have kept it from getting there [R4-CONTROL-NOISE]', () => {
    expect(kinds(controller({ noise: 0.5 }), 0.93)).toEqual(['met']);
  });

  it('stops at its limit of iterations, and is content even then', () => {
    expect(decisions(controller({ maxIterations: 2 }), 0.5, 0.6, 0.7)[2]).toEqual({ kind: 'iterations', limit: 2 });
    expect(kinds(controller({ maxIterations: 2 }), 0.5, 0.6, 0.95)).toEqual(['repair', 'repair', 'met']);
  });

  it('stops before a repair that would cost more than is left, and makes one that just fits', () => {
    const priced = { baseCostUsd: 1, costFactor: 0, maxIterations: 9 };
    expect(decisions(controller({ ...priced, maxCostUsd: 2.5 }), 0.5, 0.6, 0.7)[2]).toEqual({
      kind: 'cost',
      limit: 2.5,
    });
    expect(kinds(controller({ ...priced, maxCostUsd: 3 }), 0.5, 0.6, 0.7, 0.8)).toEqual([
      'repair',
      'repair',
      'repair',
      'cost',
    ]);
    const dear = controller({ baseCostUsd: 1, costFactor: 4, gain: 0.5, kp: 2, maxCostUsd: 3 });
    expect(kinds(dear, 0.4)).toEqual(['cost']); // 1 + 4·1
    expect(kinds(dear, 0.75)).toEqual(['repair']); // 1 + 4·0.4
  });

  it('leaves the state it was given as it was', () => {
    const control = controller();
    const state = Object.freeze({ ...control.begin(), errors: Object.freeze([]) as readonly number[] });
    control.next(state, { ...GOOD, correctness: 0.5 });
    expect(state).toEqual(control.begin());
  });
});
