import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse, causalLinks } from './causal-links.js';
import { stateAfter, unmetPreconditions } from './facts.js';
import { validatePlan } from './feasibility.js';
import { findCycle, orderOf } from './graph.js';
import type { Plan } from './plan.js';
import { resolveThreats } from './resolve-threats.js';
import { allOrders, context, partial, randomPlan, step } from './sample.test-data.js';

/** Plans without cycles, of at most so many steps. */
function acyclicPlans(most: number, conditions: readonly string[]): fc.Arbitrary<Plan> {
  return fc
    .tuple(fc.integer({ min: 1, max: most }), fc.infiniteStream(fc.nat()))
    .map(([size, numbers]) => randomPlan(size, (below) => numbers.next().value % below, conditions));
}

/** fetch makes the data there, use needs it, clean takes it away, and nothing says when. */
const threatened = partial([
  step('fetch', { effects: ['data'] }),
  step('use', { dependsOn: ['fetch'], preconditions: ['data'] }),
  step('clean', { effects: ['!data'] }),
]);

function threatsOf(plan: Plan): readonly (readonly string[])[] {
  return analyse(plan).supports.flatMap(({ by, for: to, threats }) => threats.map((id) => [by ?? 'start', to, id]));
}

function resolved(plan: Plan) {
  const result = resolveThreats(plan);
  if (!result.ok) throw new Error(result.problem);
  return result;
}

describe('causal links', () => {
  it('are derived from preconditions and effects where the plan gives none [R4-SHAPE-PARTIAL]', () => {
    expect(causalLinks(threatened)).toEqual([{ by: 'fetch', condition: 'data', for: 'use' }]);
  });

  it('name the last maker before the step, also over several steps and for what must not hold [R4-SHAPE-PARTIAL]', () => {
    const plan = partial([
      step('a', { effects: ['x', '!lock'] }),
      step('b', { dependsOn: ['a'], effects: ['x'] }),
      step('c', { dependsOn: ['b'] }),
      step('d', { dependsOn: ['c'], preconditions: ['x', '!lock', 'from-the-start'] }),
    ]);
    expect(causalLinks(plan)).toEqual([
      { by: 'b', condition: 'x', for: 'd' },
      { by: 'a', condition: '!lock', for: 'd' },
    ]);
  });

  it('keep the maker that the plan gives, and order it [R4-SHAPE-PARTIAL]', () => {
    const plan = partial(
      [
        step('a', { effects: ['x'] }),
        step('b', { effects: ['x'] }),
        step('c', { dependsOn: ['b'], preconditions: ['x'] }),
      ],
      { links: [{ by: 'a', condition: 'x', for: 'c' }] },
    );
    expect(causalLinks(plan)).toEqual([{ by: 'a', condition: 'x', for: 'c' }]);
    expect(orderOf(plan).before.get('c')).toEqual(new Set(['a', 'b']));
  });

  it('protect a given link also where the step does not name the condition [R4-SHAPE-PARTIAL]', () => {
    const plan = partial([step('a', { effects: ['x'] }), step('b'), step('c', { effects: ['!x'] })], {
      links: [{ by: 'a', condition: 'x', for: 'b' }],
    });
    expect(threatsOf(plan)).toEqual([['a', 'b', 'c']]);
  });

  it('are threatened by a step that may come between and takes the condition away [R4-SHAPE-PARTIAL]', () => {
    expect(threatsOf(threatened)).toEqual([['fetch', 'use', 'clean']]);
    const { valid, issues } = validatePlan(threatened, context());
    expect(valid).toBe(false);
    expect(issues).toMatchObject([
      { check: 'threat', severity: 'error', action: 'order-threat', steps: ['fetch', 'use', 'clean'] },
    ]);
  });

  it('are not threatened by a step on the other side of a branch [R4-SHAPE-CONDITIONAL]', () => {
    const plan = partial([...threatened.steps, step('look')], {
      branches: [{ at: 'look', observation: 'Wanted', ifSo: ['use'], ifNot: ['clean'] }],
    });
    expect(threatsOf(plan)).toEqual([]);
  });

  it('rest on the maker that nobody can spoil where there are several', () => {
    const plan = partial([
      step('spoil', { effects: ['!x'] }),
      step('again', { dependsOn: ['spoil'], effects: ['x'] }),
      step('other', { effects: ['x'] }),
      step('use', { dependsOn: ['again', 'other'], preconditions: ['x'] }),
    ]);
    expect(threatsOf(plan)).toEqual([]);
    expect(causalLinks(plan)).toEqual([{ by: 'again', condition: 'x', for: 'use' }]);
  });
});

describe('resolving threats', () => {
  it('puts the threat after the step that relies on the link [R4-SHAPE-PARTIAL]', () => {
    const { plan, added } = resolved(threatened);
    expect(added).toEqual([
      {
        before: 'use',
        after: 'clean',
        because: 'Step clean can undo "data", which fetch makes true, before use has relied on it.',
      },
    ]);
    expect(plan.steps).toBe(threatened.steps);
    expect(plan.orderings).toEqual([{ before: 'use', after: 'clean' }]);
    expect(validatePlan(plan, context()).issues).toEqual([]);
  });

  it('puts it before the maker where it cannot come after [R4-SHAPE-PARTIAL]', () => {
    const [fetch, use, clean] = threatened.steps;
    if (fetch === undefined || use === undefined || clean === undefined) throw new Error('three steps');
    const plan = partial([fetch, { ...use, dependsOn: ['fetch', 'clean'] }, clean]);
    expect(resolved(plan).added).toMatchObject([{ before: 'clean', after: 'fetch' }]);
  });

  it('protects what holds from the start', () => {
    const plan = partial([step('use', { preconditions: ['data'] }), step('clean', { effects: ['!data'] })]);
    expect(resolved(plan).added).toMatchObject([{ before: 'use', after: 'clean' }]);
  });

  it('goes back on a choice that leads nowhere', () => {
    // after `use`, `clean` would find `done` there, which it must not; so it has to go before `fetch`
    const plan = partial([
      step('fetch', { effects: ['data'] }),
      step('use', { dependsOn: ['fetch'], preconditions: ['data'], effects: ['done'] }),
      step('clean', { preconditions: ['!done'], effects: ['!data'] }),
    ]);
    const { plan: ordered, added } = resolved(plan);
    expect(added).toMatchObject([{ before: 'clean', after: 'fetch' }]);
    expect(validatePlan(ordered, context()).issues).toEqual([]);
  });

  it('says which link cannot be saved [R4-SHAPE-PARTIAL]', () => {
    const plan = partial([
      step('a', { preconditions: ['x'], effects: ['!y'] }),
      step('b', { preconditions: ['y'], effects: ['!x'] }),
    ]);
    expect(resolveThreats(plan)).toEqual({
      ok: false,
      problem:
        'Step b can undo "x", which holds from the start, before a has relied on it, and neither before nor after them can it go.',
    });
  });

  it('does not touch a cyclic plan', () => {
    expect(resolveThreats(partial([step('a', { dependsOn: ['a'] })]))).toEqual({
      ok: false,
      problem: 'The steps a wait for each other.',
    });
  });

  it('leaves no threat and no cycle, takes back no order, and breaks no precondition [R4-SHAPE-PARTIAL]', () => {
    fc.assert(
      fc.property(acyclicPlans(7, ['x', 'y', 'z']), (plan) => {
        const result = resolveThreats(plan);
        if (!result.ok) return;
        expect(threatsOf(result.plan)).toEqual([]);
        expect(findCycle(result.plan)).toBeUndefined();
        const now = orderOf(result.plan).before;
        for (const [id, before] of orderOf(plan).before)
          for (const other of before) expect(now.get(id)?.has(other)).toBe(true);
        expect(analyse(result.plan).unmet.length).toBeLessThanOrEqual(analyse(plan).unmet.length);
      }),
      { numRuns: 300 },
    );
  });

  it('makes every order of a plan that passes meet all preconditions [R4-PLAN-PRECONDITIONS]', () => {
    let passed = 0;
    fc.assert(
      fc.property(acyclicPlans(5, ['x', 'y']), fc.subarray(['x', 'y']), (plan, facts) => {
        const result = resolveThreats(plan);
        if (!result.ok || !validatePlan(result.plan, context({ facts })).valid) return;
        passed += 1;
        const { before } = orderOf(result.plan);
        for (const order of allOrders(result.plan, (a, b) => before.get(b)?.has(a) === true))
          order.forEach((next, index) => {
            expect(unmetPreconditions(next, stateAfter(facts, order.slice(0, index)))).toEqual([]);
          });
      }),
      { numRuns: 500 },
    );
    expect(passed).toBeGreaterThan(50);
  });
});
