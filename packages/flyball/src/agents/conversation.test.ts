import {
  type Budget,
  budget,
  createRuntime,
  done,
  type Entry,
  type ModelRequest,
  memoryEngine,
  type RunEvent,
} from 'flyball';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { conversation, MESSAGE, plainConversation } from './conversation.js';
import { defineAgent } from './define-agent.js';

/** A conversation in memory, and what a test says in it. */
function stage(script: Script, limits: Partial<Budget> = {}) {
  const model = scriptedModel(script);
  const agent = defineAgent({ name: 'helper', description: 'You help.', model });
  const echo = plainConversation(async (run, text) => {
    if (text === 'spend') run.budget.take('iterations', 1000);
    return done(`echo ${text}`);
  });
  const runtime = createRuntime({
    engine: memoryEngine(),
    agents: { talk: conversation(agent), echo },
    prices: { [model.id]: { input: 1, output: 1 } },
  });
  onTestFinished(() => runtime.close());
  const begin = (name: 'talk' | 'echo', first: unknown = null) =>
    runtime.start(name, first, { id: 'r1', budget: budget({ iterations: 100, ...limits }) });
  /** Says something and waits until the run rests again. */
  const say = async (payload: unknown) => {
    await runtime.signal('r1', MESSAGE, payload);
    return (await runtime.wake('r1')).outcome();
  };
  return { model, runtime, begin, say };
}

async function turns(runtime: { entries(id: string): Promise<readonly Entry[]> }): Promise<readonly unknown[]> {
  const notes = (await runtime.entries('r1')).map(({ event }) => event).filter(isTurnEnd);
  return notes.map(({ event: { kind: _kind, ...rest } }) => rest);
}

/** What the model was sent after its setup. */
function said(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).slice(1).map(({ content }) => content);
}

function isTurnEnd(event: RunEvent): event is Extract<RunEvent, { type: 'note' }> {
  return event.type === 'note' && event.event.kind === 'turn-end';
}

describe('a conversation', () => {
  it('waits without a process between messages, and each turn goes on from the one before [R3-CLI-CHAT]', async () => {
    const { model, runtime, begin, say } = stage({ helper: ['One.', 'Two.'] });
    expect(await (await begin('talk')).outcome()).toMatchObject({ stop: 'suspended', waiting: [{ name: MESSAGE }] });
    expect(await say({ text: 'first' })).toMatchObject({ stop: 'suspended' });
    expect(await say({ text: 'second' })).toMatchObject({ stop: 'suspended' });
    expect(await say({ end: true })).toMatchObject({ stop: 'done', value: { turns: 2 } });
    expect(await turns(runtime)).toEqual([
      { turn: 1, stop: 'done', answer: 'One.' },
      { turn: 2, stop: 'done', answer: 'Two.' },
    ]);
    expect(said(model.requests.at(-1))).toEqual(['first', 'One.', 'second']);
  });

  it('takes its input as the first message [R3-CLI-CHAT]', async () => {
    const { runtime, begin } = stage({ helper: ['One.'] });
    await (await begin('talk', 'hello')).outcome();
    expect(await turns(runtime)).toEqual([{ turn: 1, stop: 'done', answer: 'One.' }]);
  });

  it('goes on from before a turn that failed [R3-CLI-CHAT]', async () => {
    const broken = Object.assign(new Error('the wire is cut'), { retryable: false });
    const { model, runtime, begin, say } = stage({ helper: ['One.', broken, 'Three.'] });
    await (await begin('talk', 'first')).outcome();
    await say({ text: 'second' });
    await say({ text: 'third' });
    expect(await turns(runtime)).toMatchObject([
      { answer: 'One.' },
      { stop: 'failed', because: expect.stringContaining('the wire is cut') },
      { answer: 'Three.' },
    ]);
    expect(said(model.requests.at(-1))).toEqual(['first', 'One.', 'third']);
  });

  it('refuses what is no message, with a sentence [R3-CLI-CHAT]', async () => {
    const { begin, say } = stage({ helper: [] });
    await (await begin('talk')).outcome();
    await expect(say({ words: 'hello' })).rejects.toMatchObject({ code: 'SIGNAL_INVALID' });
    await expect(say({})).rejects.toMatchObject({ code: 'SIGNAL_INVALID' });
  });

  it('ends at a bound of the run, whatever the agent does about it [R3-CLI-CHAT]', async () => {
    const { begin, say } = stage({ helper: ['One.', 'Two.'] }, { modelCalls: 1 });
    await (await begin('talk', 'first')).outcome();
    expect(await say({ text: 'second' })).toMatchObject({ stop: 'bounded', bound: 'modelCalls', limit: 1 });
  });

  it('ends at a bound with a plain function too [R3-CLI-CHAT]', async () => {
    const { begin, say } = stage({});
    await (await begin('echo')).outcome();
    expect(await say({ text: 'hello' })).toMatchObject({ stop: 'suspended' });
    expect(await say({ text: 'spend' })).toMatchObject({ stop: 'bounded', bound: 'iterations' });
  });
});
