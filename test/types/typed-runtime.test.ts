import { type Agent, type Agents, budget, createRuntime, done, memoryEngine, type Run, type Runtime } from 'flyball';
import { type AnswerOf, defineAgent, invokeAgent, workflow } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';

/** What the compiler knows: these tests hold when they compile, and then run what was compiled. */

const limits = { budget: budget() };

const weigh = tool({
  name: 'weigh',
  description: 'Weighs a parcel.',
  input: z.object({ parcel: z.string(), unit: z.enum(['kg', 'lb']).default('kg') }),
  effect: 'pure',
  execute: async ({ parcel, unit }) => ({ weight: parcel.length, unit }),
});

const label = tool({
  name: 'label',
  description: 'Prints a label.',
  input: {
    type: 'object',
    properties: { to: { type: 'string' }, copies: { type: 'integer' }, color: { enum: ['red', 'blue'] } },
    required: ['to'],
  },
  effect: 'pure',
  execute: async ({ to, copies = 1 }) => to.repeat(copies),
});

const greet: Agent<{ readonly name: string }, string> = async (_run, { name }) => done(`Hello, ${name}.`);

function agents() {
  const model = scriptedModel({ refunds: ['{"decision": "refunded", "amount": 3}'], clerk: ['{"city": "Bergen"}'] });
  const refunds = defineAgent({
    name: 'refunds',
    description: 'You decide about refunds.',
    model,
    inputs: { order: { type: 'string' }, amount: { type: 'number', default: 3 } },
    outputs: {
      decision: { type: 'string', enum: ['refunded', 'refused'] },
      amount: { type: 'number' },
      note: { type: 'string', required: false },
    },
    loop: { doubleConfirmation: false },
  });
  const clerk = defineAgent({
    name: 'clerk',
    description: 'You know addresses.',
    model,
    output: z.object({ city: z.string() }),
    loop: { doubleConfirmation: false },
  });
  return { refunds, clerk, greet };
}

describe('a runtime', () => {
  it('knows the names of its agents, what each is given and what it returns [F-N1]', async () => {
    const runtime = createRuntime({ engine: memoryEngine(), agents: agents() });
    onTestFinished(() => runtime.close());
    const greeted = await (await runtime.start('greet', { name: 'Ada' }, limits)).outcome();
    if (greeted.stop !== 'done') throw new Error(greeted.stop);
    expectTypeOf(greeted.value).toEqualTypeOf<string>();
    expect(greeted.value).toBe('Hello, Ada.');

    // a default may be left out
    const handle = await runtime.start('refunds', { order: 'A1' }, limits);
    const decided = await handle.finished();
    if (decided.stop !== 'done') throw new Error(decided.stop);
    const { output } = decided.value;
    expectTypeOf(output).toEqualTypeOf<{
      readonly decision: 'refunded' | 'refused';
      readonly amount: number;
      readonly note?: string;
    }>();
    expect(output).toEqual({ decision: 'refunded', amount: 3 });

    const known = await (await runtime.start('clerk', 'Where does Ada live?', limits)).outcome();
    if (known.stop !== 'done') throw new Error(known.stop);
    expectTypeOf(known.value.output).toEqualTypeOf<{ city: string }>();
    expect(known.value.output.city).toBe('Bergen');
  });

  it('refuses a misspelled name and a wrong input before anything runs [F-N1]', () => {
    const runtime = createRuntime({ engine: memoryEngine(), agents: agents() });
    onTestFinished(() => runtime.close());
    const never = [
      // @ts-expect-error: no such agent
      () => runtime.start('refund', { order: 'A1' }, limits),
      // @ts-expect-error: the order is text
      () => runtime.start('refunds', { order: 1 }, limits),
      // @ts-expect-error: there is no order
      () => runtime.start('refunds', {}, limits),
      // @ts-expect-error: a function's input is checked too
      () => runtime.start('greet', 'Ada', limits),
      async () => {
        const outcome = await (await runtime.start('greet', { name: 'Ada' }, limits)).outcome();
        // @ts-expect-error: nobody knows yet how it ended
        return outcome.value;
      },
    ];
    expect(never).toHaveLength(5);
  });

  it('tells a run that it goes on with by all that its agents return [R9-TYPES-HANDLES]', () => {
    const runtime = createRuntime({ engine: memoryEngine(), agents: { greet, count: async () => done(1) } });
    onTestFinished(() => runtime.close());
    type Resumed = Awaited<ReturnType<Awaited<ReturnType<typeof runtime.resume>>['outcome']>>;
    expectTypeOf<Extract<Resumed, { stop: 'done' }>['value']>().toEqualTypeOf<string | number>();
    type Any = Awaited<ReturnType<ReturnType<typeof runtime.handle>['outcome']>>;
    expectTypeOf<Extract<Any, { stop: 'done' }>['value']>().toEqualTypeOf<unknown>(); // it may be another process's
  });

  it('tells a run by what its agent returns where the agent is named, and holds it to that [R9-KERNEL-HANDLE]', async () => {
    const runtime = createRuntime({ engine: memoryEngine(), agents: { greet, count: async () => done(1) } });
    onTestFinished(() => runtime.close());
    const { id } = await runtime.start('count', undefined, limits);
    const outcome = await runtime.handle(id, 'count').finished();
    if (outcome.stop === 'done') expectTypeOf(outcome.value).toEqualTypeOf<number>();
    expect(outcome).toMatchObject({ stop: 'done', value: 1 });
    const types: string[] = [];
    for await (const { type } of runtime.handle(id, 'count').events()) types.push(type);
    expect(types).toContain('run-end');
    const mistaken = runtime.handle(id, 'greet');
    await expect(mistaken.outcome()).rejects.toThrow(`Run ${id} is a run of the agent "count", not of "greet".`);
    await expect(mistaken.events().next()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    // @ts-expect-error there is no such agent
    runtime.handle(id, 'nobody');
  });

  it('takes any name and any input where its agents are not known before it runs [R9-TYPES-DYNAMIC]', async () => {
    const found: Agents = { greet, 'from a file': async () => done(7) };
    const dynamic = createRuntime({ engine: memoryEngine(), agents: found });
    onTestFinished(() => dynamic.close());
    const [name = ''] = Object.keys(found).slice(1);
    const outcome = await (await dynamic.start(name, { whatever: true }, limits)).outcome();
    expect(outcome).toMatchObject({ stop: 'done', value: 7 });
    await expect(dynamic.start('nobody', null, limits)).rejects.toThrow(/nobody/);
    const typed = createRuntime({ engine: memoryEngine(), agents: { greet } });
    onTestFinished(() => typed.close());
    const passed: Runtime = typed; // what works with any runtime takes one that knows its agents
    expect(await (await passed.start('greet', { name: 'Bo' }, limits)).outcome()).toMatchObject({
      value: 'Hello, Bo.',
    });
  });
});

describe('a run', () => {
  it('infers what a tool is given, and what it returns, from its schema [F-N1]', async () => {
    const agent = async (run: Run) => {
      const weighed = await run.call(weigh, { parcel: 'four' }); // the unit has a default
      const labeled = await run.call(label, { to: 'x', copies: 2 });
      // @ts-expect-error: a parcel is text
      const wrong = await run.call(weigh, { parcel: 4 });
      // @ts-expect-error: the schema needs a name
      await run.call(label, { copies: 2 });
      // @ts-expect-error: not one of the colors
      await run.call(label, { to: 'x', color: 'green' });
      if (!weighed.ok || !labeled.ok) throw new Error('refused');
      expectTypeOf(weighed.value).toEqualTypeOf<{ weight: number; unit: 'kg' | 'lb' }>();
      expectTypeOf(labeled.value).toEqualTypeOf<string>();
      return done([weighed.value.weight, labeled.value, wrong.ok]);
    };
    const runtime = createRuntime({ engine: memoryEngine(), agents: { agent } });
    onTestFinished(() => runtime.close());
    const outcome = await (await runtime.start('agent', null, limits)).outcome();
    expect(outcome).toMatchObject({ stop: 'done', value: [4, 'xx', false] });
  });

  it('infers a child from its agent, spawned or invoked [F-N1]', async () => {
    const { refunds, clerk } = agents();
    const parent = async (run: Run) => {
      const child = await run.spawn(greet, { name: 'Ada' }, { share: 0.5 });
      // @ts-expect-error: a child's input is checked
      const wrong = () => run.spawn(greet, { nam: 'Ada' }, { share: 0.5 });
      const invoked = await invokeAgent(run, refunds, { order: 'A1' });
      // @ts-expect-error: an invoked agent's too
      const wrongToo = () => invokeAgent(run, refunds, { order: 1 });
      const value = await invokeAgent(run, greet, { name: 'Bo' });
      if (child.stop !== 'done' || invoked.stop !== 'done' || value.stop !== 'done') throw new Error('stopped');
      expectTypeOf(child.value).toEqualTypeOf<string>();
      expectTypeOf(invoked.value.output.decision).toEqualTypeOf<'refunded' | 'refused'>();
      expectTypeOf(value.value.output).toEqualTypeOf<string>();
      return done([child.value, invoked.value.output.amount, value.value.output, typeof wrong, typeof wrongToo]);
    };
    expectTypeOf<AnswerOf<typeof clerk>>().toEqualTypeOf<{ city: string }>();
    const runtime = createRuntime({ engine: memoryEngine(), agents: { parent } });
    onTestFinished(() => runtime.close());
    const outcome = await (await runtime.start('parent', null, limits)).outcome();
    expect(outcome).toMatchObject({ value: ['Hello, Ada.', 3, 'Hello, Bo.', 'function', 'function'] });
  });
});

describe('a workflow', () => {
  it('knows the agents that it declares and the input of its body [F-N1]', async () => {
    const { refunds } = agents();
    const flow = workflow(
      {
        name: 'flow',
        inputs: { order: { type: 'string' }, urgent: { type: 'boolean', default: false } },
        agents: { refunds },
      },
      async (run, { order, urgent }, { invokeAgent: invoke }) => {
        expectTypeOf(urgent).toEqualTypeOf<boolean>();
        const decided = await invoke(run, 'refunds', { order });
        // @ts-expect-error: it has no such agent
        const wrong = () => invoke(run, 'refund', { order });
        return decided.stop === 'done' ? done([decided.value.output.decision, urgent, typeof wrong] as const) : decided;
      },
    );
    const runtime = createRuntime({ engine: memoryEngine(), agents: { flow } });
    onTestFinished(() => runtime.close());
    const outcome = await (await runtime.start('flow', { order: 'A1' }, limits)).outcome();
    expect(outcome).toMatchObject({ stop: 'done', value: ['refunded', false, 'function'] });
    // @ts-expect-error: its input is checked like any agent's
    expect(() => runtime.start('flow', { order: 1 }, limits)).toBeTypeOf('function');
  });
});
