import { describe, expect, it } from 'vitest';
import { agreementOf, kappaOf, type RatedPair, spearman } from './agreement.js';

/** So many cases of each pair of labels. */
function rated(table: Readonly<Record<string, number>>): readonly RatedPair[] {
  return Object.entries(table).flatMap(([labels, times]) => {
    const [first = '', second = ''] = labels.split('/');
    return Array.from({ length: times }, (_, index) => ({ case: `${labels}-${index}`, first, second }));
  });
}

describe('agreement of two raters', () => {
  it("gives percent agreement, Cohen's kappa and Krippendorff's alpha as the textbooks compute them [R5-JUDGE-STATS]", () => {
    const agreement = agreementOf(rated({ 'yes/yes': 20, 'yes/no': 5, 'no/yes': 10, 'no/no': 15 }));
    expect(agreement.percent.value).toBeCloseTo(0.7, 12);
    expect(agreement.kappa).toBeCloseTo(0.4, 12);
    // pool: 55 yes, 45 no of 100; expected disagreement 2·55·45 / (100·99) = 0.5
    expect(agreement.alpha).toBeCloseTo(1 - 0.3 / 0.5, 12);
    expect(agreement.confusion.get('no')?.get('yes')).toBe(10);
  });

  it('calls agreement by chance nought, though most cases agree [R5-JUDGE-STATS]', () => {
    const lazy = rated({ 'pass/pass': 81, 'pass/fail': 9, 'fail/pass': 9, 'fail/fail': 1 });
    expect(agreementOf(lazy).percent.value).toBeCloseTo(0.82, 12);
    expect(kappaOf(lazy)).toBeCloseTo(0, 12);
    expect(kappaOf(rated({ 'pass/pass': 10 }))).toBe(1);
    expect(kappaOf(rated({ 'pass/fail': 10, 'fail/pass': 10 }))).toBeCloseTo(-1, 12);
  });

  it('gives intervals that hold the value and narrow with more cases [R5-JUDGE-STATS]', () => {
    const few = agreementOf(rated({ 'a/a': 16, 'a/b': 4, 'b/a': 4, 'b/b': 16 }));
    const many = agreementOf(rated({ 'a/a': 320, 'a/b': 80, 'b/a': 80, 'b/b': 320 }));
    for (const { kappa, kappaInterval } of [few, many]) {
      expect(kappaInterval[0]).toBeLessThan(kappa);
      expect(kappaInterval[1]).toBeGreaterThan(kappa);
    }
    expect(many.kappaInterval[1] - many.kappaInterval[0]).toBeLessThan(
      (few.kappaInterval[1] - few.kappaInterval[0]) / 3,
    );
  });

  it('refuses a case that is there twice, and no cases [R5-JUDGE-STATS]', () => {
    const pair = { case: 'x', first: 'a', second: 'a' };
    expect(() => agreementOf([pair, pair])).toThrow(/rated twice/);
    expect(() => agreementOf([])).toThrow(/no cases/);
  });

  it('ranks scores with ties for the correlation [R5-JUDGE-STATS]', () => {
    expect(
      spearman([
        [1, 10],
        [2, 20],
        [3, 30],
      ]),
    ).toBe(1);
    expect(
      spearman([
        [1, 3],
        [2, 2],
        [3, 1],
      ]),
    ).toBe(-1);
    expect(
      spearman([
        [1, 5],
        [1, 6],
        [2, 7],
        [3, 7],
      ]),
    ).toBeCloseTo(8 / 9, 12);
    expect(
      spearman([
        [1, 5],
        [2, 5],
      ]),
    ).toBe(0);
  });
});
