import { describe, expect, it } from 'vitest';
import { type FeasibilityContext, validatePlan } from './feasibility.js';
import type { Plan, PlanStep } from './plan.js';
import { context, partial, step } from './sample.test-data.js';
import { targetsOf } from './targets.js';

function found(plan: Plan, given: Partial<FeasibilityContext> = {}) {
  const { valid, issues } = validatePlan(plan, context(given));
  return { valid, issues: issues.map(({ check, severity, action, steps }) => [check, severity, action, steps]) };
}

function toolStep(id: string, tool: string, fields: Partial<PlanStep> = {}): PlanStep {
  return step(id, { stepType: 'tool', requiredTools: [tool], ...fields });
}

const search = { name: 'search', effect: 'pure' } as const;

describe('feasibility', () => {
  it('passes a plan that lacks nothing, and reports what it comes to [R4-CHECK-FEASIBILITY]', () => {
    const plan = partial([
      toolStep('a', 'search', { effects: ['found'] }),
      step('b', { dependsOn: ['a'], preconditions: ['found'] }),
      step('c', { estimatedMs: 500 }),
    ]);
    expect(validatePlan(plan, context({ tools: [search], latencyMs: 2_000, tokensLeft: 300, width: 2 }))).toEqual({
      valid: true,
      issues: [],
      criticalPathMs: 2_000,
      estimatedTokens: 300,
      flexibility: { linearizations: 3, atLeast: false },
    });
  });

  it('stops at a cycle, which is critical, and says who waits for whom [R4-CHECK-FEASIBILITY] [R4-PLAN-UNKNOWN-TOOL]', () => {
    const plan = partial([toolStep('a', 'nowhere', { dependsOn: ['b'] }), step('b', { dependsOn: ['a'] })]);
    expect(validatePlan(plan, context())).toEqual({
      valid: false,
      issues: [
        {
          check: 'acyclicity',
          severity: 'critical',
          action: 'replan',
          message: 'The steps b → a → b wait for each other, so none of them can start.',
          steps: ['b', 'a'],
        },
      ],
      criticalPathMs: 0,
      estimatedTokens: 200,
      flexibility: { linearizations: 0, atLeast: false },
    });
  });

  it('refuses unknown tools and says which there are [R4-CHECK-FEASIBILITY] [R4-PLAN-UNKNOWN-TOOL]', () => {
    const plan = partial([toolStep('a', 'serch'), toolStep('b', 'search')]);
    const { valid, issues } = validatePlan(plan, context({ tools: [search] }));
    expect(valid).toBe(false);
    expect(issues).toEqual([
      {
        check: 'tool-availability',
        severity: 'error',
        action: 'substitute-tool',
        message: 'Step a needs the tool serch, which is not there. Available tools: search.',
        steps: ['a'],
      },
    ]);
  });

  it('refuses a compensation that cannot be called [R4-PLAN-COMPENSATION]', () => {
    const plan = partial([
      toolStep('a', 'search', { reversibility: 'undoable', compensation: { tool: 'unsearch', args: {} } }),
    ]);
    expect(found(plan, { tools: [search] }).issues).toEqual([['tool-availability', 'error', 'substitute-tool', ['a']]]);
  });

  it.each([
    [partial([step('a', { dependsOn: ['ghost'] })]), ['a']],
    [partial([step('a')], { links: [{ by: 'ghost', condition: 'x', for: 'a' }] }), ['a']],
    [partial([step('a')], { orderings: [{ before: 'a', after: 'ghost' }] }), ['a']],
    [
      partial([step('a'), step('b')], { branches: [{ at: 'a', observation: '?', ifSo: ['b', 'ghost'], ifNot: [] }] }),
      ['a', 'b'],
    ],
  ])('refuses a plan that names a step which is not there (%#) [R4-PLAN-UNKNOWN-TOOL]', (plan, steps) => {
    const { valid, issues } = validatePlan(plan, context({ facts: ['x'] }));
    expect(valid).toBe(false);
    expect(issues).toMatchObject([{ check: 'structure', severity: 'error', action: 'replan', steps }]);
    expect(issues[0]?.message).toMatch(/ ghost, but no step is called that\.$/);
  });

  it('refuses ids that are taken twice, empty links, and sides that cannot be [R4-PLAN-UNKNOWN-TOOL]', () => {
    const messages = (plan: Plan) => validatePlan(plan, context()).issues.map(({ message }) => message);
    expect(messages(partial([step('a'), step('a')]))).toEqual(['Several steps are called a. Give each its own id.']);
    const linked = partial([step('a'), step('b')], { links: [{ by: 'a', condition: 'x', for: 'b' }] });
    expect(messages(linked)).toEqual(['A link says that a makes "x" true, but its effects do not.']);
    const sides = { at: 'a', observation: '?', ifSo: ['b'], ifNot: ['c'] };
    const across = partial([step('a'), step('b'), step('c', { dependsOn: ['a', 'b'] })], { branches: [sides] });
    expect(messages(across)).toEqual(['Step c depends on b, but no branch runs both.']);
    const both = partial([step('a'), step('b')], { branches: [{ ...sides, ifNot: ['b'] }] });
    expect(messages(both)).toContain('The branch at a has b on both sides.');
  });

  it('refuses to read a result from a step that is not over by then [R4-CHECK-FEASIBILITY]', () => {
    const reads = (dependsOn: readonly string[]) =>
      partial([step('a'), step('b'), step('c', { dependsOn, bindings: { text: { from: 'a' }, size: { value: 3 } } })]);
    expect(found(reads(['b'])).issues).toEqual([['structure', 'error', 'reorder-or-add-prerequisite', ['c']]]);
    expect(found(reads(['a'])).issues).toEqual([]);
  });

  it('checks preconditions on the facts and what the steps before leave [R4-PLAN-PRECONDITIONS] [R4-CHECK-FEASIBILITY]', () => {
    const use = step('use', { dependsOn: ['make'], preconditions: ['draft', '!locked'] });
    const unmet = [['preconditions', 'error', 'reorder-or-add-prerequisite', ['use']]];
    const make = (effects: readonly string[]) => partial([step('make', { effects }), use]);
    expect(found(make(['draft'])).issues).toEqual([]);
    expect(found(make([])).issues).toEqual(unmet);
    expect(found(make([]), { facts: ['draft'] }).issues).toEqual([]);
    expect(found(make(['!draft']), { facts: ['draft'] }).issues).toEqual(unmet);
    expect(found(make(['draft']), { facts: ['locked'] }).issues).toEqual(unmet);
    expect(found(make(['draft', '!locked']), { facts: ['locked'] }).issues).toEqual([]);
    expect(found(make(['draft', 'locked'])).issues).toEqual(unmet);
  });

  it('does not rely on a step that only happens to come earlier in the list [R4-PLAN-PRECONDITIONS]', () => {
    const plan = partial([step('make', { effects: ['draft'] }), step('use', { preconditions: ['draft'] })]);
    expect(found(plan).issues).toEqual([['preconditions', 'error', 'reorder-or-add-prerequisite', ['use']]]);
    expect(found({ ...plan, shape: 'ordered' }).issues).toEqual([]);
  });

  it('sees what is taken away again on the way [R4-PLAN-PRECONDITIONS]', () => {
    const steps = [
      step('make', { effects: ['draft'] }),
      step('drop', { effects: ['!draft'] }),
      step('use', { preconditions: ['draft'] }),
    ];
    const [make, drop, use] = steps as [PlanStep, PlanStep, PlanStep];
    const ordered = (list: readonly PlanStep[]): Plan => ({ goal: '', shape: 'ordered', steps: list });
    expect(found(ordered([make, drop, use])).issues).toEqual([
      ['preconditions', 'error', 'reorder-or-add-prerequisite', ['use']],
    ]);
    expect(found(ordered([drop, make, use])).valid).toBe(true);
    expect(found(ordered([make, use, drop])).valid).toBe(true);
  });

  it('asks that preconditions hold whichever way a branch turns out [R4-PLAN-PRECONDITIONS] [R4-SHAPE-CONDITIONAL]', () => {
    const plan = (ifNot: readonly string[]) =>
      partial(
        [
          step('look'),
          step('cook', { effects: ['meal'] }),
          step('order', { effects: ifNot }),
          step('eat', { dependsOn: ['cook', 'order'], preconditions: ['meal'] }),
        ],
        { branches: [{ at: 'look', observation: 'There is food', ifSo: ['cook'], ifNot: ['order'] }] },
      );
    expect(found(plan([])).issues).toEqual([['preconditions', 'error', 'reorder-or-add-prerequisite', ['eat']]]);
    expect(found(plan(['meal'])).issues).toEqual([]);
  });

  it('blocks steps that change something without permission, whatever they say of themselves [R4-CHECK-FEASIBILITY]', () => {
    const plan = partial([
      step('think'),
      step('send', { reversibility: 'irreversible' }),
      toolStep('quiet', 'write'),
      toolStep('look', 'search'),
    ]);
    const asked: string[] = [];
    const tools = [search, { name: 'write', effect: 'undoable' } as const];
    const permits = ({ id }: PlanStep) => {
      asked.push(id);
      return id === 'none';
    };
    expect(found(plan, { tools, permits })).toEqual({
      valid: true,
      issues: [
        ['permission', 'blocked', 'request-approval-or-defer', ['send']],
        ['permission', 'blocked', 'request-approval-or-defer', ['quiet']],
      ],
    });
    expect(asked).toEqual(['send', 'quiet']);
    expect(found(plan, { tools }).issues).toEqual([]);
  });

  it('warns when the estimates exceed the tokens left, naming what would be missed least [R4-CHECK-FEASIBILITY]', () => {
    const plan = partial([
      step('base', { estimatedTokens: 10 }),
      step('nice', { estimatedTokens: 50 }),
      step('core', { estimatedTokens: 100, priority: 2, dependsOn: ['base'] }),
    ]);
    expect(found(plan, { tokensLeft: 160 }).issues).toEqual([]);
    expect(found(plan, { tokensLeft: 120 })).toEqual({
      valid: true,
      issues: [['token-budget', 'warning', 'prune-low-priority', ['nice']]],
    });
    expect(found(plan, { tokensLeft: 0 }).issues).toEqual([
      ['token-budget', 'warning', 'prune-low-priority', ['nice', 'base', 'core']],
    ]);
  });

  it('counts the dearer side of a branch only', () => {
    const plan = partial([step('a'), step('b', { estimatedTokens: 700 }), step('c', { estimatedTokens: 400 })], {
      branches: [{ at: 'a', observation: '?', ifSo: ['b'], ifNot: ['c'] }],
    });
    expect(validatePlan(plan, context()).estimatedTokens).toBe(800);
  });

  it('warns when the critical path exceeds the latency budget [R4-CHECK-FEASIBILITY]', () => {
    const plan = partial([step('a'), step('b', { dependsOn: ['a'] }), step('c')]);
    expect(found(plan, { latencyMs: 1_999 })).toEqual({
      valid: true,
      issues: [['latency-budget', 'warning', 'parallelize-or-reduce', ['a', 'b']]],
    });
    expect(found(plan, { latencyMs: 2_000 }).issues).toEqual([]);
  });

  it('warns when more could run at a time than may [R4-CHECK-FEASIBILITY]', () => {
    const plan = partial([step('a'), step('b'), step('c', { dependsOn: ['a'] })]);
    expect(found(plan, { width: 1 })).toEqual({
      valid: true,
      issues: [['concurrency', 'warning', 'serialize', ['b', 'c']]],
    });
    expect(found(plan, { width: 2 }).issues).toEqual([]);
  });
});

describe('targets of a re-planning turn', () => {
  const plan = partial([
    toolStep('a', 'serch'),
    step('b', { dependsOn: ['a'], bindings: { hits: { from: 'a' } } }),
    step('c', { priority: -1, effects: ['x'], estimatedTokens: 500 }),
    step('d', { dependsOn: ['c'], priority: 5 }),
    step('e', { dependsOn: ['d'], preconditions: ['x'], priority: 5 }),
  ]);

  it('are the steps that a failed check is about, and the rest is kept [R4-CHECK-TARGETED]', () => {
    const { issues } = validatePlan(plan, context({ tools: [search] }));
    expect(targetsOf(plan, issues)).toEqual({ change: ['a'], keep: ['b', 'c', 'd', 'e'] });
    expect(targetsOf(plan, [])).toEqual({ change: [], keep: ['a', 'b', 'c', 'd', 'e'] });
  });

  it('take along what needs a step that is pruned [R4-CHECK-TARGETED]', () => {
    const { issues } = validatePlan(plan, context({ tools: [{ ...search, name: 'serch' }], tokensLeft: 800 }));
    expect(issues.map(({ steps }) => steps)).toEqual([['c']]);
    expect(targetsOf(plan, issues)).toEqual({ change: ['c', 'd', 'e'], keep: ['a', 'b'] });
  });

  it('leave alone what merely comes later [R4-CHECK-TARGETED]', () => {
    const ordered: Plan = {
      goal: '',
      shape: 'ordered',
      steps: [step('a'), step('b', { bindings: { it: { from: 'a' } } }), step('c')],
    };
    const pruned = { check: 'token-budget', severity: 'warning', action: 'prune-low-priority', message: '' } as const;
    expect(targetsOf(ordered, [{ ...pruned, steps: ['a'] }])).toEqual({ change: ['a', 'b'], keep: ['c'] });
    const causal: Plan = { ...ordered, steps: [step('a', { effects: ['x'] }), step('b', { preconditions: ['x'] })] };
    expect(targetsOf(causal, [{ ...pruned, steps: ['a'] }]).keep).toEqual([]);
  });
});
