import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChanges, diffPlans, planHash } from './changes.js';
import type { Plan, PlanChange } from './plan.js';
import { reviseProblem } from './revise.js';
import { partial, randomPlan, step } from './sample.test-data.js';

/** Plans without cycles, of at most so many steps. */
function acyclicPlans(most: number, conditions: readonly string[]): fc.Arbitrary<Plan> {
  return fc
    .tuple(fc.integer({ min: 1, max: most }), fc.infiniteStream(fc.nat()))
    .map(([size, numbers]) => randomPlan(size, (below) => numbers.next().value % below, conditions));
}

const before: Plan = partial([step('a'), step('b', { dependsOn: ['a'] }), step('c')]);

describe('changes of a plan', () => {
  it('are steps cancelled, edited and added, each with what it was before', () => {
    const added = step('d', { dependsOn: ['a'] });
    const after = partial([step('a'), step('b', { dependsOn: [], priority: 2 }), added]);
    expect(diffPlans(before, after, 'The file is gone.')).toEqual([
      { change: 'cancelled', id: 'c', why: 'The file is gone.' },
      { change: 'edited', id: 'b', fields: { dependsOn: [['a'], []], priority: [0, 2] } },
      { change: 'added', step: added },
    ]);
    expect(diffPlans(before, before)).toEqual([]);
  });

  it('tell a new order, goal, shape and fields that come and go', () => {
    const compensation = { tool: 'undo', args: {} };
    const after: Plan = {
      goal: 'Less',
      shape: 'ordered',
      steps: [step('c', { compensation }), step('a'), step('b', { dependsOn: ['a'] })],
      links: [],
    };
    const changes = diffPlans(before, after);
    expect(changes).toEqual([
      { change: 'edited', id: 'c', fields: { compensation: [null, compensation] } },
      {
        change: 'plan-edited',
        fields: {
          goal: ['Get it done', 'Less'],
          shape: ['partial', 'ordered'],
          links: [null, []],
          order: [
            ['a', 'b', 'c'],
            ['c', 'a', 'b'],
          ],
        },
      },
    ]);
    expect(applyChanges(before, changes)).toEqual(after);
    expect(applyChanges(after, diffPlans(after, before))).toEqual(before);
  });

  it('make the new plan out of the old one, also after a stay in the journal', () => {
    const extras = fc.record(
      {
        links: fc.constant([{ by: 's0', condition: 'x', for: 's1' }]),
        orderings: fc.constant([{ before: 's0', after: 's1' }]),
        goal: fc.constantFrom('One', 'Two'),
      },
      { requiredKeys: [] },
    );
    const plans = fc.tuple(acyclicPlans(6, ['x']), extras).map(([plan, extra]): Plan => ({ ...plan, ...extra }));
    fc.assert(
      fc.property(plans, plans, (one, other) => {
        const changes = JSON.parse(JSON.stringify(diffPlans(one, other))) as readonly PlanChange[];
        const made = applyChanges(one, changes);
        expect(made).toEqual(other);
        expect(planHash(made)).toBe(planHash(other));
      }),
    );
  });

  it.each<[string, PlanChange]>([
    ['adds a step that is there', { change: 'added', step: step('a') }],
    ['cancels a step that is not', { change: 'cancelled', id: 'x', why: '' }],
    ['edits a step that is not', { change: 'edited', id: 'x', fields: {} }],
    ['edits what is not as it was', { change: 'edited', id: 'a', fields: { priority: [1, 2] } }],
    [
      'orders other steps',
      {
        change: 'plan-edited',
        fields: {
          order: [
            ['a', 'b'],
            ['b', 'a'],
          ],
        },
      },
    ],
    [
      'orders steps away',
      {
        change: 'plan-edited',
        fields: {
          order: [
            ['a', 'b', 'c'],
            ['c', 'a'],
          ],
        },
      },
    ],
  ])('are refused where one %s', (_, change) => {
    expect(() => applyChanges(before, [change])).toThrow(expect.objectContaining({ code: 'PLAN_INVALID' }));
  });

  it('show in the hash, and the way a plan is written down does not', () => {
    const shuffled = JSON.parse(
      JSON.stringify(
        before,
        Object.keys(before)
          .reverse()
          .concat(Object.keys(step('a'))),
      ),
    ) as Plan;
    expect(planHash({ ...before, goal: 'Other' })).not.toBe(planHash(before));
    expect(planHash({ steps: before.steps, shape: before.shape, goal: before.goal })).toBe(planHash(before));
    expect(planHash(before)).toMatch(/^[0-9a-f]{64}$/);
    expect(planHash(shuffled)).toBe(planHash(before));
  });
});

describe('a revision', () => {
  it('keeps finished steps as they were', () => {
    const revised = (a: ReturnType<typeof step>[]) => partial([...a, step('new')]);
    expect(reviseProblem(before, revised([step('a')]), ['a'])).toBeUndefined();
    expect(reviseProblem(before, revised([]), ['a'])).toBe(
      'Step a is to be kept, but the new plan lacks it. Put it back as it was.',
    );
    expect(reviseProblem(before, revised([step('a', { description: 'Do more', priority: 1 })]), ['a'])).toBe(
      'Step a is to be kept, but its description, priority changed. Put it back as it was.',
    );
    expect(reviseProblem(before, revised([]), [])).toBeUndefined();
  });

  it('does not bring the failed step back unchanged, under no name', () => {
    const again = (id: string, fields: object) => partial([step('a'), step(id, fields)]);
    const unchanged = /^Step b failed and comes back unchanged as/;
    const revise = (after: Plan) => reviseProblem(before, after, ['a'], 'b');
    expect(revise(before)).toMatch(unchanged);
    expect(revise(again('b2', { description: 'do  B', dependsOn: ['a'] }))).toMatch(unchanged);
    expect(revise(again('b', { dependsOn: ['a'], priority: 7, estimatedMs: 1, estimatedTokens: 1 }))).toMatch(
      unchanged,
    );
    expect(revise(again('b', { dependsOn: ['a'], description: 'Do it by hand' }))).toBeUndefined();
    expect(revise(again('b', { dependsOn: ['a'], requiredTools: ['hammer'] }))).toBeUndefined();
    expect(revise(partial([step('a')]))).toBeUndefined();
  });

  it('may bring it back behind a step that prepares it, also by its place alone', () => {
    const list = (steps: readonly string[]): Plan => ({
      goal: '',
      shape: 'ordered',
      steps: steps.map((id) => step(id)),
    });
    expect(reviseProblem(list(['a', 'b']), list(['a', 'prepare', 'b']), ['a'], 'b')).toBeUndefined();
    expect(reviseProblem(list(['a', 'b']), list(['a', 'b', 'after']), ['a'], 'b')).toMatch(/comes back unchanged/);
  });
});
