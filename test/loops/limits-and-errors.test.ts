import { type Clock, FlyballError, type Run, type Seams, systemClock } from 'flyball';
import { openAiModel } from 'flyball/adapters/model-http';
import { toolLoop, toolLoopParts } from 'flyball/loops';
import { modelServer, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Stage } from '../runtime/stage.js';
import { smallTools } from './small-tools.js';
import { call, forEver, proposes, proposesAll, runLoop } from './stage-loop.js';

const ONCE = { doubleConfirmation: false };
const FREE = { input: 0, output: 0 };
const away = new FlyballError('MODEL_UNAVAILABLE', 'The model is away.', { retryable: true });

describe('calls beyond the limit of a reply', () => {
  it('each get a result that says they were not executed [R3-LOOP-LIMIT]', async () => {
    const tools = smallTools();
    const eight = Array.from({ length: 8 }, (_, n) => call('write', { text: String(n) }, `w${n}`));
    const { model, result } = await runLoop([proposesAll(...eight), 'Done.'], { tools: tools.all, config: ONCE });
    const results = model.requests[1]?.messages.slice(-8) ?? [];
    expect(tools.done).toEqual(['write 0', 'write 1', 'write 2', 'write 3', 'write 4']);
    expect(results.map((message) => 'toolCallId' in message && message.toolCallId)).toEqual(eight.map(({ id }) => id));
    for (const { content } of results.slice(5))
      expect(content).toBe(
        'Not executed: only the first 5 calls of a reply are executed; propose it again if it is still needed.',
      );
    expect(result).toMatchObject({ toolCalls: 5, termination: 'completed' });
  });

  it('are not errors [R3-LOOP-LIMIT] [R3-LOOP-ERRORS]', async () => {
    const tools = smallTools();
    const many = () => proposesAll(...Array.from({ length: 9 }, (_, n) => call('next', {}, `n${n}`)));
    const { result } = await runLoop([many(), many(), many(), 'Done.'], { tools: tools.all, config: ONCE });
    expect(result).toMatchObject({ termination: 'completed', toolCalls: 15 });
  });

  it('are as many as the loop is told [R3-LOOP-LIMIT]', async () => {
    const tools = smallTools();
    const { result } = await runLoop([proposesAll(call('next', {}, 'a'), call('next', {}, 'b')), 'Done.'], {
      tools: tools.all,
      config: { ...ONCE, maxToolCallsPerIteration: 1 },
    });
    expect(result.toolCalls).toBe(1);
  });
});

describe('failures in a row', () => {
  const tools = smallTools();
  const denied: Seams = {
    'tool.pre': [() => async () => ({ allow: false, why: 'Not on a Sunday.' })],
  };
  const counts: readonly (readonly [string, Parameters<typeof runLoop>[0]])[] = [
    ['tools that fail', [1, 2, 3].map((n) => proposes('fail', { text: `broken at ${'xyz'[n]}` }))],
    ['unknown tools', ['a', 'b', 'c'].map((name) => proposes(`tool_${name}`))],
    ['arguments that are no JSON', ['{', '{{', '[['].map((text) => proposes('add_one', text))],
    ['arguments that do not fit', ['a', 'b', 'c'].map((x) => proposes('add_one', { x }))],
    ['a mixture of them', [proposes('nobody'), proposes('fail'), proposes('add_one', '{')]],
    ['model calls that fail', [away, away, away]],
    ['a model call that fails between tools that fail', [proposes('fail'), away, proposes('fail', { text: 'b' })]],
  ];

  it.each(counts)('that count toward the three: %s [R3-LOOP-ERRORS]', async (_name, replies) => {
    const { outcome, result } = await runLoop(replies, { tools: tools.all });
    expect(outcome.stop).toBe('failed');
    expect(result).toMatchObject({ termination: 'error', iterations: 3 });
  });

  it('that count: a tool that takes too long [R3-LOOP-ERRORS]', async () => {
    const slow = tool({
      name: 'slow',
      description: 'Takes too long. Not for anything else.',
      effect: 'pure',
      retry: { retries: 0 },
      timeoutMs: 5,
      input: { type: 'object', properties: { n: { type: 'number' } } },
      execute: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    const { outcome, result } = await runLoop(
      forEver((n) => proposes('slow', { n })),
      { tools: [slow] },
    );
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'EFFECT_TIMEOUT' } });
    expect(result.iterations).toBe(3);
  });

  it('that do not count: what a guard denies; the model is told why [R3-LOOP-ERRORS]', async () => {
    const { model, result } = await runLoop([...[1, 2, 3, 4].map((x) => proposes('add_one', { x })), 'I may not.'], {
      tools: tools.all,
      seams: denied,
      config: ONCE,
    });
    expect(result).toMatchObject({ termination: 'completed', iterations: 5, toolCalls: 4, toolsUsed: [] });
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('Denied, not executed: Not on a Sunday.');
  });

  it('are not cleared by a denial either [R3-LOOP-ERRORS]', async () => {
    const seams: Seams = {
      'tool.pre': [
        (next) => async (value, ctx) =>
          value.tool.name === 'write' ? { allow: false, why: 'No writing.' } : next(value, ctx),
      ],
    };
    const { result } = await runLoop(
      [
        proposes('fail'),
        proposes('fail', { text: 'b' }),
        proposes('write', { text: 'x' }),
        proposes('fail', { text: 'c' }),
      ],
      { tools: tools.all, seams },
    );
    expect(result).toMatchObject({ termination: 'error', iterations: 4 });
  });

  it('are cleared by a call that succeeds [R3-LOOP-ERRORS]', async () => {
    const fails = (text: string) => proposes('fail', { text });
    const { result } = await runLoop(
      [fails('a'), fails('b'), proposes('next'), fails('c'), fails('d'), proposes('next'), 'Done.'],
      { tools: smallTools().all, config: ONCE },
    );
    expect(result).toMatchObject({ termination: 'completed', iterations: 7 });
  });

  it('end a reply in its middle: the calls after them are not executed [R3-LOOP-ERRORS]', async () => {
    const own = smallTools();
    const { model, result } = await runLoop(
      [
        proposesAll(
          call('nobody', {}, 'a'),
          call('nobody', {}, 'b'),
          call('nobody', {}, 'c'),
          call('write', { text: 'x' }, 'd'),
        ),
      ],
      { tools: own.all },
    );
    expect(result).toMatchObject({ termination: 'error', iterations: 1 });
    expect(own.done).toEqual([]);
    expect(model.requests).toHaveLength(1);
  });

  it('side by side end the loop although one beside them succeeds: it was executed and says so [R3-LOOP-ERRORS]', async () => {
    const own = smallTools();
    const { result, outcome } = await runLoop(
      [
        proposesAll(
          call('fail', { text: 'a' }, 'a'),
          call('fail', { text: 'b' }, 'b'),
          call('fail', { text: 'c' }, 'c'),
          call('next', {}, 'd'),
        ),
      ],
      { tools: own.all },
    );
    expect(own.done).toHaveLength(4);
    expect(result).toMatchObject({ termination: 'error', toolCalls: 4, toolsUsed: ['fail', 'next'] });
    expect(outcome).toMatchObject({ stop: 'failed', failure: { message: 'c' } });
  });

  it('are as many as the loop is told [R3-LOOP-ERRORS]', async () => {
    const { result } = await runLoop([proposes('fail')], { tools: tools.all, config: { maxConsecutiveErrors: 1 } });
    expect(result).toMatchObject({ termination: 'error', iterations: 1 });
  });

  it('and a model that comes back is asked on: what failed left nothing in the history', async () => {
    const { model, result } = await runLoop([away, 'Hello.']);
    expect(result).toMatchObject({ termination: 'completed', iterations: 2 });
    expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
  });
});

describe('the time of a tool that names none', () => {
  it('is told to the same object in every loop, so that its circuit breaker counts on', () => {
    const own = smallTools();
    const model = scriptedModel({});
    const next = (toolTimeoutMs: number) =>
      toolLoopParts({
        session: { name: 'worker', model, setup: 'x' },
        tools: own.all,
        config: { toolTimeoutMs },
      }).toolset.get('next');
    expect(next(7000)).toBe(next(7000));
    expect(next(7000)).toMatchObject({ name: 'next', timeoutMs: 7000 });
    expect(next(8000)).toMatchObject({ timeoutMs: 8000 });
    expect(next(7000)).not.toBe(next(8000));
  });
});

describe('a call that was cut off', () => {
  it('before its arguments began is not made with none [R3-LOOP-MALFORMED]', async () => {
    const own = smallTools();
    const { model } = await runLoop([{ ...proposes('next', ''), finish: 'length' }, 'Done.'], {
      tools: own.all,
      config: ONCE,
    });
    expect(own.done).toEqual([]);
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/cut at the limit of output tokens/);
  });

  it('before its arguments began is not made with none, over a real connection [R3-LOOP-MALFORMED]', async () => {
    const own = smallTools();
    const cut = { ...proposes('next', ''), finish: 'length' as const };
    const server = await modelServer({ replies: [cut, proposes('next', ''), 'Done.'] });
    onTestFinished(() => server.close());
    const model = openAiModel({ id: 'test/model', baseUrl: server.baseUrl('openai-chat'), price: FREE });
    const agent = toolLoop({ session: { name: 'worker', model, setup: 'x' }, tools: own.all, config: ONCE });
    const outcome = await new Stage<Clock>(systemClock()).open((run: Run) => agent(run, 'Go.')).start();
    expect(outcome).toMatchObject({ stop: 'done', value: { iterations: 3, toolCalls: 1 } });
    expect(own.done).toEqual(['next']); // by the second reply, which was finished
    expect(JSON.stringify(server.requestAt(2).body)).toContain('cut at the limit of output tokens');
  });

  it('in the middle of its arguments is a tool error like any other [R3-LOOP-MALFORMED]', async () => {
    const own = smallTools();
    const { model } = await runLoop([{ ...proposes('write', '{"text": "abc'), finish: 'length' }, 'Done.'], {
      tools: own.all,
      config: ONCE,
    });
    expect(own.done).toEqual([]);
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/^Error INPUT_INVALID/);
  });

  it('without arguments by intent is made: several providers send nothing at all', async () => {
    const own = smallTools();
    await runLoop([proposes('next', ''), 'Done.'], { tools: own.all, config: ONCE });
    expect(own.done).toEqual(['next']);
  });
});

describe('a loop that is told to go on for longer than usual', () => {
  it('stops at its own limit, not at one that the budget of its run has by default [F-K9]', async () => {
    const tools = smallTools();
    const { result } = await runLoop(
      Array.from({ length: 70 }, () => proposes('next', {})),
      { tools: tools.all, config: { ...ONCE, maxIterations: 60 } },
    );
    expect(result).toMatchObject({ termination: 'max_iterations', iterations: 60 });
  });
});
