import { describe, expect, it } from 'vitest';
import { branchDepth, takeBranch, worlds } from './branches.js';
import { validatePlan } from './feasibility.js';
import type { Branch, Plan } from './plan.js';
import { context, partial, step } from './sample.test-data.js';

const food: Branch = { at: 'look', observation: 'There is food', ifSo: ['cook'], ifNot: ['order'] };

function conditional(steps: Plan['steps'], branches: readonly Branch[]): Plan {
  return partial(steps, { shape: 'conditional', branches });
}

const dinner = conditional(
  [
    step('look'),
    step('cook'),
    step('taste', { dependsOn: ['cook'] }),
    step('order'),
    step('eat', { dependsOn: ['taste', 'order'] }),
    step('music'),
  ],
  [food],
);

/** Branches inside each other: b1 at s0 decides about s1, b2 at s1 decides about s2, and so on. */
function nested(depth: number): Plan {
  const steps = Array.from({ length: depth + 1 }, (_, index) => step(`s${index}`));
  const branches = Array.from({ length: depth }, (_, index) => ({
    at: `s${index}`,
    observation: 'Further?',
    ifSo: [`s${index + 1}`],
    ifNot: [],
  }));
  return conditional(steps, branches);
}

describe('branches', () => {
  it('skips the other side with what hangs only on it, and nothing else [R4-SHAPE-CONDITIONAL]', () => {
    expect(takeBranch(dinner, food, true)).toEqual(['order']);
    expect(takeBranch(dinner, food, false)).toEqual(['cook', 'taste']);
  });

  it('skips both sides of a branch that is never decided [R4-SHAPE-CONDITIONAL]', () => {
    const plan = nested(3);
    const [outer] = plan.branches ?? [];
    expect(outer && takeBranch(plan, outer, false)).toEqual(['s1', 's2', 's3']);
    expect(outer && takeBranch(plan, outer, true)).toEqual([]);
  });

  it('skips what hangs on several branches once the last of them is decided [R4-SHAPE-CONDITIONAL]', () => {
    const second: Branch = { at: 'look', observation: 'There is wine', ifSo: ['pour'], ifNot: [] };
    const plan = conditional(
      [...dinner.steps, step('pour'), step('toast', { dependsOn: ['pour', 'order'] })],
      [food, second],
    );
    const first = takeBranch(plan, food, true);
    expect(first).toEqual(['order']);
    expect(takeBranch(plan, second, false, first)).toEqual(['order', 'pour', 'toast']);
    expect(takeBranch(plan, second, false)).toEqual(['pour']);
  });

  it('keeps a step that only comes later, or stands behind an ordering [R4-SHAPE-CONDITIONAL]', () => {
    const plan: Plan = {
      ...conditional([step('look'), step('cook'), step('order'), step('music')], [food]),
      orderings: [{ before: 'order', after: 'music' }],
    };
    expect(takeBranch(plan, food, true)).toEqual(['order']);
    expect(takeBranch({ ...plan, shape: 'ordered' }, food, true)).toEqual(['order']);
  });

  it('measures nesting, not number [R4-SHAPE-CONDITIONAL]', () => {
    expect(branchDepth(partial([step('a')]))).toBe(0);
    expect(branchDepth(dinner)).toBe(1);
    const twice = conditional([step('look'), step('cook'), step('order')], [food, { ...food, observation: 'Hungry' }]);
    expect(branchDepth(twice)).toBe(1);
    expect([1, 2, 3, 4, 5].map((depth) => branchDepth(nested(depth)))).toEqual([1, 2, 3, 4, 5]);
  });

  it('counts a branch as inside also where its step only hangs on a side', () => {
    const late: Branch = { at: 'taste', observation: 'It is salty', ifSo: ['water'], ifNot: [] };
    expect(branchDepth(conditional([...dinner.steps, step('water')], [food, late]))).toBe(2);
    const after: Branch = { ...late, at: 'eat' };
    expect(branchDepth(conditional([...dinner.steps, step('water')], [food, after]))).toBe(1);
  });

  it('allows four levels and refuses the fifth [R4-SHAPE-CONDITIONAL]', () => {
    expect(validatePlan(nested(4), context()).valid).toBe(true);
    const { valid, issues } = validatePlan(nested(5), context());
    expect(valid).toBe(false);
    expect(issues).toMatchObject([{ check: 'branch-depth', severity: 'error', action: 'replan' }]);
  });

  it('lists what can run together, one set for each way things may turn out', () => {
    expect(worlds(dinner).map((world) => [...world])).toEqual([
      ['look', 'cook', 'taste', 'eat', 'music'],
      ['look', 'order', 'eat', 'music'],
    ]);
    expect(worlds(nested(4))).toHaveLength(5);
    expect(worlds(partial([step('a')]))).toHaveLength(1);
  });

  it('survives a plan with far too many branches, and refuses it', () => {
    const many = nested(60);
    expect(branchDepth(many)).toBe(60);
    const flat = conditional(
      [step('at'), ...Array.from({ length: 40 }, (_, id) => step(`s${id}`))],
      Array.from({ length: 40 }, (_, id) => ({ at: 'at', observation: `${id}?`, ifSo: [`s${id}`], ifNot: [] })),
    );
    const { valid, issues } = validatePlan(flat, context());
    expect(valid).toBe(false);
    expect(issues).toMatchObject([{ check: 'branch-depth', message: expect.stringContaining('40 branches') }]);
  });
});
