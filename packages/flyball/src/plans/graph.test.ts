import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxConcurrency, widest } from './concurrency.js';
import { linearizations } from './flexibility.js';
import { countBehind, criticalPath, directDependencies, findCycle, orderOf, predecessors, sorted } from './graph.js';
import type { Plan } from './plan.js';
import { allOrders, partial, randomPlan, step } from './sample.test-data.js';

/** Plans without cycles, of at most so many steps. */
function acyclicPlans(most: number): fc.Arbitrary<Plan> {
  return fc
    .tuple(fc.integer({ min: 1, max: most }), fc.infiniteStream(fc.nat()))
    .map(([size, numbers]) => randomPlan(size, (below) => numbers.next().value % below));
}

/** a before b and c, both before d. */
const diamond = partial([
  step('a', { estimatedMs: 1 }),
  step('b', { dependsOn: ['a'], estimatedMs: 5 }),
  step('c', { dependsOn: ['a'], estimatedMs: 9 }),
  step('d', { dependsOn: ['b', 'c'], estimatedMs: 2 }),
]);

function isBefore(plan: Plan): (a: string, b: string) => boolean {
  const { before } = orderOf(plan);
  return (a, b) => before.get(b)?.has(a) === true;
}

describe('the order of steps', () => {
  it('puts every step of an ordered plan after the one before it [R4-SHAPE-ORDERED]', () => {
    const plan: Plan = { goal: '', shape: 'ordered', steps: [step('a'), step('b'), step('c')] };
    expect(predecessors(plan, 'c')).toEqual(['a', 'b']);
    expect(linearizations(plan)).toEqual({ linearizations: 1, atLeast: false });
    expect(maxConcurrency(plan)).toBe(1);
    expect(criticalPath(plan)).toEqual({ steps: ['a', 'b', 'c'], ms: 3_000 });
  });

  it('follows dependencies, links, orderings and the steps that decide branches', () => {
    const plan = partial([step('a'), step('b', { dependsOn: ['a', 'ghost'] }), step('c'), step('d'), step('e')], {
      links: [{ by: 'b', condition: 'x', for: 'c' }],
      orderings: [{ before: 'c', after: 'd' }],
      branches: [{ at: 'd', observation: 'so', ifSo: ['e'], ifNot: [] }],
    });
    expect(predecessors(plan, 'e')).toEqual(['a', 'b', 'c', 'd']);
    expect(directDependencies(plan).get('b')).toEqual(new Set(['a', 'ghost']));
  });

  it('counts everything that waits behind a step', () => {
    expect(['a', 'b', 'c', 'd'].map((id) => countBehind(orderOf(diamond), id))).toEqual([3, 1, 1, 0]);
  });

  it('finds the longest chain by the estimates', () => {
    expect(criticalPath(diamond)).toEqual({ steps: ['a', 'c', 'd'], ms: 12 });
    expect(criticalPath(partial([]))).toEqual({ steps: [], ms: 0 });
  });

  it('names a cycle in the order in which its steps wait, and what hangs behind it is not part of it', () => {
    const plan = partial([
      step('z', { dependsOn: ['c'] }),
      step('a', { dependsOn: ['c'] }),
      step('b', { dependsOn: ['a'] }),
      step('c', { dependsOn: ['b'] }),
    ]);
    expect(findCycle(plan)).toEqual(['a', 'b', 'c']);
    expect(findCycle(partial([step('a', { dependsOn: ['a'] })]))).toEqual(['a']);
    expect(findCycle(diamond)).toBeUndefined();
    expect(() => criticalPath(plan)).toThrow(expect.objectContaining({ code: 'PLAN_INVALID' }));
    expect(linearizations(plan)).toEqual({ linearizations: 0, atLeast: false });
    expect(linearizations(plan, 0)).toEqual({ linearizations: 0, atLeast: false });
  });

  it('sorts every plan without cycles so that nobody comes before those it waits for', () => {
    fc.assert(
      fc.property(acyclicPlans(8), (plan) => {
        const ids = sorted(plan).map(({ id }) => id);
        expect(ids).toHaveLength(plan.steps.length);
        for (const { id, dependsOn } of plan.steps)
          for (const other of dependsOn) expect(ids.indexOf(other)).toBeLessThan(ids.indexOf(id));
        expect(findCycle(plan)).toBeUndefined();
      }),
    );
  });

  it('is as long as the longest of all chains', () => {
    fc.assert(
      fc.property(acyclicPlans(7), (plan) => {
        const msOf = new Map(plan.steps.map(({ id, estimatedMs }) => [id, estimatedMs]));
        const longest = (id: string): number =>
          (msOf.get(id) ?? 0) +
          Math.max(0, ...(plan.steps.find((other) => other.id === id)?.dependsOn ?? []).map(longest));
        const path = criticalPath(plan);
        expect(path.ms).toBe(Math.max(...plan.steps.map(({ id }) => longest(id))));
        expect(path.steps.reduce((sum, id) => sum + (msOf.get(id) ?? 0), 0)).toBe(path.ms);
        path.steps.slice(1).forEach((id, index) => {
          expect(
            directDependencies(plan)
              .get(id)
              ?.has(path.steps[index] ?? ''),
          ).toBe(true);
        });
      }),
    );
  });
});

describe('flexibility', () => {
  it('counts the orders in which the steps can run [R4-SHAPE-FLEXIBILITY]', () => {
    expect(linearizations(diamond)).toEqual({ linearizations: 2, atLeast: false });
    expect(linearizations(partial(['a', 'b', 'c', 'd', 'e'].map((id) => step(id))))).toEqual({
      linearizations: 120,
      atLeast: false,
    });
  });

  it('agrees with trying all orders [R4-SHAPE-FLEXIBILITY]', () => {
    fc.assert(
      fc.property(acyclicPlans(6), (plan) => {
        expect(linearizations(plan)).toEqual({
          linearizations: allOrders(plan, isBefore(plan)).length,
          atLeast: false,
        });
      }),
    );
  });

  it('says at least, and never too much, where there are too many to count [R4-SHAPE-FLEXIBILITY]', () => {
    fc.assert(
      fc.property(acyclicPlans(6), fc.integer({ min: 0, max: 200 }), (plan, limit) => {
        const exact = linearizations(plan).linearizations;
        const bounded = linearizations(plan, limit);
        expect(bounded.linearizations).toBeGreaterThanOrEqual(1);
        expect(bounded.linearizations).toBeLessThanOrEqual(exact);
        if (!bounded.atLeast) expect(bounded.linearizations).toBe(exact);
      }),
    );
    const wide = linearizations(partial(Array.from({ length: 100 }, (_, id) => step(`s${id}`))));
    const chain = (name: string) =>
      Array.from({ length: 30 }, (_, id) => step(`${name}${id}`, { dependsOn: id === 0 ? [] : [`${name}${id - 1}`] }));
    expect(linearizations(partial([...chain('a'), ...chain('b')]))).toEqual({
      linearizations: Number.MAX_SAFE_INTEGER,
      atLeast: true,
    });
    expect(wide.atLeast).toBe(true);
    expect(wide.linearizations).toBe(100 * 99);
    expect(linearizations(diamond, 4)).toEqual({ linearizations: 1, atLeast: true });
  });
});

describe('concurrency', () => {
  it('finds the largest set of steps of which none waits for another', () => {
    fc.assert(
      fc.property(acyclicPlans(7), (plan) => {
        const before = isBefore(plan);
        const ids = plan.steps.map(({ id }) => id);
        const isFree = (set: readonly string[]) => set.every((a) => set.every((b) => !before(a, b)));
        let most = 0;
        for (let mask = 0; mask < 2 ** ids.length; mask++) {
          const set = ids.filter((_, index) => (mask & (2 ** index)) !== 0);
          if (set.length > most && isFree(set)) most = set.length;
        }
        const found = widest(plan);
        expect(found).toHaveLength(most);
        expect(isFree(found)).toBe(true);
      }),
    );
  });

  it('never counts the two sides of a branch together [R4-SHAPE-CONDITIONAL]', () => {
    const plan = partial([step('a'), step('b'), step('c'), step('d'), step('e')], {
      branches: [{ at: 'a', observation: 'so', ifSo: ['b', 'c'], ifNot: ['d'] }],
    });
    expect(maxConcurrency(plan)).toBe(3);
    expect(widest(plan)).toEqual(['b', 'c', 'e']);
  });
});
