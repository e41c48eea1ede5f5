import { describe, expect, it } from 'vitest';
import { validatePlan } from './feasibility.js';
import { predecessors } from './graph.js';
import { MAX_STEPS, parsePlan, readPlan } from './read-plan.js';
import { context } from './sample.test-data.js';

const full = {
  goal: 'Know the weather',
  shape: 'partial',
  steps: [
    {
      id: 'step_1',
      description: 'Search for weather data',
      stepType: 'tool',
      requiredTools: ['webSearch'],
      expectedOutcome: 'Retrieved weather statistics',
      toolValidationMode: 'advisory',
      dependsOn: [],
      preconditions: ['online', '!paused'],
      effects: ['data-found'],
      bindings: { city: { value: 'Oslo' } },
      priority: 3,
      reversibility: 'undoable',
      compensation: { tool: 'forget', args: { what: 'search' } },
      estimatedTokens: 700,
      estimatedMs: 900,
    },
    {
      id: 'step_2',
      description: 'Summarise',
      stepType: 'reasoning',
      requiredTools: [],
      expectedOutcome: 'A paragraph',
      toolValidationMode: 'advisory',
      dependsOn: ['step_1'],
      preconditions: ['data-found'],
      effects: [],
      bindings: { data: { from: 'step_1' } },
      priority: 0,
      reversibility: 'pure',
      estimatedTokens: 300,
      estimatedMs: 400,
    },
  ],
};

function problemOf(value: unknown): string {
  const read = readPlan(value);
  return read.ok ? 'no problem' : read.problem;
}

function planOf(value: unknown) {
  const read = readPlan(value);
  if (!read.ok) throw new Error(read.problem);
  return read.plan;
}

function oneStep(fields: object): unknown {
  return { steps: [{ id: 'a', description: 'Do it', ...fields }] };
}

const WRONG: readonly (readonly [unknown, RegExp])[] = [
  ['{"steps": 3}', /object with a list of "steps"/],
  [{ steps: [] }, /no steps/],
  [{ steps: [7] }, /Step 1: must be an object/],
  [{ steps: [{ description: 'x' }] }, /Step 1: id must be a non-empty string/],
  [{ steps: [{ id: 'a/b', description: 'x' }] }, /Step a\/b: id must begin with a letter or digit/],
  [{ steps: [{ id: '__proto__', description: 'x' }] }, /Step __proto__: id/],
  [oneStep({ description: '  ' }), /Step a: description must be a non-empty string/],
  [oneStep({ stepType: 'magic' }), /Step a: stepType must be one of tool, reasoning/],
  [oneStep({ stepType: 'tool' }), /Step a: requiredTools must name at least one tool/],
  [oneStep({ stepType: 'tool', requiredTools: 'web' }), /Step a: requiredTools must be a list/],
  [oneStep({ stepType: 'reasoning', requiredTools: ['web'] }), /must be empty in a reasoning step/],
  [oneStep({ required_tools: ['web'] }), /Step a: required_tools is written requiredTools/],
  [oneStep({ toolValidationMode: 'lax' }), /toolValidationMode must be one of advisory, strict/],
  [oneStep({ dependsOn: [''] }), /dependsOn must be a list of non-empty strings/],
  [oneStep({ preconditions: [{}] }), /preconditions must be a list/],
  [oneStep({ effects: ['x', '!x'] }), /effects holds both "x" and "!x"/],
  [oneStep({ preconditions: ['!'] }), /preconditions holds "!"/],
  [oneStep({ bindings: { city: 'Oslo' } }), /Step a: bindings\.city must be/],
  [oneStep({ bindings: ['Oslo'] }), /Step a: bindings must be an object/],
  [oneStep({ priority: 'high' }), /Step a: priority must be a number/],
  [oneStep({ estimatedTokens: -1 }), /Step a: estimatedTokens must be a number of at least 0/],
  [oneStep({ estimatedMs: '5s' }), /Step a: estimatedMs must be a number/],
  [oneStep({ reversibility: 'maybe' }), /reversibility must be one of pure/],
  [
    {
      steps: [
        { id: 'a', description: 'x' },
        { id: 'a', description: 'y' },
      ],
    },
    /Step 2: id a is taken/,
  ],
  [{ ...full, shape: 'loose' }, /Plan: shape must be one of/],
  [{ ...full, shape: 'conditional' }, /Plan: branches are missing/],
  [{ ...full, branches: [{ at: 'step_1', observation: 'so' }] }, /Branch 1: ifSo and ifNot are both empty/],
  [{ ...full, branches: [{ at: 'step_1', ifSo: ['step_2'] }] }, /Branch 1: observation must be/],
  [{ ...full, links: 'none' }, /Plan: links must be a list of objects/],
  [{ ...full, links: [{ by: 'step_1', for: 'step_2' }] }, /A link: condition/],
  [{ ...full, Branches: [] }, /Plan: Branches is written branches/],
  [Array.from({ length: MAX_STEPS + 1 }, (_, id) => ({ id, description: 'x' })), /write 100 at most/],
];

describe('reading a plan', () => {
  it('keeps every field of a step as it was written [R4-PLAN-FIELDS]', () => {
    expect(planOf(full)).toEqual(full);
  });

  it('reads back what it gave, links, orderings and branches included [R4-PLAN-FIELDS]', () => {
    const plan = planOf({
      ...full,
      steps: [...full.steps, { id: 'other', description: 'Ask somebody', dependsOn: ['step_1'] }],
      links: [{ by: 'step_1', condition: 'data-found', for: 'step_2' }],
      orderings: [{ before: 'step_1', after: 'other' }],
      branches: [{ at: 'step_1', observation: 'There is data', ifSo: ['step_2'], ifNot: ['other'] }],
    });
    expect(plan.shape).toBe('conditional');
    expect(planOf(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  it('takes a step without a type for a reasoning step that is not checked [R4-PLAN-DEFAULT-REASONING]', () => {
    const [step] = planOf(oneStep({})).steps;
    expect(step).toEqual({
      id: 'a',
      description: 'Do it',
      stepType: 'reasoning',
      requiredTools: [],
      expectedOutcome: '',
      toolValidationMode: 'advisory',
      dependsOn: [],
      preconditions: [],
      effects: [],
      bindings: {},
      priority: 0,
      reversibility: 'pure',
      estimatedTokens: 1_000,
      estimatedMs: 5_000,
    });
  });

  it.each([
    [
      'steps',
      {
        steps: [
          { id: 1, description: 'First' },
          { id: 2, description: 'Second', status: 'pending' },
        ],
      },
    ],
    [
      'todo',
      {
        todo: [
          { id: '1', description: 'First' },
          { id: '2', description: 'Second' },
        ],
      },
    ],
    [
      'items',
      {
        items: [
          { id: '1', description: 'First' },
          { id: '2', description: 'Second' },
        ],
      },
    ],
    [
      'a bare list',
      [
        { id: '1', description: 'First' },
        { id: '2', description: 'Second' },
      ],
    ],
    [
      'a wrapped list',
      {
        plan: [
          { id: '1', description: 'First' },
          { id: '2', description: 'Second' },
        ],
      },
    ],
  ])('reads an older todo list under %s as reasoning steps in their order [R4-PLAN-DEFAULT-REASONING]', (_, list) => {
    const plan = planOf(list);
    expect(plan.steps.map(({ id, description, stepType }) => [id, description, stepType])).toEqual([
      ['1', 'First', 'reasoning'],
      ['2', 'Second', 'reasoning'],
    ]);
    expect(plan.shape).toBe('ordered');
    expect(validatePlan(plan, context()).issues).toEqual([]);
  });

  it('reads a todoList, whose items may require tools without a type: they are tool steps, checked as advisory [R8-PLANS-TODO-LIST]', () => {
    const plan = planOf({
      todoList: [
        { id: 'step_1', description: 'Search', requiredTools: ['webSearch'], expectedOutcome: 'Statistics' },
        { id: 'step_2', description: 'Think', dependencies: ['step_1'] },
        { id: 'step_3', description: 'Book', requiredTools: ['book'], toolValidationMode: 'strict' },
      ],
    });
    expect(plan.steps.map(({ id, stepType, toolValidationMode }) => [id, stepType, toolValidationMode])).toEqual([
      ['step_1', 'tool', 'advisory'],
      ['step_2', 'reasoning', 'advisory'],
      ['step_3', 'tool', 'strict'],
    ]);
  });

  it('reads a list of sentences, and the older name of dependencies [R4-PLAN-DEFAULT-REASONING]', () => {
    expect(planOf(['Look', 'Leap']).steps.map(({ id, description }) => [id, description])).toEqual([
      ['step-1', 'Look'],
      ['step-2', 'Leap'],
    ]);
    const plan = planOf([
      { id: 1, description: 'Look' },
      { id: 2, description: 'Leap', dependencies: [1] },
    ]);
    expect(plan.shape).toBe('partial');
    expect(plan.steps[1]?.dependsOn).toEqual(['1']);
  });

  it('checks tool steps strictly and reasoning steps by advice where the plan does not say', () => {
    const plan = planOf({
      steps: [
        { id: 'a', description: 'Call', stepType: 'tool', requiredTools: ['t'] },
        { id: 'b', description: 'Think' },
      ],
    });
    expect(plan.steps.map(({ toolValidationMode }) => toolValidationMode)).toEqual(['strict', 'advisory']);
  });

  it.each(WRONG.map(([value, problem]) => [problem, value] as const))(
    'says what is wrong and where: %s [R4-PLAN-PARSE]',
    (problem, value) => {
      expect(problemOf(value)).toMatch(problem);
    },
  );

  it('names all problems of a plan at once, within reason [R4-PLAN-PARSE]', () => {
    const two = problemOf({ steps: [{ id: 'a' }, { id: 'b', description: 'x', priority: '1' }] });
    expect(two).toMatch(/Step a: description .*; Step b: priority /);
    const many = problemOf({ steps: Array.from({ length: 12 }, (_, id) => ({ id })) });
    expect(many).toMatch(/and 4 more\.$/);
  });

  it.each(['idempotent', 'undoable'])(
    'asks an %s step for its compensation [R4-PLAN-COMPENSATION]',
    (reversibility) => {
      expect(problemOf(oneStep({ reversibility }))).toMatch(/Step a: compensation must name the tool and args/);
      expect(problemOf(oneStep({ reversibility, compensation: {} }))).toMatch(/Step a: compensation: tool must be/);
      const [step] = planOf(oneStep({ reversibility, compensation: { tool: 'undo' } })).steps;
      expect(step?.compensation).toEqual({ tool: 'undo', args: {} });
    },
  );

  it('lets an irreversible step without compensation through to the permission gate [R4-PLAN-COMPENSATION]', () => {
    const plan = planOf(oneStep({ reversibility: 'irreversible' }));
    const { issues } = validatePlan(plan, context({ permits: () => false }));
    expect(issues.map(({ check, severity, steps }) => [check, severity, steps])).toEqual([
      ['permission', 'blocked', ['a']],
    ]);
  });

  it('knows in a conditional list that what lies inside one side cannot meet the other [R4-SHAPE-CONDITIONAL]', () => {
    const plan = planOf({
      steps: ['a', 'b', 'c', 'd'].map((id) => ({ id, description: id })),
      branches: [
        { at: 'a', observation: 'outer', ifSo: ['b'], ifNot: ['d'] },
        { at: 'b', observation: 'inner', ifSo: ['c'], ifNot: [] },
      ],
    });
    expect(plan.steps.map(({ dependsOn }) => dependsOn)).toEqual([[], ['a'], ['b'], ['a']]);
    expect(validatePlan(plan, context()).issues).toEqual([]);
  });

  it('writes a negated condition in one way', () => {
    const [step] = planOf(oneStep({ preconditions: ['! paused', '!paused', ' online '] })).steps;
    expect(step?.preconditions).toEqual(['!paused', 'online']);
  });

  it('keeps the dependencies of a conditional plan unless it says that the list is the order [R4-SHAPE-CONDITIONAL]', () => {
    const branches = [{ at: 'a', observation: 'so', ifSo: ['b'], ifNot: [] }];
    const steps = ['a', 'b', 'c'].map((id) => ({ id, description: id, dependsOn: id === 'c' ? ['a'] : [] }));
    const dependencies = (value: object) => planOf({ branches, ...value }).steps.map(({ dependsOn }) => dependsOn);
    expect(dependencies({ steps })).toEqual([[], [], ['a']]);
    expect(dependencies({ steps, shape: 'ordered' })).toEqual([[], ['a'], ['a', 'b']]);
    const loose = steps.map(({ id, description }) => ({ id, description }));
    expect(dependencies({ steps: loose, shape: 'partial' })).toEqual([[], [], []]);
    expect(dependencies({ steps: loose })).toEqual([[], ['a'], ['a', 'b']]);
  });

  it('freezes what it read, all the way down', () => {
    const [step] = planOf(full).steps;
    expect(Object.isFrozen(step)).toBe(true);
    expect(() => Object.assign(step?.compensation?.args as object, { what: 'all' })).toThrow(TypeError);
  });

  it('turns a conditional list without dependencies into one that runs from top to bottom [R4-SHAPE-CONDITIONAL]', () => {
    const plan = planOf({
      steps: ['look', 'cook', 'taste', 'order', 'eat', 'wash'].map((id) => ({ id, description: id })),
      branches: [{ at: 'look', observation: 'There is food', ifSo: ['cook', 'taste'], ifNot: ['order'] }],
    });
    expect(plan.steps.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['look', []],
      ['cook', ['look']],
      ['taste', ['cook']],
      ['order', ['look']],
      ['eat', ['look', 'cook', 'taste', 'order']],
      ['wash', ['eat']],
    ]);
    expect(predecessors(plan, 'wash')).toHaveLength(5);
    expect(validatePlan(plan, context()).issues).toEqual([]);
  });
});

describe('finding a plan in a text', () => {
  const text = JSON.stringify(full, null, 2);

  it.each([
    ['alone', text],
    ['in a fence', `\`\`\`json\n${text}\n\`\`\``],
    ['in a fence with prose around it', `Here [1] is {my} plan:\n\n\`\`\`\n${text}\n\`\`\`\nGood luck, [see above].`],
    ['with prose around it', `I thought about {this} and [that] first.\n${text}\nThat is all [1].`],
    ['in a fence after a bracket that is never closed', `First [of all:\n\`\`\`json\n${text}\n\`\`\``],
    ['twice, word for word', `${text}\n\nOnce more:\n${text}`],
  ])('reads a plan that stands %s [R4-PLAN-PARSE]', (_, given) => {
    const read = parsePlan(given);
    expect(read).toEqual({ ok: true, plan: full });
  });

  it.each([
    ['no plan', 'I would first search, then think.', 'It contains no plan in valid JSON.'],
    ['other JSON', 'The list [1, 2] and {"a": 1}.', 'It contains no plan in valid JSON.'],
    ['two plans', `${text}\nor\n[{"id":"x","description":"Something else"}]`, 'It contains 2 plans; write one.'],
    ['nothing', '', 'It contains no plan in valid JSON.'],
    ['another value', '"steps"', 'A plan is an object with a list of "steps".'],
  ])('refuses a text with %s [R4-PLAN-PARSE]', (_, given, problem) => {
    expect(parsePlan(given)).toEqual({ ok: false, problem });
  });

  it('takes no part of a broken or unfinished plan for the whole [R4-PLAN-PARSE]', () => {
    const steps = '"steps": [{"id": "a", "description": "Delete it"}]';
    const broken = parsePlan(`Plan: {${steps}, branches: none}`);
    expect(broken).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/begins with \{"steps": .* is broken\.$/),
    });
    const cut = parsePlan(`{${steps}, "branches": [`);
    expect(cut).toMatchObject({ ok: false, problem: expect.stringMatching(/ is never closed\.$/) });
  });

  it('refuses what is nested too deeply instead of breaking on it', () => {
    const args = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const deep = `[{"id":"a","description":"x","compensation":{"tool":"t","args":${args}}}]`;
    expect(parsePlan(deep).ok).toBe(false);
    expect(parsePlan(`My plan: ${deep}`).ok).toBe(false);
    expect(problemOf(JSON.parse(deep))).toMatch(/nested too deeply/);
  });

  it('is not misled by brackets and quotes inside of strings [R4-PLAN-PARSE]', () => {
    const steps = [{ id: 'a', description: 'Write "}" and ]] and \\ there' }];
    expect(parsePlan(`Now: ${JSON.stringify(steps)} Done.`)).toEqual(readPlan(steps));
  });

  it('gives up on a hostile text quickly', () => {
    for (const part of ['[', '{"', '```a\n', '[{', ']'])
      expect(parsePlan(part.repeat(300_000 / part.length)).ok).toBe(false);
    expect(parsePlan(' '.repeat(400_001))).toMatchObject({ ok: false });
  });
});
