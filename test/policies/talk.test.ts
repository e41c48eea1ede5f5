import { type Agent, budget, createRuntime, type Entry, memoryEngine, type ToolCall, type ToolRef } from 'flyball';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bankingGate } from '../../packages/evals/src/tau2/policies/banking-gate.js';
import { MESSAGE, plainConversation } from '../../packages/flyball/src/agents/conversation.js';
import { baseline } from '../../packages/flyball/src/agents/policies/baseline.js';
import { type TalkParts, talk } from '../../packages/flyball/src/agents/policies/talk.js';
import { ANN, LOGGED, STATED, smallBank } from './small-bank.js';
import { call, setting } from './stage-policies.js';

const calls = (...made: readonly ToolCall[]) => ({ toolCalls: made });

function stage(replies: Script[string], more: Partial<TalkParts> = {}, limits = {}) {
  const { tools, did } = smallBank();
  const model = scriptedModel({ agent: replies });
  const agent = talk({ speaker: () => baseline(setting(model, tools)), tools, ...more });
  const runtime = createRuntime({ engine: memoryEngine(), agents: { talk: agent as Agent<unknown, unknown> } });
  onTestFinished(() => runtime.close());
  const begin = (first: unknown = null) =>
    runtime.start('talk', first, { id: 'r1', budget: budget(limits) }).then((run) => run.outcome());
  const say = async (payload: unknown) => {
    await runtime.signal('r1', MESSAGE, payload);
    return (await runtime.wake('r1')).outcome();
  };
  const notes = async (kind: string) => (await runtime.entries('r1')).flatMap((entry) => noteOf(entry, kind));
  return { agent, model, runtime, did, begin, say, notes };
}

function noteOf({ event }: Entry, kind: string): readonly Readonly<Record<string, unknown>>[] {
  return event.type === 'note' && event.event.kind === kind ? [event.event] : [];
}

describe('an agent that talks', () => {
  it('waits for messages without a process, makes its calls through the run, and answers [R5-TALK-INTERFACE] [R5-TALK-DURABLE]', async () => {
    const { model, did, begin, say, notes, runtime } = stage([
      calls(call('get_user_information_by_id', { user_id: 'a1' }), call('KB_search', { query: 'x' })),
      'Found you.',
      'Bye.',
    ]);
    expect(await begin()).toMatchObject({ stop: 'suspended', waiting: [{ name: MESSAGE }] });
    expect(await say({ text: 'I am a1.' })).toMatchObject({ stop: 'suspended' });
    expect(await say({ text: 'Thanks.' })).toMatchObject({ stop: 'suspended' });
    expect(await say({ end: true })).toMatchObject({ stop: 'done', value: { turns: 2 } });
    expect(did.map(({ tool }) => tool)).toEqual(['get_user_information_by_id', 'KB_search']);
    expect(await notes('turn-end')).toMatchObject([
      { turn: 1, answer: 'Found you.' },
      { turn: 2, answer: 'Bye.' },
    ]);
    const made = (await runtime.entries('r1')).flatMap(({ event }) => (event.type === 'intent' ? [event.name] : []));
    expect(made).toEqual(['get_user_information_by_id', 'KB_search']);
    expect(model.promptAt('agent', 2)).toContain(`phone_number: ${ANN.phone_number}`);
  });

  it('takes its input as the first message, and is a conversation as it is for the command line [R5-TALK-INTERFACE]', async () => {
    const { agent, begin, notes } = stage(['Hello.']);
    await begin('hi');
    expect(await notes('turn-end')).toMatchObject([{ turn: 1, answer: 'Hello.' }]);
    expect(plainConversation(agent as Agent<string, unknown>)).toBe(agent);
  });

  it('tells the model of a tool that is not there, of unreadable arguments and of a denied call [R5-TALK-INTERFACE]', async () => {
    const bad = { id: 'b', name: 'KB_search', arguments: '{' };
    const { model, did, begin } = stage(
      [calls(call('KB_serch')), calls(bad), calls(call('change_user_email', { user_id: 'a1' })), 'Hm.'],
      { gate: { rules: bankingGate } },
    );
    await begin('hi');
    const told = model.requests
      .at(-1)
      ?.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(told).toEqual([
      expect.stringContaining('Did you mean KB_search'),
      expect.stringContaining('not valid JSON'),
      expect.stringContaining("nobody's identity is proven"),
    ]);
    expect(did).toEqual([]);
  });

  it('has its gate around any speaker: baseline cannot write before the proof either [R5-TALK-GOV-GATE]', async () => {
    const change = () => calls(call('change_user_email', { user_id: 'a1', new_email: 'x' }));
    const { did, begin } = stage(
      [
        change(),
        calls(call('get_user_information_by_id', { user_id: 'a1' })),
        calls(call('log_verification', LOGGED)),
        change(),
        'Done.',
      ],
      { gate: { rules: bankingGate } },
    );
    await begin(STATED);
    expect(did.map(({ tool }) => tool)).toEqual([
      'get_user_information_by_id',
      'log_verification',
      'change_user_email',
    ]);
  });

  it('makes a bounded number of calls a turn, says so, and the next turn begins anew [R5-TALK-INTERFACE]', async () => {
    const search = () => calls(call('KB_search', { query: 'x' }), call('KB_search', { query: 'y' }));
    const { model, did, begin, say, notes } = stage(
      [search(), search(), 'Enough.', search(), search(), search(), search(), search(), 'Sorry.'],
      {
        maxCallsPerTurn: 3,
      },
    );
    await begin('hi');
    expect(did).toHaveLength(3);
    expect(model.requests[2]?.messages.at(-1)?.content).toMatch(/^Not called: 3 calls/);
    await say({ text: 'more' });
    expect(did).toHaveLength(6);
    await say({ text: 'and?' });
    expect(await notes('turn-end')).toMatchObject([
      { turn: 1, answer: 'Enough.' },
      { turn: 2, stop: 'bounded', because: 'callsPerTurn reached its limit of 3' },
      { turn: 3, answer: 'Sorry.' },
    ]);
    expect(() => talk({ speaker: () => baseline(setting(model, [])), tools: [], maxCallsPerTurn: 0 })).toThrow(
      /at least 1/,
    );
  });

  it('tells of a turn that failed and goes on; a bound of the run ends it [R5-TALK-INTERFACE]', async () => {
    const broken = Object.assign(new Error('the wire is cut'), { retryable: false });
    const failing = stage([broken, 'Here again.']);
    await failing.begin('hi');
    await failing.say({ text: 'hello?' });
    expect(await failing.notes('turn-end')).toMatchObject([
      { stop: 'failed', because: expect.stringContaining('the wire is cut') },
      { answer: 'Here again.' },
    ]);
    const bounded = stage(['One.', 'Two.'], {}, { modelCalls: 1 });
    await bounded.begin('hi');
    expect(await bounded.say({ text: 'more' })).toMatchObject({ stop: 'bounded', bound: 'modelCalls' });
    expect(await bounded.notes('turn-end')).toHaveLength(1); // no turn ended: the conversation did
  });

  it('keeps what a turn did that failed after acting [F-W1]', async () => {
    const paid: string[] = [];
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      effect: 'idempotent',
      input: { type: 'object', properties: {} },
      execute: async () => {
        paid.push('100');
        return 'paid 100';
      },
    }) as unknown as ToolRef;
    const breaks = { ...pay, name: 'breaks', reserve: () => ({ filesChanged: Number.NaN }) } as ToolRef;
    const tools = [pay, breaks];
    const broken = Object.assign(new Error('the wire is cut'), { retryable: false });
    const lateModel = stage([calls(call('pay')), broken, 'Paid before.'], { tools });
    const lateCall = stage([calls(call('pay'), call('breaks')), broken, 'Paid before.'], { tools });
    for (const { model, begin, say } of [lateModel, lateCall]) {
      await begin('pay');
      await say({ text: 'again' });
      const shown = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
      expect(shown[0]?.content).toBe('paid 100');
    }
    expect(paid).toHaveLength(2);
  });

  it('does not pass silence off as an answer [R5-TALK-INTERFACE]', async () => {
    const { begin, say, notes } = stage(['  ', 'Here I am.']);
    await begin('hi');
    await say({ text: 'hello?' });
    expect(await notes('turn-end')).toMatchObject([
      { stop: 'failed', because: expect.stringContaining('an empty message') },
      { answer: 'Here I am.' },
    ]);
  });

  it('ends when the customer leaves, and when it is cancelled while it waits [R5-TALK-INTERFACE]', async () => {
    const left = stage(['Hello.']);
    await left.begin('hi');
    expect(await left.say({ end: true })).toMatchObject({ stop: 'done', value: { turns: 1 } });
    const cancelled = stage(['Hello.']);
    await cancelled.begin('hi');
    await cancelled.runtime.cancel('r1', { why: 'not wanted any more' });
    expect(await (await cancelled.runtime.wake('r1')).outcome()).toMatchObject({ stop: 'cancelled' });
    cancelled.model.assertFinished(); // nobody was asked again
  });

  it('begins every conversation with a speaker of its own [R5-TALK-INTERFACE]', async () => {
    const { model, runtime, begin } = stage(['One.', 'Two.']);
    await begin('hi');
    await (await runtime.start('talk', 'hello', { id: 'r2', budget: budget({}) })).outcome();
    expect(model.requests[1]?.messages.slice(1)).toEqual([{ role: 'user', content: 'hello' }]);
  });
});
