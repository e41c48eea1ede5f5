import { FlyballError } from 'flyball';
import { type ToolLoopSettings, toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../packages/flyball/src/loops/tool-loop/config.js';
import { autonomyBudget } from '../../packages/flyball/src/tools/autonomy/index.js';
import { gate, still } from '../runtime/stage.js';
import { smallTools } from './small-tools.js';
import { call, forEver, proposes, proposesAll, resultIn, runLoop } from './stage-loop.js';

const ONCE = { doubleConfirmation: false };
const unavailable = (retryable: boolean) => new FlyballError('MODEL_UNAVAILABLE', 'The model is away.', { retryable });

describe('a tool loop that is told nothing', () => {
  it('has the defaults of its bounds [R3-LOOP-DEFAULTS]', () => {
    expect(DEFAULT_CONFIG).toMatchObject({
      maxIterations: 20,
      maxToolCallsPerIteration: 5,
      maxConsecutiveErrors: 3,
      toolTimeoutMs: 60_000,
      doubleConfirmation: true,
    });
  });

  it('makes twenty model calls and not one more [R3-LOOP-DEFAULTS]', async () => {
    const { model, result } = await runLoop(
      forEver(() => proposes('next')),
      { tools: smallTools().all },
    );
    expect(model.requests).toHaveLength(20);
    expect(result.termination).toBe('max_iterations');
  });

  it('executes five calls of a reply, ends at three failures in a row and asks for confirmation [R3-LOOP-DEFAULTS]', async () => {
    const tools = smallTools();
    const six = Array.from({ length: 6 }, (_, n) => call('write', { text: String(n) }, `w${n}`));
    const { result } = await runLoop(
      [
        proposesAll(...six),
        'Done?',
        proposes('fail'),
        proposes('fail', { text: 'b' }),
        proposes('fail', { text: 'c' }),
      ],
      { tools: tools.all },
    );
    expect(tools.done.filter((what) => what.startsWith('write'))).toHaveLength(5);
    expect(result).toMatchObject({ termination: 'error', iterations: 5 });
  });

  it('gives a tool that names no time of its own 60 seconds [R3-LOOP-DEFAULTS]', async () => {
    const stage = still();
    const model = scriptedModel({ worker: [proposes('hang'), 'It hangs.'] });
    let aborted: number | undefined;
    const started = gate();
    const hang = tool({
      name: 'hang',
      description: 'Never comes back. Not for anything else.',
      effect: 'pure',
      retry: { retries: 0 },
      execute: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          const began = stage.clock.now();
          started.open();
          signal.addEventListener('abort', () => {
            aborted = stage.clock.now() - began;
            reject(signal.reason as Error);
          });
        }),
    });
    const agent = toolLoop({ session: { name: 'worker', model, setup: 'x' }, tools: [hang], config: ONCE });
    const outcome = stage.open((run) => agent(run, 'go')).start(null, { wallMs: 1e9 });
    await started.opened;
    await stage.clock.advance(59_999);
    expect(aborted).toBeUndefined();
    await stage.clock.advance(1);
    expect(resultIn((await outcome) as never)).toMatchObject({ termination: 'completed', output: 'It hangs.' });
    expect(aborted).toBe(60_000);
  });

  it('lets a tool keep its own time, and gives the others that of the loop [R3-LOOP-DEFAULTS]', async () => {
    const slow = (name: string, timeoutMs?: number) =>
      tool({
        name,
        description: 'Takes a moment. Not for anything else.',
        effect: 'pure',
        retry: { retries: 0 },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        execute: (_args, { signal }) =>
          new Promise((resolve, reject) => {
            const timer = setTimeout(resolve, 60, 'in time');
            signal.addEventListener('abort', () => {
              clearTimeout(timer);
              reject(signal.reason as Error);
            });
          }),
      });
    const { model } = await runLoop([proposes('quick'), proposes('patient'), 'Done.'], {
      tools: [slow('quick'), slow('patient', 600_000)],
      config: { ...ONCE, toolTimeoutMs: 10 },
    });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/^Error EFFECT_TIMEOUT/);
    expect(model.requests[2]?.messages.at(-1)?.content).toBe('in time');
  });
});

describe('bad settings are refused before a token is spent', () => {
  const session = { name: 'worker', model: scriptedModel({}), setup: 'x' };
  const cases: readonly (readonly [ToolLoopSettings, RegExp])[] = [
    [{ maxIterations: 0 }, /maxIterations .* at least 1, got 0/],
    [{ maxIterations: Number.NaN }, /maxIterations/],
    [{ maxIterations: Number.POSITIVE_INFINITY }, /maxIterations/],
    [{ maxIterations: 2.5 }, /maxIterations/],
    [{ maxToolCallsPerIteration: -1 }, /maxToolCallsPerIteration/],
    [{ maxConsecutiveErrors: 0 }, /maxConsecutiveErrors/],
    [{ toolTimeoutMs: 0 }, /toolTimeoutMs/],
    [{ repeatLimit: 1 }, /repeatLimit .* at least 2/],
    [{ maxResultChars: 10 }, /maxResultChars/],
    [{ window: { trigger: 0 } }, /window.trigger/],
    [{ window: { trigger: 1.1 } }, /window.trigger/],
    [{ window: { keepRecent: 0 } }, /window.keepRecent/],
    [{ window: { care: 'much' as 'off' } }, /window.care .* off, clear, compact/],
    [{ parallel: 'all' as 'pure' }, /parallel .* pure, never/],
    [{ textCalls: 'yaml' as 'off' }, /textCalls/],
    [{ doubleConfirmation: 'yes' as unknown as boolean }, /doubleConfirmation/],
  ];

  it.each(cases)('%j', (config, message) => {
    expect(() => toolLoop({ session, config })).toThrow(message);
  });

  it('a number of repairs that is none', () => {
    expect(() => toolLoop({ session, maxReasks: -1 })).toThrow(/maxReasks/);
  });

  it('a tool with the name of the one that recalls cleared results', () => {
    const mine = tool({ name: 'recall_result', description: 'Mine.', effect: 'pure', execute: async () => 1 });
    expect(() => toolLoop({ session, tools: [mine] })).toThrow(/recall_result.*Rename yours/);
  });

  it('two tools of one name', () => {
    const { next } = smallTools();
    expect(() => toolLoop({ session, tools: [next, next] })).toThrow(/Two tools are called "next"/);
  });
});

describe('every reason ends a loop alone [R3-LOOP-REASONS]', () => {
  it('completed', async () => {
    const { outcome, result } = await runLoop(['Hello.']);
    expect(outcome.stop).toBe('done');
    expect(result).toMatchObject({ termination: 'completed', why: 'answered' });
  });

  it('max_iterations', async () => {
    const { outcome, result } = await runLoop(
      forEver(() => proposes('next')),
      { tools: smallTools().all, config: { maxIterations: 2 } },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 2 });
    expect(result).toMatchObject({ termination: 'max_iterations', why: 'no answer within 2 iterations' });
  });

  it('error: a model that cannot be asked', async () => {
    const { outcome, result } = await runLoop([new FlyballError('MODEL_REJECTED', 'No such model.')]);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'MODEL_REJECTED', message: 'No such model.' } });
    expect(result).toMatchObject({ termination: 'error', why: 'No such model.', iterations: 1 });
  });

  it('error: a model that stays away', async () => {
    const { model, outcome, result } = await runLoop(forEver(() => unavailable(true)));
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'MODEL_UNAVAILABLE' } });
    expect(result).toMatchObject({ termination: 'error', iterations: 3 });
    expect(model.requests).toHaveLength(3);
  });

  it('error: what was done until then is undone, newest first', async () => {
    const world: string[] = [];
    const put = tool({
      name: 'put',
      description: 'Puts something there. Not for anything else.',
      effect: 'undoable',
      input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
      execute: async ({ what }) => {
        world.push(String(what));
        return 'there';
      },
      compensate: async ({ what }) => {
        world.push(`not ${String(what)}`);
      },
    });
    const { outcome } = await runLoop(
      [proposes('put', { what: 'a' }), proposes('put', { what: 'b' }), new FlyballError('MODEL_REJECTED', 'No.')],
      { tools: [put] },
    );
    expect(outcome).toMatchObject({ stop: 'failed', rollback: { success: true } });
    expect(world).toEqual(['a', 'b', 'not b', 'not a']);
  });

  it('error: a model that breaks off; what it proposed is not executed', async () => {
    const tools = smallTools();
    const { outcome, result } = await runLoop([{ ...proposes('write', { text: 'x' }), finish: 'error' }], {
      tools: tools.all,
    });
    expect(outcome.stop).toBe('failed');
    expect(result).toMatchObject({ termination: 'error', toolCalls: 0 });
    expect(tools.done).toEqual([]);
  });

  it('budget_exceeded: the budget of the run, for tool calls', async () => {
    const { outcome, result } = await runLoop(
      forEver(() => proposes('next')),
      { tools: smallTools().all, limits: { toolCalls: 2 } },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 2 });
    expect(result).toMatchObject({ termination: 'budget_exceeded', toolCalls: 2, iterations: 3 });
  });

  it('budget_exceeded: the budget of the run, for iterations', async () => {
    const { outcome, result } = await runLoop(
      forEver(() => proposes('next')),
      { tools: smallTools().all, limits: { iterations: 4 } },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 4 });
    expect(result).toMatchObject({ termination: 'budget_exceeded', iterations: 4 });
  });

  it('budget_exceeded: the budget of the run, for tokens', async () => {
    const { result } = await runLoop(['Hello.'], { limits: { tokensOut: 10 } });
    expect(result).toMatchObject({ termination: 'budget_exceeded', rawText: '' });
  });

  it('duration_exceeded: the time of the run', async () => {
    const stage = still();
    const model = scriptedModel(
      { worker: [proposes('next'), { text: 'Late.', latencyMs: 10_000 }] },
      { clock: stage.clock },
    );
    const agent = toolLoop({ session: { name: 'worker', model, setup: 'x' }, tools: [smallTools().next] });
    const outcome = stage.open((run) => agent(run, 'go')).start(null, { wallMs: 5000 });
    await model.reached('worker', 2);
    await stage.clock.advance(6000);
    expect(await outcome).toMatchObject({ stop: 'bounded', bound: 'wallMs', limit: 5000 });
    expect(resultIn((await outcome) as never)).toMatchObject({ termination: 'duration_exceeded', toolCalls: 1 });
  });

  it('loop_detected', async () => {
    const { outcome, result } = await runLoop(
      forEver(() => proposes('add_one', { x: 1 })),
      { tools: smallTools().all },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'noProgress', limit: 3 });
    expect(result).toMatchObject({ termination: 'loop_detected', iterations: 3, toolCalls: 3 });
  });

  it('loop_detected: by the meter of the run, where it is stricter than the loop', async () => {
    const { outcome, result } = await runLoop(
      forEver(() => proposes('add_one', { x: 1 })),
      { tools: smallTools().all, config: { repeatLimit: 10 }, limits: { noProgress: 2 } },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'noProgress', limit: 2 });
    expect(result.termination).toBe('loop_detected');
  });

  it('content_filter; what it proposed is not executed', async () => {
    const tools = smallTools();
    const { outcome, result } = await runLoop(
      [{ text: 'I must not', ...proposes('write', { text: 'x' }), finish: 'content_filter' }],
      { tools: tools.all },
    );
    expect(outcome).toMatchObject({ stop: 'blocked', because: 'the model refused to answer' });
    expect(result).toMatchObject({ termination: 'content_filter', rawText: 'I must not' });
    expect(tools.done).toEqual([]);
  });

  it('length: the answer is there, and marked as cut', async () => {
    const { outcome, result } = await runLoop([{ text: 'It is becau', finish: 'length' }], { tools: smallTools().all });
    expect(outcome).toMatchObject({ stop: 'degraded', because: 'the answer is cut at the limit of output tokens' });
    expect(result).toMatchObject({ termination: 'length', output: 'It is becau' });
  });

  it('window_exceeded: the prompt does not fit before it is sent', async () => {
    const model = scriptedModel({ worker: [] }, { capabilities: { window: 1000, maxOutputTokens: 100 } });
    const { outcome, result } = await runLoop([], { model, input: 'word '.repeat(1000) });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'window', limit: 900 });
    expect(result).toMatchObject({ termination: 'window_exceeded', iterations: 1, rawText: '' });
    expect(model.requests).toEqual([]);
  });

  it('window_exceeded: the provider says so', async () => {
    const { outcome, result } = await runLoop([new FlyballError('WINDOW_EXCEEDED', 'Too long by 3 tokens.')]);
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'window_exceeded' });
    expect(result).toMatchObject({ termination: 'window_exceeded', why: 'Too long by 3 tokens.' });
  });

  it('stop_condition', async () => {
    const autonomy = autonomyBudget({ stopWhen: [{ kind: 'toolCalled', tool: 'write' }] });
    const { outcome, result } = await runLoop([proposes('next'), proposes('write', { text: 'x' })], {
      tools: smallTools().all,
      autonomy,
    });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'stop_condition' });
    expect(result).toMatchObject({
      termination: 'stop_condition',
      iterations: 2,
      why: 'There were 1 calls of write, and 1 end the loop.',
    });
  });

  it('invalid_output: after the repairs that it may have', async () => {
    const { model, outcome, result } = await runLoop(
      forEver((n) => `attempt ${n}`),
      { maxReasks: 2, read: async (_run, text) => ({ ok: false, problem: `"${text}" is no number.` }) },
    );
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'REPLY_INVALID' } });
    expect(result).toMatchObject({ termination: 'invalid_output', iterations: 3, rawText: 'attempt 3' });
    expect(model.requests).toHaveLength(3);
    expect(model.requests[2]?.messages.at(-1)?.content).toMatch(/"attempt 2" is no number\.$/);
  });

  it('and a cancellation is none of them: it ends the run, not the loop', async () => {
    const stage = still();
    const model = scriptedModel({ worker: [{ text: 'Late.', latencyMs: 1000 }] }, { clock: stage.clock });
    const agent = toolLoop({ session: { name: 'worker', model, setup: 'x' } });
    const life = stage.open((run) => agent(run, 'go'));
    const outcome = life.start();
    await model.reached('worker');
    await life.runtime.cancel('run', { by: 'test', why: 'enough' });
    expect(await outcome).toMatchObject({ stop: 'cancelled', because: 'enough' });
  });
});
