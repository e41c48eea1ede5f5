import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { controller } from './controller.js';
import { pid } from './pid.js';
import type { CompleteControllerSettings } from './settings.js';

const settings = (given: Partial<CompleteControllerSettings>): CompleteControllerSettings => ({
  ...controller().settings,
  ...given,
});

describe('the control law', () => {
  it('adds what the error, its sum and its change ask for [R4-CONTROL-PID]', () => {
    const law = settings({ kp: 1, ki: 0.5, kd: 0.25 });
    const { intensity, integral } = pid({ error: 0.4, previous: 0.2, integral: 0.1 }, law);
    expect(intensity).toBeCloseTo(1 * 0.4 + 0.5 * (0.1 + 0.4) + 0.25 * (0.4 - 0.2), 12);
    expect(integral).toBeCloseTo(0.5, 12);
  });

  it('does not answer a start with a jerk: the first error has no change [R4-CONTROL-PID]', () => {
    expect(pid({ error: 0.4, integral: 0 }, settings({ kp: 1, kd: 1 })).intensity).toBeCloseTo(0.4, 12);
    expect(pid({ error: 0.4, previous: 0, integral: 0 }, settings({ kp: 1, kd: 1 })).intensity).toBeCloseTo(0.8, 12);
  });

  it('stays between its clamps whatever it is given [R4-CONTROL-PID]', () => {
    const any = fc.double({ min: -10, max: 10, noNaN: true });
    fc.assert(
      fc.property(any, any, any, (error, previous, integral) => {
        const { intensity } = pid({ error, previous, integral }, settings({ kp: 3, ki: 2, kd: 1, min: 0.1, max: 0.8 }));
        expect(intensity).toBeGreaterThanOrEqual(0.1);
        expect(intensity).toBeLessThanOrEqual(0.8);
      }),
    );
  });

  it('accumulates nothing while the clamp cuts it off in the same direction [R4-CONTROL-PID]', () => {
    const law = settings({ kp: 3, ki: 0.5, integralLimit: 100 });
    expect(pid({ error: 0.5, integral: 0.2 }, law)).toEqual({ intensity: 1, integral: 0.2 });
    expect(pid({ error: -0.5, integral: 0.2 }, law)).toEqual({ intensity: 0, integral: 0.2 });
  });

  it('goes on accumulating where that leads away from the clamp [R4-CONTROL-PID]', () => {
    const down = settings({ kp: 0.1, ki: 0.1, kd: 5, integralLimit: 100 });
    expect(pid({ error: 0.5, previous: 0.9, integral: 0.2 }, down)).toEqual({ intensity: 0, integral: 0.7 });
    const up = settings({ kp: 0.1, ki: 1, integralLimit: 100 });
    expect(pid({ error: -0.5, integral: 5 }, up)).toEqual({ intensity: 1, integral: 4.5 });
  });

  it('bounds what it accumulated [R4-CONTROL-PID]', () => {
    const law = settings({ kp: 0.1, ki: 0.1, integralLimit: 0.6 });
    expect(pid({ error: 0.5, integral: 0.4 }, law).integral).toBe(0.6);
    expect(pid({ error: 0.5, integral: 0.4 }, law).intensity).toBeCloseTo(0.05 + 0.06, 12);
    expect(
      pid({ error: -0.5, integral: -0.4 }, settings({ kp: 0.1, ki: 0.1, integralLimit: 0.6, min: -1 })).integral,
    ).toBe(-0.6);
  });

  it('recovers sooner from a long saturation than a law that winds up [R4-CONTROL-PID]', () => {
    const law = settings({ kp: 1, ki: 0.4, max: 0.2, integralLimit: 100 });
    let [error, integral, wound] = [0.9, 0, 0];
    for (let k = 0; k < 40 && error > 0.05; k++) {
      wound += error;
      const next = pid({ error, integral }, law);
      integral = next.integral;
      error -= 0.2 * next.intensity;
    }
    expect(law.ki * wound).toBeGreaterThan(law.max * 5); // what would still push at full intensity
    expect(pid({ error: 0.02, integral }, law).intensity).toBeLessThan(law.max);
    expect(pid({ error: 0.02, integral: wound }, law).intensity).toBe(law.max);
  });
});
