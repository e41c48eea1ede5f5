import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApprovalState, checkedRules, samePerson, UNDECIDED, type Verdict, weigh } from './approval.js';

const approve: Verdict = { verdict: 'approve' };

/** How it stands after these people agreed, one after the other. */
function afterApprovals(people: number, ...by: readonly string[]) {
  let state: ApprovalState = UNDECIDED;
  let leads = 'ask';
  for (const name of by) ({ state, leads } = weigh(state, approve, name, checkedRules({ people })));
  return { leads, agreed: state.agreed, asked: state.round };
}

describe('one person', () => {
  it.each(['Ada', ' ada\t', 'ADA', 'ａｄａ', 'a\u200bda', 'ada\ufeff'])(
    'is one person in another spelling: %j [R4-PEOPLE-TWO]',
    (other) => {
      expect(samePerson('ada', other)).toBe(true);
      expect(afterApprovals(2, 'ada', other)).toEqual({ leads: 'ask', agreed: ['ada'], asked: 2 });
      expect(afterApprovals(2, 'ada', other, 'bert')).toMatchObject({ leads: 'approved', agreed: ['ada', 'bert'] });
    },
  );

  it.each([
    ['Straße', 'STRASSE'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['Zoë', 'Zoe\u0308'],
  ])('is one in capitals and in composed letters: %s', (a, b) => {
    expect(samePerson(a, b)).toBe(true);
  });

  it('is another one under another name', () => {
    expect(samePerson('ada', 'adam')).toBe(false);
    expect(samePerson('ada b', 'adab')).toBe(false);
  });

  it.each(['', '  ', '\u200b'])('is nobody without a name: %j agrees to nothing [R4-PEOPLE-TWO]', (nobody) => {
    expect(samePerson(nobody, nobody)).toBe(false);
    expect(afterApprovals(1, nobody)).toEqual({ leads: 'ask', agreed: [], asked: 1 });
    expect(afterApprovals(2, 'ada', nobody)).toMatchObject({ leads: 'ask', agreed: ['ada'] });
  });

  it('is the same whoever is asked first', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(samePerson(a, b)).toBe(samePerson(b, a));
      }),
    );
  });
});
