import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../core/errors.js';
import { controller } from './controller.js';
import { CONTROLLER_DEFAULTS, type ControllerSettings } from './settings.js';

describe('the default gain of a controller', () => {
  it('is (1 - alpha) / G [R4-CONTROL-DEFAULT]', () => {
    expect(controller().settings.kp).toBeCloseTo(0.7 / 0.5, 12);
    expect(controller({ gain: 0.8, alpha: 0.2 }).settings.kp).toBeCloseTo(1, 12);
    expect(controller({ gain: 0.25, alpha: 0.5 }).settings.kp).toBeCloseTo(2, 12);
  });

  it('settles for every gain and every alpha that is allowed [R4-CONTROL-DEFAULT]', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1, noNaN: true }),
        fc.double({ min: 0.2, max: 0.5, noNaN: true }),
        (gain, alpha) => {
          const { kp } = controller({ gain, alpha }).settings;
          expect(1 - gain * kp).toBeCloseTo(alpha, 9);
        },
      ),
    );
  });

  it.each([0.19, 0.51, 0, 1, Number.NaN])('refuses alpha = %s [R4-CONTROL-DEFAULT]', (alpha) => {
    expect(() => controller({ alpha })).toThrow(`alpha of a controller must be from 0.2 to 0.5, got ${alpha}.`);
    expect(() => controller({ alpha, kp: 1 })).toThrow(ConfigError);
  });
});

describe('a controller that would not settle', () => {
  it('is refused with the bound and with a gain that works [R4-CONTROL-STABILITY]', () => {
    expect(() => controller({ gain: 0.5, kp: 4.5 })).toThrow(
      'kp = 4.5 does not settle: with a gain G = 0.5, |1 - G·kp| = 1.25 has to be below 1, so kp must be above 0 and below ' +
        '2/G = 4. Omit it for (1 - alpha)/G = 1.4.',
    );
    expect(controller({ gain: 0.5, kp: 1.4 }).settings.kp).toBe(1.4);
  });

  it.each([0, -1, 4, 100, Number.NaN, Number.POSITIVE_INFINITY, '1' as unknown as number])(
    'is refused for kp = %s [R4-CONTROL-STABILITY]',
    (kp) => {
      expect(() => controller({ gain: 0.5, kp })).toThrow(ConfigError);
      expect(() => controller({ gain: 0.5, kp })).toThrow('2/G = 4');
    },
  );

  it('is refused for integral and derivative terms that make a stable kp unstable [R4-CONTROL-STABILITY]', () => {
    expect(() => controller({ gain: 0.5, kp: 1, ki: 6.5 })).toThrow(
      'kp = 1, ki = 6.5 and kd = 0 do not settle together with a gain G = 0.5: the closed loop has a root on or outside the ' +
        'unit circle. Lower ki and kd, or omit them: kp = 1.4 settles alone.',
    );
    expect(() => controller({ gain: 0.5, kp: 1, kd: 2 })).toThrow(ConfigError);
    expect(controller({ gain: 0.5, kp: 1, ki: 0.2, kd: 0.4 }).settings).toMatchObject({ kp: 1, ki: 0.2, kd: 0.4 });
  });
});

describe('the settings of a controller', () => {
  const wrong: readonly (readonly [Partial<ControllerSettings>, string])[] = [
    [{ gain: 0 }, 'gain of a controller must be above 0 and at most 1, got 0.'],
    [{ gain: 1.01 }, 'got 1.01'],
    [{ epsilon: 0 }, 'epsilon of a controller must be above 0 and below 1'],
    [{ epsilon: 1 }, 'epsilon'],
    [{ epsilon: 0.2, maxEpsilon: 0.1 }, 'cannot lie below it, got 0.1 and 0.2'],
    [{ maxEpsilon: 1 }, 'maxEpsilon'],
    [{ ki: -0.1 }, 'ki of a controller must be finite and at least 0'],
    [{ kd: Number.NaN }, 'kd'],
    [{ min: -0.1 }, 'min'],
    [{ max: 1.1 }, 'max'],
    [{ min: 0.5, max: 0.5 }, 'needs min below max, got min = 0.5 and max = 0.5'],
    [{ integralLimit: 0 }, 'integralLimit'],
    [{ maxIterations: 0 }, 'maxIterations of a controller must be a whole number of at least 1'],
    [{ maxIterations: 2.5 }, 'maxIterations'],
    [{ maxIterations: Number.POSITIVE_INFINITY }, 'maxIterations'],
    [{ baseCostUsd: -1 }, 'baseCostUsd'],
    [{ costFactor: Number.POSITIVE_INFINITY }, 'costFactor'],
    [{ maxCostUsd: Number.NaN }, 'maxCostUsd'],
    [{ noise: -0.1 }, 'noise'],
    [{ stallFrom: 1 }, 'two measurements'],
    [{ deltaMin: -1 }, 'deltaMin'],
    [{ gain: '0.5' as unknown as number }, 'gain'],
    [{ setpoint: { ...CONTROLLER_DEFAULTS.setpoint, safety: 1.2 } }, 'needs safety from 0 to 1, got 1.2'],
    [{ setpoint: { correctness: 1 } as ControllerSettings['setpoint'] }, 'needs safety from 0 to 1, got undefined'],
    [{ Kp: 1 } as Partial<ControllerSettings>, 'A controller has no setting "Kp".'],
  ];
  it.each(wrong)('refuse %j', (given, sentence) => {
    expect(() => controller(given)).toThrow(ConfigError);
    expect(() => controller(given)).toThrow(sentence);
  });

  it('let the gate be relaxed to 0.1, or not at all where it is laxer already', () => {
    expect(controller().settings.maxEpsilon).toBe(0.1);
    expect(controller({ epsilon: 0.2 }).settings.maxEpsilon).toBe(0.2);
  });

  it('complete a controller that is built again from what it says of itself', () => {
    const { settings } = controller({ gain: 0.4, epsilon: 0.2 });
    expect(controller(settings).settings).toEqual(settings);
  });
});
