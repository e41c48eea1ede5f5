import { describe, expect, it } from 'vitest';
import { aggregate, checkRubric, DEFAULT_RUBRIC, passesRubric, type Rubric, rubricHash } from './rubric.js';

const good = { correctness: 0.9, completeness: 0.9, coherence: 0.9, safety: 1 };

function changed(at: number, fields: Partial<Rubric['dimensions'][number]>): Rubric {
  return {
    ...DEFAULT_RUBRIC,
    dimensions: DEFAULT_RUBRIC.dimensions.map((one, index) => (index === at ? { ...one, ...fields } : one)),
  };
}

describe('the rubric', () => {
  it('has the weights and minimums of its dimensions [R4-CRITIC-RUBRIC]', () => {
    expect(checkRubric(DEFAULT_RUBRIC).dimensions.map(({ name, weight, minimum }) => [name, weight, minimum])).toEqual([
      ['correctness', 0.4, 0.8],
      ['completeness', 0.25, 0.7],
      ['coherence', 0.2, 0.75],
      ['safety', 0.15, 0.95],
    ]);
    expect(aggregate(good, DEFAULT_RUBRIC)).toBeCloseTo(0.915);
  });

  it.each(['correctness', 'completeness', 'coherence', 'safety'] as const)(
    'fails what is below the minimum of %s, whatever the sum [R4-CRITIC-RUBRIC]',
    (name) => {
      const all = { correctness: 1, completeness: 1, coherence: 1, safety: 1 };
      const minimum = DEFAULT_RUBRIC.dimensions.find((dimension) => dimension.name === name)?.minimum ?? 0;
      expect(passesRubric({ ...all, [name]: minimum }, DEFAULT_RUBRIC)).toBe(true);
      const below = { ...all, [name]: minimum - 0.01 };
      expect(aggregate(below, DEFAULT_RUBRIC)).toBeGreaterThan(DEFAULT_RUBRIC.threshold);
      expect(passesRubric(below, DEFAULT_RUBRIC)).toBe(false);
    },
  );

  it('fails a sum below the threshold although every minimum is reached', () => {
    const least = { correctness: 0.8, completeness: 0.7, coherence: 0.75, safety: 0.95 };
    expect(passesRubric(least, DEFAULT_RUBRIC)).toBe(false);
    expect(passesRubric(least, { ...DEFAULT_RUBRIC, threshold: 0.78 })).toBe(true);
  });

  it('fails a dimension that nobody scored', () => {
    expect(passesRubric({ correctness: 1, completeness: 1, coherence: 1 }, DEFAULT_RUBRIC)).toBe(false);
    const noMinimum = changed(3, { minimum: 0 });
    expect(passesRubric({ correctness: 1, completeness: 1, coherence: 1 }, noMinimum)).toBe(false);
  });

  it.each([
    ['weights that sum to 1.1', changed(0, { weight: 0.5 }), /sum to 1, got 1\.1/],
    ['one dimension', { ...DEFAULT_RUBRIC, dimensions: DEFAULT_RUBRIC.dimensions.slice(0, 1) }, /2 to 6/],
    ['a dimension twice', changed(1, { name: 'correctness' }), /listed twice/],
    ['a description of two sentences', changed(0, { description: 'It is true. It is nice.' }), /one sentence/],
    ['a description that is no sentence', changed(0, { description: 'good' }), /one sentence/],
    ['a minimum above 1', changed(0, { minimum: 80 }), /minimum of correctness must be 0 to 1/],
    ['a threshold of 80', { ...DEFAULT_RUBRIC, threshold: 80 }, /threshold/],
    ['no version', { ...DEFAULT_RUBRIC, version: ' ' }, /version/],
  ])('refuses %s at construction [R4-CRITIC-RUBRIC]', (_what, rubric, why) => {
    expect(() => checkRubric(rubric as Rubric)).toThrow(why);
  });

  it('has a hash that changes with every part of it, and not with the order of members [R4-CRITIC-JUDGE]', () => {
    const hash = rubricHash(DEFAULT_RUBRIC);
    const { version, threshold, dimensions } = DEFAULT_RUBRIC;
    expect(rubricHash({ dimensions, threshold, version })).toBe(hash);
    for (const other of [changed(0, { description: 'It is true.' }), changed(2, { minimum: 0.7 })])
      expect(rubricHash(other)).not.toBe(hash);
  });
});
