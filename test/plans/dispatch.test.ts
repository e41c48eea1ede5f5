import type { ModelRequest, Run } from 'flyball';
import type { Plan, PlanStep } from 'flyball/plans';
import { readPlan } from 'flyball/plans';
import type { Script } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { dispatch, type Trouble } from '../../packages/flyball/src/loops/plan/dispatch.js';
import { Progress } from '../../packages/flyball/src/loops/plan/progress.js';
import { proposes } from '../loops/stage-loop.js';
import { moving } from '../runtime/stage.js';
import { lastOf, type Note, planText, recordedTools, runPlan, thinking } from './stage-plan.js';

/** The step that a request of the worker is about. */
const stepIn = ({ messages }: ModelRequest): string =>
  /Think about ([\w-]+)\./.exec(messages.at(-1)?.content ?? '')?.[1] ?? '?';
const echoing: Script[string] = (request) => `${stepIn(request)} is clear.`;
const started = (notes: readonly Note[]): readonly unknown[] => notes.map(({ step }) => step);

describe('an ordered plan', () => {
  it('runs one step after the other, whatever their priority [R4-SHAPE-ORDERED]', async () => {
    let inFlight = 0;
    let peak = 0;
    const { notes, result } = await runPlan({
      planner: planText([
        thinking('a', { priority: 1 }),
        thinking('b', { priority: 9 }),
        thinking('c', { priority: 5 }),
      ]),
      worker: async (request) => {
        peak = Math.max(peak, ++inFlight);
        await new Promise((resolve) => setImmediate(resolve));
        inFlight--;
        return stepIn(request);
      },
    });
    expect(started(notes('step-start'))).toEqual(['a', 'b', 'c']);
    expect(peak).toBe(1);
    expect(result.records.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(result.output).toBe('c');
  });
});

describe('a partial order', () => {
  const wide = (priorities: Readonly<Record<string, number>>, more: readonly Partial<PlanStep>[] = []) =>
    planText([...Object.entries(priorities).map(([id, priority]) => thinking(id, { priority })), ...more], {
      shape: 'partial',
    });

  it('begins with what has the highest priority, then with what most steps wait for [R4-CHECK-DISPATCH]', async () => {
    const behind = [thinking('x', { dependsOn: ['much'] }), thinking('y', { dependsOn: ['much'] })];
    const { notes } = await runPlan(
      { planner: wide({ low: 1, little: 5, much: 5, high: 9 }, behind), worker: echoing },
      { execution: { width: 1 } },
    );
    expect(started(notes('step-start')).slice(0, 4)).toEqual(['high', 'much', 'little', 'low']);
  });

  it('runs side by side what may, and never more than the width [R4-CHECK-DISPATCH]', async () => {
    let inFlight = 0;
    const seen: number[] = [];
    let full: () => void = () => undefined;
    const bothThere = new Promise<void>((resolve) => {
      full = resolve;
    });
    const { outcome } = await runPlan(
      {
        planner: wide({ a: 0, b: 0, c: 0, d: 0 }),
        worker: async (request) => {
          seen.push(++inFlight);
          if (inFlight === 2) full();
          await bothThere; // hangs unless two really run at the same time
          inFlight--;
          return stepIn(request);
        },
      },
      { execution: { width: 2 } },
    );
    expect(outcome.stop).toBe('done');
    expect(Math.max(...seen)).toBe(2);
    expect(seen).toHaveLength(4);
  });

  it('takes no more lanes than the budget of the run has room for', async () => {
    for (const width of [1, 2]) {
      let inFlight = 0;
      let peak = 0;
      const { outcome, result } = await runPlan(
        {
          planner: wide({ a: 0, b: 0, c: 0, d: 0 }),
          worker: async (request) => {
            peak = Math.max(peak, ++inFlight);
            await new Promise((resolve) => setImmediate(resolve));
            inFlight--;
            return stepIn(request);
          },
        },
        { limits: { width } },
      );
      expect(outcome.stop).toBe('done'); // and not bounded by its own width
      expect(result.records).toHaveLength(4);
      expect(peak).toBe(width);
    }
  });

  it('starts a step the moment that all it waits for is done, and does not wait for the others [R4-CHECK-DISPATCH]', async () => {
    let freed: () => void = () => undefined;
    const slowMayEnd = new Promise<void>((resolve) => {
      freed = resolve;
    });
    const { outcome, notes } = await runPlan(
      {
        planner: planText([thinking('slow'), thinking('quick'), thinking('next', { dependsOn: ['quick'] })], {
          shape: 'partial',
        }),
        worker: async (request) => {
          const step = stepIn(request);
          if (step === 'next') freed();
          if (step === 'slow') await slowMayEnd; // ends only after `next` has begun
          return step;
        },
      },
      { execution: { width: 2 } },
    );
    expect(outcome.stop).toBe('done');
    expect(notes('step-end').map(({ id }) => id)[0]).toBe('quick');
  });

  it('lets what is under way end after a failure, and begins nothing new', async () => {
    const { tools, done } = recordedTools('search');
    const { result, notes } = await runPlan(
      {
        planner: planText([thinking('bad'), thinking('good'), thinking('later', { dependsOn: ['good'] })], {
          shape: 'partial',
        }),
        worker: (request) => {
          if (request.messages.some(({ content }) => content.includes('Think about bad.'))) return new Error('gone');
          const turn = request.messages.filter(({ role }) => role === 'assistant').length;
          return turn < 3 ? proposes('search', { x: String(turn) }, `c${turn}`) : 'Good.'; // long after the failure
        },
      },
      { tools, execution: { width: 2 } },
    );
    expect(result).toMatchObject({ completed: false, failedStep: 'bad' });
    expect(result.records.map(({ id, status }) => [id, status])).toEqual([
      ['bad', 'failed'],
      ['good', 'done'],
    ]);
    expect(done).toHaveLength(3);
    expect(started(notes('step-start'))).not.toContain('later');
  });

  it('gives what its last steps said, each under its name', async () => {
    const { result } = await runPlan({ planner: wide({ a: 0, b: 0 }), worker: echoing });
    expect(result.output).toBe('Think about a.\na is clear.\n\nThink about b.\nb is clear.');
  });
});

describe('a conditional plan', () => {
  const conditional = planText(
    [
      thinking('test'),
      thinking('repair', { dependsOn: ['test'] }),
      thinking('repeat', { dependsOn: ['repair'] }),
      thinking('praise', { dependsOn: ['test'] }),
      thinking('report', { dependsOn: ['repeat', 'praise'] }),
    ],
    {
      shape: 'conditional',
      branches: [{ at: 'test', observation: 'a test failed', ifSo: ['repair'], ifNot: ['praise'] }],
    },
  );
  const answers = (holds: boolean) => JSON.stringify({ holds, because: 'it says so' });

  it.each([
    [true, ['test', 'repair', 'repeat', 'report'], ['praise']],
    [false, ['test', 'praise', 'report'], ['repair', 'repeat']],
  ])(
    'runs one side when the observation is %s, and skips the other with all that hangs on it [R4-SHAPE-CONDITIONAL]',
    async (holds, ran, skipped) => {
      const { outcome, result, model, notes } = await runPlan({
        planner: conditional,
        worker: echoing,
        'worker-observer': answers(holds),
      });
      expect(outcome.stop).toBe('done');
      expect(started(notes('step-start'))).toEqual(ran);
      const records = new Map(result.records.map((record) => [record.id, record]));
      for (const id of skipped)
        expect(records.get(id)).toMatchObject({ status: 'skipped', validationStatus: 'skipped' });
      expect(result.records).toHaveLength(5);
      expect(notes('branch')).toMatchObject([
        { at: 'test', observation: 'a test failed', holds, because: 'it says so' },
      ]);
      expect(lastOf(model, 'worker-observer', 1)).toContain('a test failed');
      expect(model.promptAt('worker-observer')).toContain('test is clear.');
    },
  );

  it('says of a result that it binds where the step of it was skipped [R4-PLAN-BINDINGS]', async () => {
    const { model } = await runPlan({
      planner: planText(
        [
          thinking('test'),
          thinking('repair', { dependsOn: ['test'] }),
          thinking('report', { dependsOn: ['test', 'repair'], bindings: { repaired: { from: 'repair' } } }),
        ],
        { shape: 'conditional', branches: [{ at: 'test', observation: 'it failed', ifSo: ['repair'], ifNot: [] }] },
      ),
      worker: echoing,
      'worker-observer': answers(false),
    });
    expect(model.promptAt('worker', 2)).toContain('repaired =\n(no value: step repair did not run)');
  });

  it('nests: the branch inside a side that was skipped is never observed [R4-SHAPE-CONDITIONAL]', async () => {
    const nested = planText(
      [
        thinking('a'),
        thinking('b', { dependsOn: ['a'] }),
        thinking('c', { dependsOn: ['b'] }),
        thinking('d', { dependsOn: ['b'] }),
        thinking('e', { dependsOn: ['a'] }),
      ],
      {
        shape: 'conditional',
        branches: [
          { at: 'a', observation: 'outer', ifSo: ['b'], ifNot: ['e'] },
          { at: 'b', observation: 'inner', ifSo: ['c'], ifNot: ['d'] },
        ],
      },
    );
    const inside = await runPlan({
      planner: nested,
      worker: echoing,
      'worker-observer': [answers(true), answers(false)],
    });
    expect(started(inside.notes('step-start'))).toEqual(['a', 'b', 'd']);
    const outside = await runPlan({ planner: nested, worker: echoing, 'worker-observer': [answers(false)] });
    expect(started(outside.notes('step-start'))).toEqual(['a', 'e']);
    outside.model.assertFinished();
  });

  it('is refused when branches are nested more than four deep [R4-SHAPE-CONDITIONAL]', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const deep = planText(
      ids.map((id, index) => thinking(id, { dependsOn: ids.slice(Math.max(0, index - 1), index) })),
      {
        shape: 'conditional',
        branches: ids
          .slice(0, 5)
          .map((at, index) => ({ at, observation: `${at} holds`, ifSo: [ids[index + 1]], ifNot: [] })),
      },
    );
    const { outcome, model } = await runPlan({ planner: () => deep });
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'PLAN_INVALID' } });
    expect(model.requestsOf('worker')).toHaveLength(0);
  });

  it('asks again for an answer that is neither yes nor no, and fails when none comes', async () => {
    const mended = await runPlan({
      planner: conditional,
      worker: echoing,
      'worker-observer': ['Perhaps.', answers(true)],
    });
    expect(mended.outcome.stop).toBe('done');
    const { outcome } = await runPlan({
      planner: conditional,
      worker: echoing,
      'worker-observer': () => '{"holds":"maybe"}',
    });
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'REPLY_INVALID' } });
  });
});

describe('the dispatcher on its own', () => {
  /** What becomes of a plan that no check has seen. */
  async function dispatched(steps: readonly Partial<PlanStep>[], facts: readonly string[]) {
    const read = readPlan({ goal: 'g', shape: 'partial', steps });
    const plan = (read as { plan: Plan }).plan;
    const order: string[] = [];
    let troubles: readonly Trouble[] = [];
    const progress = new Progress(plan, 1);
    await moving()
      .open(async (run: Run) => {
        const carryOut = async (lane: Run, step: PlanStep): Promise<undefined> => {
          await lane.step(step.id, {}, () => order.push(step.id), 'pure');
          progress.end(lane, {
            id: step.id,
            status: 'done',
            validationStatus: 'skipped',
            actualToolCalls: [],
            missingTools: [],
            result: '',
            attempts: 1,
          });
        };
        troubles = await dispatch(run, progress, { width: 2, facts, carryOut });
        return { stop: 'done', value: null };
      })
      .start();
    return { order, troubles, statuses: Object.fromEntries(progress.statuses) };
  }

  it('holds a step back until what it needs holds, and blocks it when nothing can make it true [R4-PLAN-PRECONDITIONS]', async () => {
    const steps = [
      thinking('cook', { preconditions: ['oven is hot'], priority: 9 }),
      thinking('heat', { effects: ['oven is hot'] }),
      thinking('eat', { preconditions: ['table is laid'] }),
    ];
    const late = await dispatched(steps.slice(0, 2), []);
    expect(late.order).toEqual(['heat', 'cook']);
    const blocked = await dispatched(steps, []);
    expect(blocked.order).toEqual(['heat', 'cook']);
    expect(blocked.troubles).toEqual([{ step: 'eat', why: 'what it needs does not hold: table is laid' }]);
    expect(blocked.statuses).toEqual({ heat: 'done', cook: 'done', eat: 'blocked' });
    const laid = await dispatched(steps, ['table is laid']);
    expect(laid.troubles).toEqual([]);
    const unlaid = await dispatched(
      [
        thinking('clear', { effects: ['!table is laid'] }),
        thinking('eat', { preconditions: ['table is laid'], dependsOn: ['clear'] }),
      ],
      ['table is laid'],
    );
    expect(unlaid.troubles).toMatchObject([{ step: 'eat' }]);
  });

  it('hands every step out once, however many lanes look for it', async () => {
    const { order } = await dispatched(
      ['a', 'b', 'c', 'd', 'e'].map((id) => thinking(id)),
      [],
    );
    expect([...order].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
