import { describe, expect, it } from 'vitest';
import { applyChanges, diffPlans } from './changes.js';
import { type GoalTree, goalState, planFromGoals, switchAlternative } from './goal-tree.js';
import type { PlanStep, StepStatus } from './plan.js';
import { reviseProblem } from './revise.js';
import { step } from './sample.test-data.js';

function leaf(id: string, fields: Partial<PlanStep> = {}): GoalTree {
  return { kind: 'leaf', step: step(id, fields) };
}
function and(id: string, children: readonly GoalTree[], inOrder = false): GoalTree {
  return { kind: 'and', id, goal: `All of ${id}`, children, inOrder };
}
function or(id: string, children: readonly GoalTree[]): GoalTree {
  return { kind: 'or', id, goal: `One of ${id}`, children };
}

/** Data from the service, in one of two formats, or typed in by hand; then a report on it. */
const tree = and('report', [
  or('data', [
    and('service', [
      leaf('login'),
      or('format', [leaf('as-json', { dependsOn: ['login'] }), leaf('as-csv', { dependsOn: ['login'] })]),
    ]),
    and('by-hand', [leaf('ask'), leaf('type', { dependsOn: ['ask'] })]),
  ]),
  leaf('write', { dependsOn: ['data'] }),
]);

function dependencies(given: GoalTree | undefined, statuses: Readonly<Record<string, StepStatus>> = {}) {
  if (given === undefined) throw new Error('no alternative');
  return planFromGoals(given, statuses).steps.map(({ id, dependsOn }) => [id, dependsOn]);
}

describe('goal trees', () => {
  it('are reached by all of an AND and any of an OR [R4-SHAPE-ANDOR]', () => {
    expect(goalState(tree, {})).toBe('open');
    expect(goalState(tree, { login: 'done', 'as-csv': 'done', write: 'done' })).toBe('done');
    expect(goalState(tree, { login: 'done', 'as-json': 'done', 'as-csv': 'failed', write: 'running' })).toBe('open');
    expect(goalState(tree, { login: 'failed' })).toBe('open');
    expect(goalState(tree, { login: 'failed', ask: 'failed' })).toBe('failed');
    expect(goalState(tree, { write: 'failed' })).toBe('failed');
    expect(goalState(leaf('constructor'), {})).toBe('open');
    expect((['cancelled', 'skipped', 'blocked'] as const).map((status) => goalState(leaf('a'), { a: status }))).toEqual(
      ['failed', 'failed', 'open'],
    );
  });

  it('become a plan of the alternatives that are being tried [R4-SHAPE-ANDOR]', () => {
    expect(dependencies(tree)).toEqual([
      ['login', []],
      ['as-json', ['login']],
      ['write', ['login', 'as-json']],
    ]);
    expect(planFromGoals(tree, {})).toMatchObject({ goal: 'All of report', shape: 'partial' });
  });

  it('never make a step wait for itself, also where it waits for a goal that it serves', () => {
    expect(dependencies(and('goal', [leaf('a'), leaf('b', { dependsOn: ['goal'] })]))).toEqual([
      ['a', []],
      ['b', ['a']],
    ]);
  });

  it('put children that go in order behind each other', () => {
    const ordered = and('all', [and('first', [leaf('a'), leaf('b')]), leaf('c'), leaf('a')], true);
    expect(dependencies(ordered)).toEqual([
      ['a', []],
      ['b', []],
      ['c', ['a', 'b']],
    ]);
  });

  it('switch the innermost alternative first, and keep what was done [R4-SHAPE-ANDOR]', () => {
    const statuses = { login: 'done', 'as-json': 'failed' } as const;
    const next = switchAlternative(tree, 'as-json');
    expect(dependencies(next, statuses)).toEqual([
      ['login', []],
      ['as-csv', ['login']],
      ['write', ['login', 'as-csv']],
    ]);
  });

  it('give up a whole alternative when nothing in it is left, and never repeat what was done [R4-SHAPE-ANDOR]', () => {
    const statuses = { login: 'done', 'as-json': 'failed', 'as-csv': 'failed' } as const;
    const next = switchAlternative(tree, ['as-json', 'as-csv']);
    expect(dependencies(next, statuses)).toEqual([
      ['login', []],
      ['ask', []],
      ['type', ['ask']],
      ['write', ['login', 'ask', 'type']],
    ]);
    if (next === undefined) return;
    const [before, after] = [planFromGoals(tree, {}), planFromGoals(next, statuses)];
    expect(reviseProblem(before, after, ['login'], 'as-json')).toBeUndefined();
    expect(applyChanges(before, diffPlans(before, after))).toEqual(after);
  });

  it('say so when no alternative is left [R4-SHAPE-ANDOR]', () => {
    expect(switchAlternative(tree, 'write')).toBeUndefined();
    expect(switchAlternative(tree, ['login', 'type'])).toBeUndefined();
    const once = switchAlternative(tree, 'login');
    expect(once && switchAlternative(once, ['login', 'ask'])).toBeUndefined();
  });

  it('pass over alternatives that need a step which failed before', () => {
    const shared = or('go', [leaf('a'), and('both', [leaf('a'), leaf('b')]), leaf('c')]);
    expect(dependencies(switchAlternative(shared, 'a'))).toEqual([['c', []]]);
  });

  it('stay as they are when nothing that they need failed', () => {
    expect(dependencies(switchAlternative(tree, 'elsewhere'))).toEqual(dependencies(tree));
  });

  it('take an alternative that is reached already instead of the one that is being tried', () => {
    const either = or('go', [leaf('a'), leaf('b')]);
    expect(dependencies(either, { b: 'done' })).toEqual([['b', []]]);
  });
});
