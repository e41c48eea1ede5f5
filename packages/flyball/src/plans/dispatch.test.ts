import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readySteps } from './dispatch.js';
import { predecessors } from './graph.js';
import type { Plan, StepStatus } from './plan.js';
import { partial, randomPlan, step } from './sample.test-data.js';

/** Plans without cycles, of at most so many steps. */
function acyclicPlans(most: number): fc.Arbitrary<Plan> {
  return fc
    .tuple(fc.integer({ min: 1, max: most }), fc.infiniteStream(fc.nat()))
    .map(([size, numbers]) => randomPlan(size, (below) => numbers.next().value % below));
}

function ids(plan: Plan, statuses: Readonly<Record<string, StepStatus>>, slots = 10): readonly string[] {
  return readySteps(plan, statuses, slots).map(({ id }) => id);
}

describe('dispatching', () => {
  it('starts the next step of an ordered plan when the one before it is over [R4-SHAPE-ORDERED]', () => {
    const plan: Plan = { goal: '', shape: 'ordered', steps: [step('a'), step('b'), step('c', { priority: 9 })] };
    expect(ids(plan, {})).toEqual(['a']);
    expect(ids(plan, { a: 'running' })).toEqual([]);
    expect(ids(plan, { a: 'done' })).toEqual(['b']);
    expect(ids(plan, { a: 'done', b: 'failed' })).toEqual([]);
    expect(ids(plan, { a: 'done', b: 'done' })).toEqual(['c']);
  });

  it('takes higher priority first, then what more steps wait for, then the order of the plan [R4-CHECK-DISPATCH]', () => {
    const plan = partial([
      step('plain'),
      step('plain-too'),
      step('awaited'),
      step('urgent', { priority: 2 }),
      step('late', { dependsOn: ['awaited'], priority: 5 }),
    ]);
    expect(ids(plan, {})).toEqual(['urgent', 'awaited', 'plain', 'plain-too']);
    expect(ids(plan, {}, 2)).toEqual(['urgent', 'awaited']);
    expect(ids(plan, { awaited: 'done' }, 1)).toEqual(['late']);
  });

  it('starts nothing without a free slot [R4-CHECK-DISPATCH]', () => {
    const plan = partial([step('a')]);
    expect([0, -1, Number.NaN].map((slots) => ids(plan, {}, slots))).toEqual([[], [], []]);
  });

  it.each<[StepStatus, readonly string[]]>([
    ['done', ['b']],
    ['skipped', ['b']],
    ['failed', []],
    ['cancelled', []],
    ['blocked', []],
    ['running', []],
  ])('treats a step before that is %s as it deserves [R4-CHECK-DISPATCH]', (status, ready) => {
    expect(ids(partial([step('a'), step('b', { dependsOn: ['a'] })]), { a: status })).toEqual(ready);
  });

  it('never starts a step that waits for one that is not there', () => {
    expect(ids(partial([step('a', { dependsOn: ['ghost'] })]), {})).toEqual([]);
  });

  it('is not misled by names that every object has', () => {
    const plan = partial([step('constructor'), step('b', { dependsOn: ['constructor'] })]);
    expect(ids(plan, {})).toEqual(['constructor']);
    expect(ids(plan, { constructor: 'done' } as Record<string, StepStatus>)).toEqual(['b']);
  });

  it('runs every step once, never before those it waits for, never more than the width [R4-CHECK-DISPATCH]', () => {
    fc.assert(
      fc.property(acyclicPlans(8), fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), (plan, width, luck) => {
        const statuses: Record<string, StepStatus> = {};
        const started: string[] = [];
        for (;;) {
          const running = Object.keys(statuses).filter((id) => statuses[id] === 'running');
          for (const { id } of readySteps(plan, statuses, width - running.length)) {
            expect(predecessors(plan, id).every((before) => statuses[before] === 'done')).toBe(true);
            statuses[id] = 'running';
            started.push(id);
          }
          const now = Object.keys(statuses).filter((id) => statuses[id] === 'running');
          expect(now.length).toBeLessThanOrEqual(width);
          const over = now[luck.next().value % Math.max(1, now.length)];
          if (over === undefined) break;
          statuses[over] = 'done';
        }
        expect([...started].sort()).toEqual(plan.steps.map(({ id }) => id).sort());
      }),
    );
  });
});
