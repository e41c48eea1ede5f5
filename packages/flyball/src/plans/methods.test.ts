import { describe, expect, it } from 'vitest';
import { validatePlan } from './feasibility.js';
import { type Decomposed, decompose, type MethodLibrary } from './methods.js';
import { context } from './sample.test-data.js';

const library: MethodLibrary = {
  primitives: {
    compile: { description: 'Compile', stepType: 'tool', requiredTools: ['tsc'], effects: ['built'] },
    'write notes': { description: 'Write the release notes' },
    test: { description: 'Run the tests', preconditions: ['built'], effects: ['tested'] },
    upload: { description: 'Upload', preconditions: ['tested'], reversibility: 'irreversible' },
    post: { description: 'Post it by mail', preconditions: ['tested', 'address'] },
  },
  methods: {
    release: [
      {
        name: 'build, then publish',
        ordering: 'total',
        subTasks: [{ task: 'prepare' }, { task: 'publish' }],
      },
    ],
    prepare: [
      {
        name: 'in parallel',
        ordering: 'partial',
        subTasks: [{ task: 'test', after: ['make'] }, { task: 'write notes' }, { task: 'compile', as: 'make' }],
      },
    ],
    publish: [
      { name: 'online', preconditions: ['online'], ordering: 'total', subTasks: [{ task: 'upload' }], cost: 1 },
      { name: 'by mail', preconditions: ['!online'], ordering: 'total', subTasks: [{ task: 'post' }], cost: 5 },
    ],
  },
};

function stepsOf(result: Decomposed) {
  if (!result.ok) throw new Error(result.problem);
  return result.plan.steps.map(({ id, dependsOn }) => [id, dependsOn]);
}

describe('decomposing a task', () => {
  it('comes to primitive tasks whose order carries over what they were broken down from [R4-SHAPE-HTN]', () => {
    const result = decompose('release', library, ['online']);
    expect(stepsOf(result)).toEqual([
      ['write-notes', []],
      ['compile', []],
      ['test', ['compile']],
      // whoever follows an abstract task waits for all the ends of it
      ['upload', ['write-notes', 'test']],
    ]);
    if (!result.ok) return;
    expect(result.plan).toMatchObject({ goal: 'release', shape: 'partial' });
    expect(result.plan.steps[1]).toMatchObject({
      stepType: 'tool',
      requiredTools: ['tsc'],
      toolValidationMode: 'strict',
    });
    const tools = [{ name: 'tsc', effect: 'pure' } as const];
    expect(validatePlan(result.plan, context({ tools, facts: ['online'] })).issues).toEqual([]);
  });

  it('sees the effects of all the steps before, not only of the last [R4-SHAPE-HTN]', () => {
    const subTasks = ['compile', 'write notes', 'test'].map((task) => ({ task }));
    const slow = { ...library, methods: { check: [{ name: 'slowly', ordering: 'total' as const, subTasks }] } };
    expect(stepsOf(decompose('check', slow, []))).toHaveLength(3);
  });

  it('takes the method that applies to the facts [R4-SHAPE-HTN]', () => {
    expect(stepsOf(decompose('release', library, ['address'])).at(-1)?.[0]).toBe('post');
  });

  it('takes the cheapest of those that apply, by their own cost or the one that is given [R4-SHAPE-HTN]', () => {
    const both: MethodLibrary = {
      primitives: { walk: { description: 'Walk' }, fly: { description: 'Fly' } },
      methods: {
        travel: [
          { name: 'by air', ordering: 'total', subTasks: [{ task: 'fly' }], cost: 9 },
          { name: 'on foot', ordering: 'total', subTasks: [{ task: 'walk' }], cost: 2 },
        ],
      },
    };
    expect(stepsOf(decompose('travel', both, []))).toEqual([['walk', []]]);
    expect(
      stepsOf(
        decompose('travel', both, ['late'], ({ name }, facts) =>
          facts.includes('late') && name === 'on foot' ? 99 : 1,
        ),
      ),
    ).toEqual([['fly', []]]);
  });

  it('tries the next method when one leads nowhere further on [R4-SHAPE-HTN]', () => {
    const stuck: MethodLibrary = {
      ...library,
      methods: {
        ...library.methods,
        prepare: [
          { name: 'skip it', ordering: 'total', subTasks: [], cost: 0 },
          { name: 'do it', ordering: 'total', subTasks: [{ task: 'compile' }, { task: 'test' }], cost: 1 },
        ],
      },
    };
    expect(stepsOf(decompose('release', stuck, ['online']))).toEqual([
      ['compile', []],
      ['test', ['compile']],
      ['upload', ['test']],
    ]);
  });

  it('passes through a task that comes to nothing, and gives repeated tasks their own ids', () => {
    const twice: MethodLibrary = {
      primitives: { knock: { description: 'Knock' } },
      methods: {
        wait: [{ name: 'not', ordering: 'total', subTasks: [] }],
        greet: [
          { name: 'twice', ordering: 'total', subTasks: [{ task: 'knock' }, { task: 'wait' }, { task: 'knock' }] },
        ],
      },
    };
    expect(stepsOf(decompose('greet', twice, []))).toEqual([
      ['knock', []],
      ['knock-2', ['knock']],
    ]);
    expect(decompose('wait', twice, [])).toEqual({
      ok: false,
      problem: 'The methods for wait come to no step.',
      task: 'wait',
    });
  });

  it('names the task that it has no method for [R4-SHAPE-HTN]', () => {
    expect(decompose('celebrate', library, [])).toEqual({
      ok: false,
      problem: 'No method applies to the task celebrate.',
      task: 'celebrate',
    });
    const { methods } = library;
    const unpublished = { ...library, methods: { ...methods, publish: [] } };
    expect(decompose('release', unpublished, [])).toMatchObject({ ok: false, task: 'publish' });
    expect(decompose('release', library, [])).toEqual({
      ok: false,
      problem: 'Task post needs address, which does not hold there.',
      task: 'post',
    });
    expect(decompose('toString', library, [])).toMatchObject({ ok: false, task: 'toString' });
  });

  it('names the failure on the way that was preferred', () => {
    const way = (task: string, cost: number) => ({
      name: task,
      ordering: 'total' as const,
      subTasks: [{ task }],
      cost,
    });
    const two = { ...library, methods: { go: [way('post', 2), way('test', 1)] } };
    expect(decompose('go', two, [])).toMatchObject({ ok: false, task: 'test' });
  });

  it('refuses to grow past the most steps that a plan may have', () => {
    const subTasks = Array.from({ length: 101 }, () => ({ task: 'compile' }));
    const long = { ...library, methods: { go: [{ name: 'long', ordering: 'total' as const, subTasks }] } };
    expect(decompose('go', long, [])).toEqual({
      ok: false,
      problem: 'The plan grows past 100 steps.',
      task: 'compile',
    });
  });

  it('ends methods that name their own task [R4-SHAPE-HTN]', () => {
    const again = (subTasks: readonly string[]): MethodLibrary => ({
      primitives: { dig: { description: 'Dig' } },
      methods: { hole: [{ name: 'deeper', ordering: 'total', subTasks: subTasks.map((task) => ({ task })) }] },
    });
    expect(decompose('hole', again(['hole']), [])).toMatchObject({
      ok: false,
      task: 'hole',
      problem: 'Task hole lies deeper than 16 methods.',
    });
    const started = decompose('hole', again(['dig', 'hole', 'hole']), []);
    expect(started).toMatchObject({ ok: false, problem: 'Task dig lies deeper than 16 methods.' });
    const { methods } = again(['dig', 'hole']);
    const ends: MethodLibrary = {
      primitives: { dig: { description: 'Dig' } },
      methods: { hole: [...(methods['hole'] ?? []), { name: 'enough', ordering: 'total', subTasks: [], cost: 1 }] },
    };
    expect(stepsOf(decompose('hole', ends, []))).toHaveLength(16);
  });

  it('stays within bounds where everything branches and nothing ends', () => {
    const method = (name: string) => ({
      name,
      ordering: 'partial' as const,
      subTasks: ['l', 'r'].map((as) => ({ task: 'tree', as })),
    });
    const tree: MethodLibrary = { primitives: {}, methods: { tree: ['one', 'two', 'three'].map(method) } };
    expect(decompose('tree', tree, []).ok).toBe(false);
  });

  it('refuses a method whose sub-tasks cannot be put in order', () => {
    const loop: MethodLibrary = {
      ...library,
      methods: {
        go: [
          {
            name: 'round',
            ordering: 'partial',
            subTasks: [
              { task: 'compile', after: ['test'] },
              { task: 'test', after: ['compile'] },
            ],
          },
        ],
      },
    };
    expect(decompose('go', loop, [])).toMatchObject({
      ok: false,
      task: 'go',
      problem: expect.stringContaining('method round'),
    });
  });
});
