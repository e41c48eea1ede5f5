import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApprovalRules, checkedRules, isEntitled, scopesInWords, stricter } from './approval.js';

const scope = fc.constantFrom('cfo', 'ops', 'legal', 'board');
const scopes = fc.uniqueArray(scope, { maxLength: 3 });
const timeoutMs = fc.integer({ min: 1, max: 9 });
const level = fc.record({ to: fc.constantFrom('x', 'y'), scopes, timeoutMs }, { requiredKeys: ['to', 'scopes'] });

/** Any member may be absent or undefined, and a list empty. */
const rules: fc.Arbitrary<Partial<ApprovalRules>> = fc
  .record({
    people: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    scopes: fc.option(scopes, { nil: undefined }),
    alsoScopes: fc.option(fc.array(fc.uniqueArray(scope, { minLength: 1, maxLength: 3 }), { maxLength: 2 }), {
      nil: undefined,
    }),
    timeoutMs: fc.option(timeoutMs, { nil: undefined }),
    escalation: fc.option(fc.array(level, { maxLength: 3 }), { nil: undefined }),
    maxModifications: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
  })
  .map((given) => given as Partial<ApprovalRules>);

/** Who is asked at a level, as the rules with fewer levels see it. */
const demandAt = (given: Partial<ApprovalRules>, at: number) =>
  given.escalation?.[at] ?? given.escalation?.at(-1) ?? given;

describe('rules that hold together', () => {
  it('let decide exactly who may decide under each of them, at every level [R4-PEOPLE-SCOPES]', () => {
    fc.assert(
      fc.property(rules, rules, scopes, (a, b, own) => {
        const both = stricter(a, b);
        expect(isEntitled(both, own)).toBe(isEntitled(a, own) && isEntitled(b, own));
        const levels = both.escalation ?? [];
        expect(levels).toHaveLength(Math.max(a.escalation?.length ?? 0, b.escalation?.length ?? 0));
        for (const [at, one] of levels.entries()) {
          const [left, right] = [demandAt(a, at), demandAt(b, at)];
          expect(isEntitled(one, own)).toBe(isEntitled(left, own) && isEntitled(right, own));
          expect(one.timeoutMs ?? Infinity).toBe(Math.min(left.timeoutMs ?? Infinity, right.timeoutMs ?? Infinity));
        }
      }),
    );
  });

  it('take the larger number of people, the shorter time and the fewer modifications [R4-PEOPLE-TWO]', () => {
    fc.assert(
      fc.property(rules, rules, (a, b) => {
        const both = stricter(a, b);
        expect(both.people ?? 0).toBe(Math.max(a.people ?? 0, b.people ?? 0));
        expect(both.timeoutMs ?? Infinity).toBe(Math.min(a.timeoutMs ?? Infinity, b.timeoutMs ?? Infinity));
        expect(both.maxModifications ?? Infinity).toBe(
          Math.min(a.maxModifications ?? Infinity, b.maxModifications ?? Infinity),
        );
        expect(Object.values(both)).not.toContain(undefined);
        checkedRules(both); // and they are sound
      }),
    );
  });

  it('lift nothing by an empty list or by nothing at all [R4-PEOPLE-SCOPES]', () => {
    const own = { people: 2, scopes: ['cfo'], timeoutMs: 5, maxModifications: 1 };
    const none: object = {
      people: undefined,
      scopes: [],
      timeoutMs: undefined,
      maxModifications: undefined,
      escalation: [],
    };
    expect(stricter(own, none)).toEqual(own);
    expect(stricter(none, own)).toEqual(own);
    expect(stricter(undefined, undefined)).toEqual({});
  });

  it('ask for a scope of each, and only once for what one of them implies [R4-PEOPLE-SCOPES]', () => {
    const both = stricter({ scopes: ['cfo'] }, { scopes: ['ops', 'legal'] });
    expect(both).toEqual({ scopes: ['cfo'], alsoScopes: [['ops', 'legal']] });
    expect(scopesInWords(both)).toBe('cfo, and ops or legal');
    expect(isEntitled(both, ['*'])).toBe(true);
    expect(stricter(both, { scopes: ['cfo', 'legal'] })).toEqual(both);
    expect(stricter({ scopes: ['cfo', 'ops'] }, { scopes: ['ops'] })).toEqual({ scopes: ['ops'] });
  });

  it('name both where both escalate', () => {
    const a = { escalation: [{ to: 'the head', scopes: ['head'] }] };
    const b = {
      escalation: [
        { to: 'the board', scopes: [] },
        { to: 'the board', scopes: ['board'] },
      ],
    };
    expect(stricter(a, b).escalation).toEqual([
      { to: 'the head and the board', scopes: ['head'] },
      { to: 'the head and the board', scopes: ['head'], alsoScopes: [['board']] },
    ]);
  });
});

describe('rules that could never be met', () => {
  it.each([
    [{ people: Number.NaN }, 'at least one person'],
    [{ people: 0 }, 'at least one person'],
    [{ people: 2.5 }, 'at least one person'],
    [{ maxModifications: Number.POSITIVE_INFINITY }, 'maxModifications'],
    [{ maxModifications: -1 }, 'maxModifications'],
    [{ timeoutMs: -1 }, 'timeout of an approval'],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, 'timeout of an approval'],
    [{ scopes: 'cfo' }, 'scopes of an approval'],
    [{ scopes: [' '] }, 'scopes of an approval'],
    [{ alsoScopes: [[]] }, 'alsoScopes'],
    [{ escalation: {} }, 'list of levels'],
    [{ escalation: [{ to: '', scopes: [] }] }, 'needs a recipient'],
    [{ escalation: [{ to: 'the head' }] }, 'scopes of an approval'],
    [{ escalation: [{ to: 'the head', scopes: [], timeoutMs: 0 }] }, 'timeout of an approval'],
    [{ escalation: [null] }, 'A level of escalation must be an object'],
    [{ persons: 2 }, 'has no field "persons"'],
    [null, 'An approval must be an object'],
  ])('are refused: %j', (given, problem) => {
    expect(() => checkedRules(given as never)).toThrow(problem);
  });

  it('do not come of members that are left undefined: those have their defaults', () => {
    expect(checkedRules({ people: undefined, scopes: undefined } as never)).toEqual(checkedRules({}));
  });
});
