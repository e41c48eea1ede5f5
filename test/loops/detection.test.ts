import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { smallTools } from './small-tools.js';
import { call, forEver, proposes, proposesAll, runLoop } from './stage-loop.js';

const ONCE = { doubleConfirmation: false };

describe('a loop that goes round in circles', () => {
  it('is told once, and then ended as loop_detected [R3-LOOP-DETECT]', async () => {
    const tools = smallTools();
    const { model, result } = await runLoop(
      forEver(() => proposes('add_one', { x: 1 })),
      { tools: tools.all },
    );
    expect(result).toMatchObject({
      termination: 'loop_detected',
      iterations: 3,
      why: 'add_one gave the same result 3 times for the same arguments',
    });
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('2');
    expect(model.requests[2]?.messages.at(-1)?.content).toMatch(/^2\n\n\(add_one has given this same result 2 times/);
    expect(tools.done).toHaveLength(3);
  });

  it('is found out when it alternates between calls [R3-LOOP-DETECT]', async () => {
    const { result } = await runLoop(
      forEver((n) => proposes('add_one', { x: n % 2 })),
      { tools: smallTools().all },
    );
    expect(result).toMatchObject({ termination: 'loop_detected', iterations: 5 });
  });

  it('is not seen where work goes on: edits between equal test results, and files that are read again [F-K7]', async () => {
    const edit = tool({
      name: 'edit',
      description: 'Edits. Not for anything else.',
      effect: 'idempotent',
      input: { type: 'object', properties: { v: { type: 'number' } } },
      execute: async () => 'edited',
    });
    const pure = (name: string, says: (args: Readonly<Record<string, unknown>>) => string) =>
      tool({
        name,
        description: `Does ${name}. Not for anything else.`,
        effect: 'pure',
        input: { type: 'object', properties: {}, additionalProperties: true },
        execute: async (args) => says(args as Readonly<Record<string, unknown>>),
      });
    const test = pure('run_tests', () => '1 failed: expected 2 got 3');
    const rounds = [1, 2, 3, 4, 5, 6, 7].flatMap((v) => [proposes('edit', { v }), proposes('run_tests')]);
    const edited = await runLoop([...rounds, 'Done.'], { tools: [edit, test], config: ONCE });
    expect(edited.result).toMatchObject({ termination: 'completed', toolCalls: 14 });

    const paths = ['cfg', 'a', 'b', 'cfg', 'c', 'd', 'cfg', 'e'];
    const read = pure('read_file', ({ path }) => `content of ${String(path)}`);
    const reads = paths.map((path) => proposes('read_file', { path }));
    const again = await runLoop([...reads, 'Done.'], { tools: [read], config: ONCE });
    expect(again.result).toMatchObject({ termination: 'completed' });
  });

  it('is seen when the same change is made again and again [F-K7]', async () => {
    const edit = tool({
      name: 'edit',
      description: 'Edits. Not for anything else.',
      effect: 'idempotent',
      input: { type: 'object', properties: {} },
      execute: async () => 'edited',
    });
    const { result } = await runLoop(
      forEver((n) => proposes(n % 2 === 0 ? 'add_one' : 'edit', n % 2 === 0 ? { x: 1 } : {})),
      { tools: [edit, ...smallTools().all] },
    );
    expect(result).toMatchObject({ termination: 'loop_detected', iterations: 5 });
  });

  it('may poll, by a tool that says so, past the bound of the run too; or switch detection off [F-K7]', async () => {
    const poll = (polls: boolean) =>
      tool({
        name: 'job_status',
        description: 'Looks whether the job is done. Not for anything else.',
        effect: 'pure',
        polls,
        input: { type: 'object', properties: {} },
        execute: async () => 'running',
      });
    const replies = [...Array.from({ length: 12 }, () => proposes('job_status')), 'Still running.'];
    const polled = await runLoop(replies, { tools: [poll(true)], config: ONCE });
    expect(polled.result).toMatchObject({ termination: 'completed', toolCalls: 12 });
    const off = await runLoop(replies, {
      tools: [poll(false)],
      config: { ...ONCE, repeatLimit: 'off' },
      limits: { noProgress: 100 },
    });
    expect(off.result).toMatchObject({ termination: 'completed', toolCalls: 12 });
  });

  it('is found out however the arguments are written [R3-LOOP-DETECT]', async () => {
    const pair = tool({
      name: 'pair',
      description: 'Takes two. Not for anything else.',
      effect: 'pure',
      input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      execute: async () => 'same',
    });
    const written = ['{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a": 1, "b": 2.0 }'];
    const { result } = await runLoop(
      forEver((n) => proposes('pair', written[n - 1] ?? '{}')),
      { tools: [pair] },
    );
    expect(result).toMatchObject({ termination: 'loop_detected', iterations: 3 });
  });

  it('is found out within one reply [R3-LOOP-DETECT]', async () => {
    const { result } = await runLoop([proposesAll(...['a', 'b', 'c'].map((id) => call('add_one', { x: 1 }, id)))], {
      tools: smallTools().all,
    });
    expect(result).toMatchObject({ termination: 'loop_detected', iterations: 1, toolCalls: 3 });
  });

  it('is found out when a guard denies the same call again and again [R3-LOOP-DETECT]', async () => {
    const { result } = await runLoop(
      forEver(() => proposes('add_one', { x: 1 })),
      { tools: smallTools().all, seams: { 'tool.pre': [() => async () => ({ allow: false, why: 'No.' })] } },
    );
    expect(result).toMatchObject({ termination: 'loop_detected', iterations: 3 });
  });
});

describe('a loop that makes progress', () => {
  it('may repeat a call whose result changes [R3-LOOP-DETECT]', async () => {
    const { result } = await runLoop([...Array.from({ length: 8 }, () => proposes('next')), 'It is 8.'], {
      tools: smallTools().all,
      config: ONCE,
    });
    expect(result).toMatchObject({ termination: 'completed', toolCalls: 8 });
  });

  it('may come back to a call after its result has changed: the count begins anew [R3-LOOP-DETECT]', async () => {
    let value = 'red';
    const read = tool({
      name: 'read',
      description: 'The color now. Not for anything else.',
      effect: 'pure',
      execute: async () => value,
    });
    const paint = tool({
      name: 'paint',
      description: 'Changes the color. Not for anything else.',
      effect: 'idempotent',
      input: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
      execute: async ({ color }) => {
        value = String(color);
        return 'painted';
      },
    });
    const { result } = await runLoop(
      [
        proposes('read'),
        proposes('read'),
        proposes('paint', { color: 'blue' }),
        proposes('read'),
        proposes('read'),
        proposes('paint', { color: 'red' }),
        proposes('read'),
        'It is red again.',
      ],
      { tools: [read, paint], config: ONCE, limits: { noProgress: 100 } },
    );
    expect(result).toMatchObject({ termination: 'completed', toolCalls: 7 });
  });

  it('may use a tool often with other arguments [R3-LOOP-DETECT]', async () => {
    const same = tool({
      name: 'check',
      description: 'Checks a number. Not for anything else.',
      effect: 'pure',
      input: { type: 'object', properties: { n: { type: 'number' } } },
      execute: async () => 'fine',
    });
    const { result } = await runLoop([...[1, 2, 3, 4, 5].map((n) => proposes('check', { n })), 'All fine.'], {
      tools: [same],
      config: ONCE,
    });
    expect(result.termination).toBe('completed');
  });

  it('has the patience it is told to have [R3-LOOP-DETECT]', async () => {
    const { result } = await runLoop(
      forEver(() => proposes('add_one', { x: 1 })),
      { tools: smallTools().all, config: { repeatLimit: 6 }, limits: { noProgress: 100 } },
    );
    expect(result).toMatchObject({ termination: 'loop_detected', iterations: 6 });
  });
});
