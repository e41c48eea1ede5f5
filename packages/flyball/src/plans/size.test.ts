import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../test/patience.js';
import { waysThrough } from './branches.js';
import { validatePlan } from './feasibility.js';
import { fewIssues, shownIssues } from './issues.js';
import { PLAN_LIMITS } from './limits.js';
import type { Plan, PlanIssue } from './plan.js';
import { readPlan } from './read-plan.js';
import { resolveThreats } from './resolve-threats.js';
import { context, partial, step } from './sample.test-data.js';
import { targetsOf } from './targets.js';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const names = (count: number, prefix = 'n'): readonly string[] => numbers(count).map((at) => `${prefix}${at}`);

function problemOf(value: unknown): string {
  const read = readPlan(value);
  return read.ok ? 'none' : read.problem;
}

describe('a plan that is too large', () => {
  const one = (fields: object) => ({ steps: [{ id: 'a', description: 'x', ...fields }] });

  it.each([
    ['preconditions', one({ preconditions: names(21) }), /Step a: preconditions holds 21 items, and 20 is the most/],
    ['effects', one({ effects: names(21) }), /Step a: effects holds 21 items/],
    ['tools', one({ stepType: 'tool', requiredTools: names(21) }), /Step a: requiredTools holds 21 items/],
    ['dependencies', one({ dependsOn: names(101) }), /Step a: dependsOn holds 101 items/],
    ['a long condition', one({ effects: ['x'.repeat(501)] }), /Step a: effects is 501 characters long, and 500/],
    ['a long description', one({ description: 'x'.repeat(8_001) }), /description is 8001 characters long, and 8000/],
    ['a long outcome', one({ expectedOutcome: 'x'.repeat(8_001) }), /expectedOutcome is 8001 characters long/],
    ['a long goal', { ...one({}), goal: 'x'.repeat(8_001) }, /Plan: goal is 8001 characters long/],
    [
      'bindings',
      one({ bindings: Object.fromEntries(names(31).map((name) => [name, { value: 1 }])) }),
      /bindings hold 31 names, and 30 is the most/,
    ],
    [
      'a large literal',
      one({ bindings: { x: { value: 'x'.repeat(50_001) } } }),
      /bindings take \d+ characters of JSON/,
    ],
    [
      'large arguments',
      one({ compensation: { tool: 't', args: ['x'.repeat(50_001)] } }),
      /args of the compensation take \d+ characters of JSON/,
    ],
    [
      'links',
      { ...one({}), links: numbers(201).map(() => ({ by: 'a', condition: 'c', for: 'a' })) },
      /Plan: links are 201, and 200 is the most/,
    ],
    [
      'orderings',
      { ...one({}), orderings: numbers(201).map(() => ({ before: 'a', after: 'a' })) },
      /Plan: orderings are 201/,
    ],
    [
      'branches',
      { ...one({}), branches: numbers(101).map(() => ({ at: 'a', observation: 'o', ifSo: ['a'] })) },
      /Plan: branches are 101, and 100 is the most/,
    ],
    [
      'conditions in all',
      { steps: names(40).map((id) => ({ id, description: 'x', effects: names(16) })) },
      /The steps have 640 preconditions and effects in all, and 600 is the most/,
    ],
  ])('in %s is refused with what is the most', (_what, plan, said) => {
    expect(problemOf(plan)).toMatch(said);
  });

  it('is not refused at the very limits', () => {
    const { conditions, allConditions, tools, bindings, textChars, nameChars } = PLAN_LIMITS;
    const full = {
      description: 'x'.repeat(textChars),
      stepType: 'tool',
      requiredTools: names(tools),
      effects: [...names(conditions - 1), 'x'.repeat(nameChars)],
      bindings: Object.fromEntries(names(bindings).map((name) => [name, { value: 1 }])),
    };
    expect(problemOf({ steps: names(allConditions / conditions).map((id) => ({ id, ...full })) })).toBe('none');
  });

  it('does not fill the answer with what it holds', () => {
    const long = 'x'.repeat(100_000);
    const wrong = { id: long, description: 'x', [`required_tools${' '.repeat(9)}`]: 1, bindings: { [long]: 1 } };
    expect(problemOf({ steps: numbers(100).map(() => wrong) }).length).toBeLessThan(5_000);
  });
});

/** Half of the steps undo what the other half makes true, and all rely on all of it. */
const quarrel = (count: number, each: number) =>
  numbers(count).map((at) => ({
    id: `s${at}`,
    description: 'x',
    preconditions: names(each, 'c'),
    effects: names(each, 'c').map((name, index) => ((at + index) % 2 === 0 ? name : `!${name}`)),
  }));

/** Eight branches, five steps on each of their sides: 256 ways. */
const wide = numbers(8).map((at) => ({
  at: `s${at}`,
  observation: 'o',
  ifSo: numbers(5).map((side) => `s${8 + at * 11 + side}`),
  ifNot: numbers(5).map((side) => `s${13 + at * 11 + side}`),
}));
const dense = numbers(100).map((at) => ({ id: `s${at}`, description: 'x', dependsOn: names(at, 's') }));

describe('a hostile plan that parses', () => {
  it.each([
    ['conditions over branches', { shape: 'conditional', steps: quarrel(100, 3), branches: wide }],
    [
      'conditions on a few steps',
      { shape: 'conditional', steps: [...quarrel(15, 20), ...quarrel(100, 0).slice(15)], branches: wide },
    ],
    ['threats', { shape: 'partial', steps: quarrel(100, 3) }],
    ['dependencies', { shape: 'partial', steps: dense, branches: wide }],
    ['dependencies the other way round', { shape: 'partial', steps: dense.toReversed(), branches: wide }],
    [
      'links',
      {
        shape: 'partial',
        steps: quarrel(100, 3),
        links: numbers(200).map((at) => ({ by: `s${at % 50}`, condition: `c${at % 3}`, for: `s${50 + (at % 50)}` })),
      },
    ],
    [
      'names that lead nowhere',
      { shape: 'partial', steps: names(100).map((id) => ({ id, description: 'x', dependsOn: names(100, 'ghost') })) },
    ],
    ['nothing that orders it', { shape: 'partial', steps: names(100).map((id) => ({ id, description: 'x' })) }],
  ])('full of %s is checked in no time', (_what, value) => {
    const read = readPlan(value);
    if (!read.ok) throw new Error(read.problem);
    const start = processorMs();
    resolveThreats(read.plan);
    const { issues } = validatePlan(read.plan, context());
    targetsOf(read.plan, issues);
    // a third of it on a slow machine; without bounds it is a minute
    expect(processorMs() - start).toBeLessThan(1_500);
    expect(issues.length).toBeLessThanOrEqual(200);
  });

  it('is not taken to be sound where it was not looked at', () => {
    const read = readPlan({ shape: 'conditional', steps: quarrel(100, 3), branches: wide });
    if (!read.ok) throw new Error(read.problem);
    const { valid, issues } = validatePlan(read.plan, context({ facts: names(3, 'c') }));
    expect(valid).toBe(false);
    expect(issues).toContainEqual(
      expect.objectContaining({
        check: 'size',
        severity: 'error',
        message: expect.stringContaining('too many conditions'),
      }),
    );
    expect(resolveThreats(read.plan)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('too much to look at'),
    });
  });

  it('gives up on orderings that lead to too much work', () => {
    const steps = quarrel(100, 3).map(({ id, preconditions, effects }) => step(id, { preconditions, effects }));
    const plan: Plan = partial(steps);
    expect(resolveThreats(plan).ok).toBe(false);
  });

  it('has as many ways as its branches make', () => {
    const read = readPlan({ shape: 'partial', steps: quarrel(100, 1), branches: wide });
    expect(read.ok && waysThrough(read.plan).rows).toHaveLength(256);
  });
});

describe('issues', () => {
  const issue = (at: number, severity: PlanIssue['severity'] = 'error'): PlanIssue => ({
    check: 'preconditions',
    severity,
    action: 'replan',
    message: `Issue ${at}.`,
    steps: [`s${at}`],
  });

  it('are shown ten at a time, the gravest first, with the number and the steps of the others', () => {
    const all = [issue(0, 'warning'), ...numbers(30).map((at) => issue(at + 1))];
    const shown = shownIssues(all);
    expect(shown).toHaveLength(10);
    expect(shown.slice(0, 9)).toEqual(all.slice(1, 10));
    expect(shown.at(-1)).toMatchObject({ severity: 'error', message: expect.stringMatching(/^22 more issues/) });
    expect(shown.flatMap(({ steps }) => steps).toSorted()).toEqual(all.flatMap(({ steps }) => steps).toSorted());
  });

  it('are all shown where they are few', () => {
    const all = numbers(10).map((at) => issue(at));
    expect(shownIssues(all)).toBe(all);
  });

  it('are counted right when what was summed up is summed up again', () => {
    const all = numbers(300).map((at) => issue(at));
    expect(shownIssues(fewIssues(all, 200)).at(-1)?.message).toMatch(/^291 more issues/);
  });
});
