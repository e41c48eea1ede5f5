import { blocked, degraded, type Outcome, type Reason, type Reasons } from 'flyball';
import { describe, expect, expectTypeOf, it } from 'vitest';

declare module 'flyball' {
  interface Reasons {
    /** A code of this test's own. */
    'over-quota': { readonly team: string };
  }
}

describe('the reason of an outcome', () => {
  it('is narrowed by its code, and takes codes of your own [R11-N10-REASON]', () => {
    const told = (outcome: Outcome<string>): unknown => {
      if (!('reason' in outcome) || outcome.reason === undefined) return undefined;
      const { reason } = outcome;
      if (reason.code === 'uncertain') {
        expectTypeOf(reason.data).toEqualTypeOf<Reasons['uncertain']>();
        return reason.data.agreement;
      }
      return reason.code === 'over-quota' ? reason.data.team : reason.code;
    };
    expect(told(degraded('x', 'they disagree', { code: 'uncertain', data: { agreement: 0.4 } }))).toBe(0.4);
    expect(told(blocked('too much', { reason: { code: 'over-quota', data: { team: 'red' } } }))).toBe('red');
    expect(told(blocked('nobody', { reason: { code: 'no-owner', data: { asked: 'prices' } } }))).toBe('no-owner');
  });

  it('with data of another code, or with a code that nobody declared, does not compile [R11-N10-REASON]', () => {
    // @ts-expect-error agreement is a number
    const wrong: Reason = { code: 'uncertain', data: { agreement: 'some' } };
    // @ts-expect-error there is no such code
    const unknown: Reason = { code: 'bad-luck', data: {} };
    expect([wrong.code, unknown.code]).toEqual(['uncertain', 'bad-luck']);
  });
});
