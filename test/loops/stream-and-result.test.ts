import {
  append,
  type Clock,
  type Entry,
  type Model,
  messagesOf,
  type Outcome,
  type Prompt,
  type Run,
  systemClock,
} from 'flyball';
import { runToolLoop, type ToolLoopResult, toolLoopParts } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { Stage } from '../runtime/stage.js';
import { smallTools } from './small-tools.js';
import { call, forEver, proposes, proposesAll, runLoop } from './stage-loop.js';

/** What a journal says, without what differs between any two runs: times and lives. */
function story(entries: readonly Entry[]): readonly unknown[] {
  return entries.map(({ seq, event }) => {
    if (event.type === 'attempt-start') return { seq, type: event.type };
    const text = JSON.stringify(event, (key, value: unknown) =>
      key === 'ms' || key === 'wallMs' || key === 'deadline' || key === 'key' ? 0 : value,
    );
    return { seq, event: JSON.parse(text) as unknown };
  });
}

const SCRIPT = [
  { text: 'I look.', reasoning: 'Hm.', ...proposesAll(call('next', {}, 'a'), call('add_one', { x: 1 }, 'b')) },
  proposes('fail'),
  proposes('write', { text: 'it' }),
  'Done.',
  'Done, and checked.',
];

describe('streaming', () => {
  it('is the same loop observed: the same journal, the same result [R3-LOOP-STREAM]', async () => {
    const deltas: unknown[] = [];
    const plain = await runLoop(SCRIPT, { tools: smallTools().all });
    const streamed = await runLoop(SCRIPT, { tools: smallTools().all, onDelta: (delta) => deltas.push(delta) });
    expect(deltas.length).toBeGreaterThan(8);
    expect(story(await streamed.stage.entries())).toEqual(story(await plain.stage.entries()));
    expect(streamed.result).toEqual(plain.result);
    expect(streamed.model.requests).toEqual(plain.model.requests);
  });

  it('tells text, reasoning and proposed calls as they come, and nothing in the journal [R3-LOOP-STREAM]', async () => {
    const deltas: { readonly type: string; readonly text?: string; readonly name?: string }[] = [];
    const { stage } = await runLoop(SCRIPT, {
      tools: smallTools().all,
      onDelta: (delta) => deltas.push(delta as never),
    });
    expect(deltas.slice(0, 5)).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'I ' },
      { type: 'text', text: 'look.' },
      expect.objectContaining({ type: 'tool-call', name: 'next' }),
      expect.objectContaining({ type: 'tool-call', name: 'add_one' }),
    ]);
    expect((await stage.entries()).some(({ event }) => JSON.stringify(event).includes('"delta'))).toBe(false);
  });
});

describe('the result', () => {
  it('carries output, raw text, tokens, model, iterations, calls made, tools used and the reason [R3-LOOP-RESULT]', async () => {
    const usage = (input: number, output: number) => ({ usage: { input, output } });
    const { result, outcome } = await runLoop(
      [
        { ...proposesAll(call('write', { text: 'a' }, 'a'), call('next', {}, 'b')), ...usage(10, 1) },
        { ...proposes('write', { text: 'b' }), ...usage(20, 2) },
        { text: ' 42 ', ...usage(30, 3) },
        { text: ' 43 ', ...usage(40, 4) },
      ],
      { tools: smallTools().all, read: async (_run, text) => ({ ok: true, value: text.trim() }) },
    );
    expect(outcome.stop).toBe('done');
    expect(result).toEqual({
      output: '43',
      rawText: ' 43 ',
      tokens: 110,
      model: 'scripted/model',
      iterations: 4,
      toolCalls: 3,
      toolsUsed: ['write', 'next'],
      termination: 'completed',
      why: 'answered',
    } satisfies ToolLoopResult);
  });

  it('names the model that answered, where it is not the one that was asked [R3-LOOP-RESULT]', async () => {
    const asked = scriptedModel({ worker: ['Hi.'] });
    const generate: Model['generate'] = async (request, how) => ({
      ...(await asked.generate(request, how)),
      model: 'other/model',
    });
    const { result } = await runLoop([], { model: { ...asked, generate } });
    expect(result.model).toBe('other/model');
  });

  it('is there whatever ended the loop, with what was done until then [R3-LOOP-RESULT]', async () => {
    const { outcome, result } = await runLoop(
      forEver((n) => ({ text: `step ${n}`, ...proposes('next') })),
      { tools: smallTools().all, limits: { modelCalls: 2 } },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'modelCalls', limit: 2 });
    expect(result).toMatchObject({ rawText: 'step 2', iterations: 3, toolCalls: 2, toolsUsed: ['next'] });
    expect(result).not.toHaveProperty('output');
  });

  it('counts what the budget counted [R3-LOOP-RESULT]', async () => {
    const { outcome, result } = await runLoop(SCRIPT, { tools: smallTools().all });
    const { usage } = outcome as Extract<Outcome<unknown>, { readonly stop: 'done' }>;
    expect(usage).toMatchObject({ iterations: result.iterations, toolCalls: result.toolCalls, modelCalls: 5 });
    expect((usage?.tokensIn ?? 0) + (usage?.tokensOut ?? 0)).toBe(result.tokens);
  });

  it('is noted with the start and every iteration, for whoever reads the journal', async () => {
    const { stage } = await runLoop(SCRIPT, { tools: smallTools().all });
    const notes = (await stage.events('note')).map(({ event }) => event);
    expect(notes.map(({ kind, n }) => (n === undefined ? kind : `${kind} ${String(n)}`))).toEqual([
      'loop-start',
      'iteration 1',
      'iteration 2',
      'iteration 3',
      'iteration 4',
      'iteration 5',
      'loop-end',
    ]);
    expect(notes.at(0)).toEqual({
      kind: 'loop-start',
      loop: '',
      agent: 'worker',
      tools: ['add_one', 'next', 'write', 'fail'],
    });
    expect(notes.at(-1)).toEqual({ kind: 'loop-end', loop: '', reason: 'completed', iterations: 5, toolCalls: 4 });
  });
});

describe('the conversation that a loop leaves behind', () => {
  it('goes on in another turn, on the same chain', async () => {
    const model = scriptedModel({ worker: ['One.', 'Two.'] });
    const parts = toolLoopParts({ session: { name: 'worker', model, setup: 'You talk.' } });
    const agent = async (run: Run) => {
      const first = await runToolLoop(run, parts, 'Say one.');
      const second = await runToolLoop(run, parts, append(first.prompt, { role: 'user', content: 'And two.' }));
      return second.outcome;
    };
    const outcome = await new Stage<Clock>(systemClock()).open(agent).start();
    expect(outcome).toMatchObject({ stop: 'done', value: { output: 'Two.' } });
    expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual([
      'You talk.',
      'Say one.',
      'One.',
      'And two.',
    ]);
  });

  it('has a result for every call, also when the loop ended in their middle', async () => {
    const tools = smallTools();
    const model = scriptedModel({
      worker: [proposesAll(call('write', { text: 'a' }, 'a'), call('write', { text: 'b' }, 'b'))],
    });
    const parts = toolLoopParts({ session: { name: 'worker', model, setup: 'x' }, tools: tools.all });
    let left: Prompt | undefined;
    const child = async (run: Run) => {
      const end = await runToolLoop(run, parts, 'go');
      left = end.prompt;
      return end.outcome;
    };
    const agent = (run: Run) => run.spawn(child, null, { toolCalls: 1 });
    const outcome = await new Stage<Clock>(systemClock()).open(agent).start();
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });
    const messages = messagesOf(left);
    expect(messages.at(-3)).toMatchObject({ role: 'assistant' });
    expect(messages.slice(-2)).toEqual([
      expect.objectContaining({ role: 'tool', toolCallId: 'a', content: expect.stringMatching(/^No result/) }),
      expect.objectContaining({ role: 'tool', toolCallId: 'b', content: expect.stringMatching(/^No result/) }),
    ]);
  });
});
