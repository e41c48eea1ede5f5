import type { Run, Seams } from 'flyball';
import { CONFIRMATION, toolLoop } from 'flyball/loops';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool, toolRegistry } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { at, moving } from '../runtime/stage.js';
import { smallTools } from './small-tools.js';
import { call, forEver, proposes, proposesAll, runLoop } from './stage-loop.js';

/** The tools as a session gets them: a view of the real registry. */
function registered(tools = smallTools()) {
  return { ...tools, view: toolRegistry(tools.all).toolset() };
}

const ONCE = { doubleConfirmation: false };

describe('a tool loop ends', () => {
  it('after a single iteration when the first reply is text only [R3-CASE-01]', async () => {
    const { view, done } = registered();
    const { result, outcome, model } = await runLoop(['All done.'], { tools: view, config: ONCE });
    expect(outcome.stop).toBe('done');
    expect(result).toMatchObject({ iterations: 1, output: 'All done.', termination: 'completed', toolCalls: 0 });
    expect(done).toEqual([]);
    model.assertFinished();
  });

  it('after the second iteration when text follows tool calls [R3-CASE-02]', async () => {
    const { view, done } = registered();
    const { result, model } = await runLoop([proposes('add_one', { x: 1 }), 'It is 2.'], { tools: view, config: ONCE });
    expect(result).toMatchObject({ iterations: 2, output: 'It is 2.', termination: 'completed', toolCalls: 1 });
    expect(done).toEqual(['add_one 1']);
    model.assertFinished();
  });

  it('at max_iterations when tool calls never end [R3-CASE-03] [I2.acceptance]', async () => {
    const { view, done } = registered();
    const { result, outcome, model } = await runLoop(
      forEver(() => proposes('next')),
      { tools: view, config: { maxIterations: 7 } },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 7 });
    expect(result).toMatchObject({ termination: 'max_iterations', iterations: 7, toolCalls: 7 });
    expect(result).not.toHaveProperty('output'); // no answer is invented
    expect(done).toHaveLength(7);
    expect(model.requests).toHaveLength(7);
  });

  it('as error when tools fail as often in a row as the threshold says [R3-CASE-04]', async () => {
    const { view, done } = registered();
    const { result, outcome, model } = await runLoop(
      forEver((n) => proposes('fail', { text: `broken ${'abc'[n]}` })),
      { tools: view },
    );
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'EFFECT_FAILED' } });
    expect(result).toMatchObject({ termination: 'error', iterations: 3, toolCalls: 3 });
    expect(done).toHaveLength(3);
    expect(model.requests).toHaveLength(3);
  });
});

describe('a tool call', () => {
  it('that is valid is executed and its result appended as a tool message [R3-CASE-06]', async () => {
    const { view, done } = registered();
    const { model } = await runLoop([proposes('add_one', { x: 41 }, 'a'), 'Done.'], { tools: view, config: ONCE });
    expect(done).toEqual(['add_one 41']);
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      content: '42',
      toolCallId: 'a',
      name: 'add_one',
    });
  });

  it('with invalid arguments is answered with what is wrong, and the loop goes on [R3-CASE-07] [I2.1]', async () => {
    const { view, done } = registered();
    const { result, model } = await runLoop(
      [proposes('add_one', { x: 'many' }), proposes('add_one', { x: 1 }), 'It is 2.'],
      { tools: view, config: ONCE },
    );
    const told = model.requests[1]?.messages.at(-1);
    expect(told).toMatchObject({ role: 'tool', toolCallId: 'call_add_one' });
    expect(told?.content).toMatch(/^Error INPUT_INVALID: invalid arguments: x: .*number/);
    expect(done).toEqual(['add_one 1']); // the handler saw only the valid one
    expect(result.termination).toBe('completed');
    expect(model.requests).toHaveLength(3);
  });

  it('beside others in one reply is executed in its turn, and all results are appended [R3-CASE-09]', async () => {
    const { view, done } = registered();
    const { model } = await runLoop(
      [
        proposesAll(
          call('write', { text: 'one' }, 'a'),
          call('write', { text: 'two' }, 'b'),
          call('add_one', { x: 2 }, 'c'),
        ),
        'Done.',
      ],
      { tools: view, config: ONCE },
    );
    expect(done).toEqual(['write one', 'write two', 'add_one 2']);
    expect(model.requests[1]?.messages.slice(-3).map((message) => [message.role, message.content])).toEqual([
      ['tool', 'written: one'],
      ['tool', 'written: two'],
      ['tool', '3'],
    ]);
  });

  it('of a tool that does not exist is a failed result, and the loop goes on [R3-CASE-10]', async () => {
    const { view } = registered();
    const { result, model } = await runLoop([proposes('addOne', { x: 1 }), proposes('send_mail'), 'I cannot.'], {
      tools: view,
      config: ONCE,
    });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      name: 'addOne',
      content: 'Error TOOL_UNKNOWN: there is no tool "addOne". Did you mean add_one?',
    });
    expect(model.requests[2]?.messages.at(-1)?.content).toContain('The tools are: add_one, next, write, fail.');
    expect(result).toMatchObject({ termination: 'completed', toolCalls: 0, toolsUsed: [] });
  });
});

describe('double confirmation', () => {
  it('puts its question into the history after the first reply that is text only [R3-CASE-11]', async () => {
    const { view } = registered();
    const { model } = await runLoop(['I have a plan.', 'It is done.'], { tools: view });
    expect(model.requests[1]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: 'I have a plan.' },
      { role: 'user', content: CONFIRMATION },
    ]);
  });

  it('lets the loop go on when the answer to it is tool calls [R3-CASE-12]', async () => {
    const { view, done } = registered();
    const { result } = await runLoop(
      ['I will write.', proposes('write', { text: 'it' }), 'Written.', 'Yes, written.'],
      {
        tools: view,
      },
    );
    expect(done).toEqual(['write it']);
    expect(result).toMatchObject({ termination: 'completed', iterations: 4, output: 'Yes, written.' });
  });

  it('ends the loop with the text that answers it [R3-CASE-13]', async () => {
    const { view } = registered();
    const { result, model } = await runLoop(['First.', 'Second.'], { tools: view });
    expect(result).toMatchObject({ termination: 'completed', iterations: 2, output: 'Second.', rawText: 'Second.' });
    model.assertFinished();
  });

  it('is not asked for where it is switched off: the first text is accepted at once [R3-CASE-14]', async () => {
    const { view } = registered();
    const { result, model } = await runLoop(['First.'], { tools: view, config: ONCE });
    expect(result.output).toBe('First.');
    expect(model.promptAt('worker')).not.toContain(CONFIRMATION);
  });
});

describe('the history', () => {
  it('grows in order: system, user, assistant with calls, results, assistant [R3-CASE-15]', async () => {
    const { view } = registered();
    const { model } = await runLoop(
      [
        { text: 'Let me see.', ...proposes('add_one', { x: 1 }, 'a') },
        proposes('add_one', { x: 2 }, 'b'),
        'It is 3.',
        'It is 3, checked.',
      ],
      { tools: view },
    );
    const [first, second, third, fourth] = model.requests.map(({ messages }) => messages);
    expect(first).toEqual([
      { role: 'system', content: 'You work with tools.' },
      { role: 'user', content: 'Do the task.' },
    ]);
    expect(second).toEqual([
      ...(first ?? []),
      { role: 'assistant', content: 'Let me see.', toolCalls: [call('add_one', { x: 1 }, 'a')] },
      { role: 'tool', content: '2', toolCallId: 'a', name: 'add_one' },
    ]);
    expect(third).toEqual([
      ...(second ?? []),
      { role: 'assistant', content: '', toolCalls: [call('add_one', { x: 2 }, 'b')] },
      { role: 'tool', content: '3', toolCallId: 'b', name: 'add_one' },
    ]);
    expect(fourth).toEqual([
      ...(third ?? []),
      { role: 'assistant', content: 'It is 3.' },
      { role: 'user', content: CONFIRMATION },
    ]);
  });

  it('holds results with the role tool, the id of the call and the name of the tool [R3-CASE-16] [I2.5]', async () => {
    const { view } = registered();
    const { model } = await runLoop(
      [proposesAll(call('next', {}, 'one'), call('no_such', {}, 'two'), call('fail', {}, 'three')), 'Done.'],
      { tools: view, config: ONCE },
    );
    expect(model.requests[1]?.messages.slice(-3)).toEqual([
      expect.objectContaining({ role: 'tool', toolCallId: 'one', name: 'next' }),
      expect.objectContaining({ role: 'tool', toolCallId: 'two', name: 'no_such' }),
      expect.objectContaining({ role: 'tool', toolCallId: 'three', name: 'fail' }),
    ]);
  });
});

describe('a reply', () => {
  it('with an empty list of tool calls is text only [R3-CASE-20]', async () => {
    const { view } = registered();
    const { result } = await runLoop([{ text: 'Nothing to call.', toolCalls: [], finish: 'tool_calls' }], {
      tools: view,
      config: ONCE,
    });
    expect(result).toMatchObject({ termination: 'completed', iterations: 1, output: 'Nothing to call.' });
  });

  it('with arguments that are no JSON is answered as a tool error [R3-CASE-21] [R3-LOOP-MALFORMED]', async () => {
    const { view, done } = registered();
    const { result, model } = await runLoop(
      [
        proposes('add_one', '{"x": 1,,}', 'bad'),
        proposes('add_one', '[1]', 'list'),
        proposes('add_one', { x: 1 }),
        '2',
      ],
      { tools: view, config: ONCE },
    );
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'bad' });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(
      /^Error INPUT_INVALID: the arguments are not valid JSON; .*\{"x": 1,,\}$/,
    );
    expect(model.requests[2]?.messages.at(-1)?.content).toContain('a list, but must be one JSON object');
    expect(model.requests[1]?.messages.at(-2)).toMatchObject({ toolCalls: [{ arguments: '{"x": 1,,}' }] }); // as it came
    expect(done).toEqual(['add_one 1']);
    expect(result.termination).toBe('completed');
  });

  it('with content beside calls has the calls made and the content kept [R3-CASE-22] [R3-LOOP-CONTENT]', async () => {
    const { view, done } = registered();
    const { result, model } = await runLoop([{ text: 'The answer is near.', ...proposes('next') }, 'It is 1.'], {
      tools: view,
      config: ONCE,
    });
    expect(done).toEqual(['next']); // the content was not taken for the answer
    expect(model.requests[1]?.messages.at(-2)).toMatchObject({ role: 'assistant', content: 'The answer is near.' });
    expect(result.output).toBe('It is 1.');
  });

  it('is only acted on by the tools of the view: others are not disclosed, and the miss is noted', async () => {
    const { all } = smallTools();
    const view = toolRegistry(all).toolset({ include: ['next'] });
    const { model, stage } = await runLoop([proposes('write', { text: 'x' }), 'No.'], { tools: view, config: ONCE });
    expect(model.requests[1]?.messages.at(-1)?.content).toBe(
      'Error TOOL_UNKNOWN: there is no tool "write". The tools are: next.',
    );
    const notes = (await stage.events('note')).map(({ event }) => event);
    expect(notes).toContainEqual(expect.objectContaining({ kind: 'tool-missed', tool: 'write' }));
  });
});

describe('a tool that a seam left out of the request', () => {
  const hiding = (name: string): Seams => ({
    'tools.load': [(next) => async (tools, ctx) => (await next(tools, ctx)).filter((tool) => tool.name !== name)],
  });

  it('does not exist for the model: a call of it is refused, and the miss is noted', async () => {
    const { view, done } = registered();
    const { result, model, stage } = await runLoop(
      [proposes('write', { text: 'x' }), proposes('add_one', { x: 1 }), 'No.'],
      { tools: view, config: ONCE, seams: hiding('write') },
    );
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['add_one', 'next', 'fail']);
    expect(done).toEqual(['add_one 1']);
    expect(model.requests[1]?.messages.at(-1)?.content).toBe(
      'Error TOOL_UNKNOWN: there is no tool "write". The tools are: add_one, next, fail.',
    );
    expect(result).toMatchObject({ termination: 'completed', toolCalls: 1, toolsUsed: ['add_one'] });
    const notes = (await stage.events('note')).map(({ event }) => event);
    expect(notes).toContainEqual(expect.objectContaining({ kind: 'tool-missed', tool: 'write' }));
  });

  it('stays out also when the run is resumed where no seam hides it any more', async () => {
    const { view, done } = registered();
    const life = (replies: Script[string]) => {
      const model = scriptedModel({ worker: replies });
      const agent = toolLoop({ session: { name: 'worker', model, setup: 'x' }, tools: view, config: ONCE });
      return { model, agent: (run: Run) => agent(run, 'Go.') };
    };
    const stage = moving();
    const first = life([proposes('write', { text: 'x' })]);
    await stage.crashed(first.agent, at('after', 'ask-end'), { seams: hiding('write') });
    const second = life(['No.']);
    const outcome = await stage.open(second.agent).resume();
    expect(outcome).toMatchObject({ stop: 'done', value: { termination: 'completed', toolCalls: 0 } });
    expect(done).toEqual([]);
    expect(second.model.requests[0]?.messages.at(-1)?.content).toContain('there is no tool "write"');
  });
});

it('a tool gets exactly the arguments that were parsed, nothing repaired or left out [I2.3]', async () => {
  const seen: unknown[] = [];
  const echo = tool({
    name: 'echo',
    description: 'Says it back. Not for anything else.',
    effect: 'pure',
    input: { type: 'object', properties: { a: { type: 'object' } } },
    execute: async (args) => {
      seen.push(args);
      return 'ok';
    },
  });
  await runLoop([proposes('echo', '{"a":{"b":[1,2,{"c":null}]}}'), 'Done.'], {
    tools: [echo],
    config: ONCE,
  });
  expect(seen).toEqual([{ a: { b: [1, 2, { c: null }] } }]);
});
