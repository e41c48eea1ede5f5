import type { Seams, ToolRef } from 'flyball';
import { conversation, defineAgent, MESSAGE, plainConversation } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { beforeAll, describe, expect, it } from 'vitest';
import { smallTools } from '../loops/small-tools.js';
import { proposes } from '../loops/stage-loop.js';
import { moving, RUN } from '../runtime/stage.js';

const CLERK = { name: 'clerk', description: 'You talk.' };

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

describe('a conversation', () => {
  it('is not wrapped in a second one where it is chatted with [R3-CLI-CHAT]', () => {
    const talks = conversation(defineAgent({ ...CLERK, model: scriptedModel({}) }));
    expect(plainConversation(talks)).toBe(talks);
  });

  it('is one durable run: it waits for messages without a process and goes on where it was', async () => {
    const model = scriptedModel({ clerk: ['Hello.', proposes('next'), 'It is 1.'] });
    const agent = defineAgent({ ...CLERK, model, tools: smallTools().all, loop: { doubleConfirmation: false } });
    const stage = moving();
    const first = stage.open(conversation(agent));
    expect(await first.start('Hi.')).toMatchObject({ stop: 'suspended', waiting: [{ name: MESSAGE }] });
    first.die();

    const second = stage.open(conversation(agent));
    await second.runtime.signal(RUN, MESSAGE, { text: 'Count.' });
    expect(await second.resume()).toMatchObject({ stop: 'suspended' });
    const asked = model.requests.at(-1)?.messages.map(({ role, content }) => [role, content]);
    expect(asked).toEqual([
      ['system', agent.setup],
      ['user', 'Hi.'],
      ['assistant', 'Hello.'],
      ['user', 'Count.'],
      ['assistant', ''],
      ['tool', '1'],
    ]);
    expect(model.requests).toHaveLength(3); // the first turn was not paid for again
    await second.runtime.signal(RUN, MESSAGE, { end: true });
    expect(await second.resume()).toMatchObject({ stop: 'done', value: { turns: 2 } });
  });

  it('goes on from before a turn that failed', async () => {
    const model = scriptedModel({ clerk: ['Hello.', new Error('gone'), 'Back.'] });
    const agent = defineAgent({ ...CLERK, model });
    const stage = moving();
    const life = stage.open(conversation(agent));
    await life.start('Hi.');
    for (const text of ['Are you there?', 'And now?']) {
      await life.runtime.signal(RUN, MESSAGE, { text });
      await life.resume();
    }
    expect(
      model.requests
        .at(-1)
        ?.messages.map(({ content }) => content)
        .slice(1),
    ).toEqual(['Hi.', 'Hello.', 'And now?']);
    const turns = (await stage.events('note'))
      .filter(({ event }) => event.kind === 'turn-end')
      .map(({ event }) => event);
    expect(turns.map(({ stop }) => stop)).toEqual(['done', 'failed', 'done']);
  });

  it('keeps a turn that acted, with what it did, whatever became of it [F-W1]', async () => {
    const paid: string[] = [];
    const pay = tool({
      name: 'pay',
      description: 'Pays the bill.',
      effect: 'idempotent',
      input: { type: 'object', properties: {} },
      execute: async () => {
        paid.push('100');
        return 'paid 100';
      },
    }) as unknown as ToolRef;
    const broken = Object.assign(new Error('provider down'), { retryable: false });
    for (const [loop, end] of [
      [{}, [broken]],
      [{ maxIterations: 1 }, []],
      [{ maxConsecutiveErrors: 1 }, [proposes('no_such_tool', {}, '2')]],
    ] as const) {
      const model = scriptedModel({ clerk: [proposes('pay', {}, '1'), ...end, 'It is paid already.'] });
      const agent = defineAgent({ ...CLERK, model, tools: [pay], loop });
      const life = moving().open(conversation(agent));
      await life.start('Pay my bill.');
      await life.runtime.signal(RUN, MESSAGE, { text: 'Please try again.' });
      expect(await life.resume()).toMatchObject({ stop: 'suspended' });
      const messages = model.requests.at(-1)?.messages ?? [];
      expect(messages.slice(1, 4)).toMatchObject([
        { role: 'user', content: 'Pay my bill.' },
        { role: 'assistant', toolCalls: [{ name: 'pay' }] },
        { role: 'tool', content: 'paid 100' },
      ]);
      expect(messages.at(-2)?.content).toMatch(/ended without an answer \(.*What the calls above did stands/s);
      expect(messages.at(-1)).toMatchObject({ role: 'user', content: 'Please try again.' });
      model.assertFinished();
    }
    expect(paid).toHaveLength(3); // once in each conversation
  });

  it('puts every message through the input guards before it is journaled, and asks again for one that is refused [R3-GOV-GUARDS]', async () => {
    const model = scriptedModel({ clerk: ['Hello.', 'Noted.'] });
    const agent = defineAgent({ ...CLERK, model });
    const stage = moving();
    const seams: Seams = {
      input: [
        (next) => async (value, ctx) => {
          const text = JSON.stringify(await next(value, ctx));
          if (text.includes('forbidden')) throw new Error('not here');
          return JSON.parse(text.replaceAll('hunter2', '[masked]'));
        },
      ],
    };
    const life = stage.open(conversation(agent), { seams });
    await life.start('Hi.');
    await life.runtime.signal(RUN, MESSAGE, { text: 'forbidden words' });
    await life.runtime.signal(RUN, MESSAGE, { text: 'The password is hunter2.' });
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: MESSAGE }] });
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe('The password is [masked].');
    expect(await stage.events('signal-refused')).toMatchObject([{ why: 'not here' }]);
    expect(JSON.stringify(await stage.entries())).not.toContain('hunter2');
  });
});
