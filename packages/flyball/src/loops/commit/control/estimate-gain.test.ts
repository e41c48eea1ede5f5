import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../testing/seeded-random.js';
import { controller } from './controller.js';
import { estimateGain, type RepairOutcome } from './estimate-gain.js';
import { normal } from './normal.test-data.js';

const PRIOR = { gain: 0.5, noise: 0.02 };

function repairs(
  count: number,
  plant: { readonly gain: number; readonly noise: number },
  seed: number,
): RepairOutcome[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const [before, intensity] = [random() * 0.5, 0.1 + 0.9 * random()];
    return { before, intensity, after: before + plant.gain * intensity + plant.noise * normal(random) };
  });
}

describe('the gain of repairs', () => {
  it('is the prior while nothing was repaired [R4-CONTROL-GAIN]', () => {
    expect(estimateGain([], PRIOR)).toEqual({ ...PRIOR, samples: 0 });
    const idle = [0, 5e-324, 0.009].map((intensity) => ({ before: 0.2, after: 0.9, intensity }));
    expect(estimateGain(idle, PRIOR)).toEqual({ ...PRIOR, samples: 0 });
  });

  it.each([
    { gain: 0.2, noise: 0.01 },
    { gain: 0.35, noise: 0.05 },
    { gain: 0.9, noise: 0.1 },
  ])('is found again in a long history of %j, and so is its noise [R4-CONTROL-GAIN]', (plant) => {
    const found = estimateGain(repairs(2000, plant, 7), PRIOR);
    expect(found.samples).toBe(2000);
    expect(Math.abs(found.gain / plant.gain - 1)).toBeLessThan(0.02);
    expect(Math.abs(found.noise / plant.noise - 1)).toBeLessThan(0.05);
  });

  it('weighs intense repairs more, as least squares through the origin do [R4-CONTROL-GAIN]', () => {
    const history = [
      { before: 0, after: 0.1, intensity: 0.1 },
      { before: 0, after: 0.2, intensity: 1 },
    ];
    const slope = (0.1 * 0.1 + 1 * 0.2) / (0.1 ** 2 + 1 ** 2);
    const often = Array.from({ length: 1000 }, () => history).flat();
    expect(estimateGain(often, PRIOR).gain).toBeCloseTo(slope, 3);
    // the prior: four repairs of intensity one half that gained what was expected
    const expected = (0.1 * 0.1 + 1 * 0.2 + 4 * 0.5 * 0.25) / (0.1 ** 2 + 1 ** 2 + 4 * 0.25);
    expect(estimateGain(history, PRIOR).gain).toBeCloseTo(expected, 12);
  });

  it('is drawn towards the prior while there is little history [R4-CONTROL-GAIN]', () => {
    const plant = { gain: 0.1, noise: 0 };
    const after = [1, 4, 20, 200].map((count) => estimateGain(repairs(count, plant, 1), PRIOR).gain);
    expect(after[0]).toBeGreaterThan(0.3);
    expect(after).toEqual([...after].sort((a, b) => b - a));
    expect(after[3]).toBeCloseTo(0.1, 1.9);
    expect(estimateGain([{ before: 0, after: 0.1, intensity: 1 }], PRIOR).gain).toBeCloseTo((0.1 + 0.5) / 2, 12);
  });

  it('learns nothing about the noise from a single repair [R4-CONTROL-GAIN]', () => {
    expect(estimateGain([{ before: 0.1, after: 0.9, intensity: 0.5 }], PRIOR).noise).toBeCloseTo(0.02, 12);
  });

  it('is one that a controller takes, whatever happened [R4-CONTROL-GAIN]', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.record({ before: share, after: share, intensity: share })), (history) => {
        const { gain, noise } = estimateGain(history, PRIOR);
        expect(gain).toBeGreaterThan(0);
        expect(gain).toBeLessThanOrEqual(1);
        expect(() => controller({ gain, noise })).not.toThrow();
      }),
    );
    const ruined = Array.from({ length: 50 }, () => ({ before: 1, after: 0, intensity: 1 }));
    expect(estimateGain(ruined, PRIOR).gain).toBe(0.01);
    const lucky = Array.from({ length: 50 }, () => ({ before: 0, after: 1, intensity: 0.1 }));
    expect(estimateGain(lucky, PRIOR).gain).toBe(1);
  });

  it.each([
    { before: Number.NaN, after: 1, intensity: 1 },
    { before: 0, after: Number.POSITIVE_INFINITY, intensity: 1 },
    { before: 0, after: 1, intensity: -1 },
  ])('is not estimated from %j', (repair) => {
    expect(() => estimateGain([repair], PRIOR)).toThrow('needs finite qualities and an intensity of at least 0');
  });
});
