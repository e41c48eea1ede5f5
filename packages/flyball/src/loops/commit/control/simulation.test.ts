import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../testing/seeded-random.js';
import { type ControlDecision, type Controller, controller } from './controller.js';
import { normal } from './normal.test-data.js';
import { pid } from './pid.js';
import { noiseFloor } from './stability.js';

/** A plant that is not the controller's: quality that a repair raises by G·u, give or take chance. */
interface Plant {
  readonly gain: number;
  readonly noise: number;
  readonly random: () => number;
}

interface Simulated {
  readonly end: ControlDecision;
  readonly repairs: number;
  readonly costUsd: number;
}

/** Repairs completeness from `initial` below its setpoint until the controller ends it. The other scores are perfect. */
function simulate(control: Controller, initial: number, plant: Plant): Simulated {
  let state = control.begin();
  let quality = control.settings.setpoint.completeness - initial;
  for (;;) {
    const completeness = Math.min(1, Math.max(0, quality));
    const { state: after, decision } = control.next(state, { correctness: 1, coherence: 1, safety: 1, completeness });
    state = after;
    if (decision.kind !== 'repair') return { end: decision, repairs: state.k, costUsd: state.costUsd };
    quality += plant.gain * decision.intensity + plant.noise * normal(plant.random);
  }
}

const quiet = (gain: number): Plant => ({ gain, noise: 0, random: () => 0 });
const AMPLE = { iterations: 100, costUsd: 1e6 };
const ROOM = { maxIterations: 100, maxCostUsd: 1e6 };

describe('prediction and simulation', () => {
  it('agree exactly on repairs and cost where there is no noise [R4-SHOW-CONTROLLER]', () => {
    const ends = new Map<string, number>();
    for (const gain of [0.05, 0.2, 0.5, 0.8, 1])
      for (const aim of [0.2, 0.5, 0.7, 0.8, 1, 1.5]) // G·Kp: slow, damped, exact, overshooting
        for (const [ki, kd] of [
          [0, 0],
          [0.1, 0],
          [0, 0.2],
          [0.1, 0.2],
        ] as const)
          for (const deltaMin of [0, 0.01])
            for (let percent = 0; percent <= 90; percent += 3) {
              const control = controller({ ...ROOM, gain, kp: aim / gain, ki, kd, noise: 0, deltaMin, costFactor: 4 });
              const predicted = control.predict(percent / 100, AMPLE);
              const { end, repairs, costUsd } = simulate(control, percent / 100, quiet(gain));
              ends.set(end.kind, (ends.get(end.kind) ?? 0) + 1);
              expect(predicted.iterations).toBe(end.kind === 'met' ? repairs : 'never');
              expect(predicted.costUsd).toBeCloseTo(costUsd, 9);
            }
    expect([...ends.keys()].sort()).toEqual(['met', 'stalled']);
    expect(ends.get('met')).toBeGreaterThan(5000);
  });

  // The band: with noise of up to 0.02 (the default), at least 95 % of loops meet their gate within one repair of the
  // prediction, and their mean is less than half a repair away from it.
  it.each([0.005, 0.01, 0.02])('agree within a band where the noise is %s [R4-SHOW-CONTROLLER]', (noise) => {
    for (const initial of [0.2, 0.35, 0.6, 0.85]) {
      const control = controller({ ...ROOM, noise });
      const predicted = control.predict(initial, AMPLE).iterations as number;
      const random = seededRandom(`noise ${noise} from ${initial}`);
      const runs = Array.from({ length: 500 }, () => simulate(control, initial, { gain: 0.5, noise, random }));
      const close = runs.filter(({ end, repairs }) => end.kind === 'met' && Math.abs(repairs - predicted) <= 1);
      const mean = runs.reduce((sum, { repairs }) => sum + repairs, 0) / runs.length;
      expect(close.length / runs.length).toBeGreaterThanOrEqual(0.95);
      expect(Math.abs(mean - predicted)).toBeLessThan(0.5);
    }
  });
});

describe('oscillation', () => {
  /** Errors of a loop with this gain, without the clamps that would hide what it does. */
  function errorsWith(kp: number): readonly number[] {
    const settings = { ...controller().settings, kp, min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
    const errors = [0.3];
    for (let k = 0; k < 20; k++) {
      const error = errors[k] ?? 0;
      errors.push(error - 0.5 * pid({ error, integral: 0 }, settings).intensity);
    }
    return errors;
  }

  it('outside the bound is refused, and is what a loop with the refused gain would do [R4-SHOW-CONTROLLER]', () => {
    expect(() => controller({ gain: 0.5, kp: 4.4 })).toThrow('2/G = 4');
    const errors = errorsWith(4.4);
    errors.slice(1).forEach((error, k) => {
      expect(Math.sign(error)).toBe(-Math.sign(errors[k] ?? 0)); // over and under in turn
      expect(Math.abs(error)).toBeGreaterThan(Math.abs(errors[k] ?? 0)); // further off every time
    });
  });

  it('inside the bound dies away, on both sides of the gain that hits its mark [R4-SHOW-CONTROLLER]', () => {
    for (const kp of [0.5, 1.4, 2, 3.9]) {
      expect(controller({ gain: 0.5, kp }).settings.kp).toBe(kp);
      const errors = errorsWith(kp).map(Math.abs);
      errors.slice(1).forEach((error, k) => expect(error).toBeLessThanOrEqual(errors[k] ?? 0));
      expect(errors.at(-1)).toBeLessThan(0.15);
    }
  });
});

describe('the noise floor', () => {
  it.each([
    { kp: 1.4, ki: 0, kd: 0 },
    { kp: 0.4, ki: 0, kd: 0 },
    { kp: 3, ki: 0, kd: 0 },
    { kp: 1.2, ki: 0.3, kd: 0 },
    { kp: 1, ki: 0.2, kd: 0.4 },
  ])('is the error that a long simulation of %j is left with [R4-SHOW-CONTROLLER]', (terms) => {
    const noise = 0.04;
    const random = seededRandom(`floor of ${JSON.stringify(terms)}`);
    const settings = {
      ...controller({ gain: 0.5, ...terms }).settings,
      min: Number.NEGATIVE_INFINITY,
      max: Number.POSITIVE_INFINITY,
      integralLimit: Number.POSITIVE_INFINITY,
    };
    let [error, previous, integral, squares] = [0, 0, 0, 0];
    const steps = 100_000;
    for (let step = 0; step < steps; step++) {
      const law = pid({ error, previous, integral }, settings);
      previous = error;
      integral = law.integral;
      error += -0.5 * law.intensity + noise * normal(random);
      squares += error * error;
    }
    const floor = noiseFloor(settings, noise);
    expect(Math.abs(Math.sqrt(squares / steps) / floor - 1)).toBeLessThan(0.02);
  });

  it('above the gate escalates at once, where iterating would only have cost [R4-SHOW-CONTROLLER] [R4-CONTROL-NOISE]', () => {
    const noise = 0.1;
    const plant = () => ({ gain: 0.5, noise, random: seededRandom('above the gate') });
    const control = controller({ ...ROOM, noise });
    expect(control.predict(0.5, AMPLE)).toMatchObject({ iterations: 'never', costUsd: 0, verdict: { kind: 'refuse' } });
    expect(simulate(control, 0.5, plant())).toEqual({
      end: { kind: 'noise-floor', floor: expect.closeTo(0.1 / Math.sqrt(1 - 0.09)) },
      repairs: 0,
      costUsd: 0,
    });
  });
});
