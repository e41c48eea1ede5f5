import assert from 'node:assert/strict';
import type { ModelDelta, ModelReply } from '../../core/model.js';
import { type DeclareModelTest, LOOK_UP, observed, quiet, request } from './model-fixture.js';

const REPLIES = [
  { text: 'Only words: “näive” 你好 🎉.' },
  { text: '', toolCalls: [{ id: 'c1', name: 'look_up', arguments: '{"word":"🎉 fly"}' }] },
  {
    text: 'Let me see.',
    reasoning: 'I think, therefore.',
    toolCalls: [
      { id: 'c1', name: 'look_up', arguments: '{"word":"fly"}' },
      { id: 'c2', name: 'look_up', arguments: '{"word":"ball"}' },
    ],
  },
] as const;

/** Streaming is the same call observed. */
export function streamsContract(test: DeclareModelTest): void {
  for (const said of REPLIES) {
    const title = said.text || 'calls alone';
    test(
      `says the same streamed and not, in pieces that cut through characters: ${title}`,
      [said, said, { ...said, misbehave: 'slow' }],
      async ({ model, server, can }) => {
        const asked = request({ tools: [LOOK_UP] });
        const whole = comparable(await model.generate(asked, quiet()), can('call-ids'));
        const streamed = await observed(model, asked);
        const slow = await observed(model, asked);
        assert.deepEqual(comparable(streamed.reply, can('call-ids')), whole);
        assert.deepEqual(comparable(slow.reply, can('call-ids')), whole);
        for (const { reply, deltas } of [streamed, slow]) assert.deepEqual(toldBy(deltas), sayingOf(reply));
        assert.deepEqual(
          server.requests.map(({ stream }) => stream),
          [false, true, true],
        );
      },
    );
  }

  test('tells the parts as they come, before the reply is complete', {
    text: 'one two three',
    misbehave: 'slow',
  }, async ({ model }) => {
    const { deltas } = await observed(model, request());
    assert.ok(deltas.length > 1, 'the text came in one piece');
  });

  test('names a call with its first part', {
    toolCalls: [{ id: 'c', name: 'look_up', arguments: '{"word":"fly"}' }],
  }, async ({ model }) => {
    const { deltas, reply } = await observed(model, request({ tools: [LOOK_UP] }));
    const [first, ...others] = deltas.filter((delta) => delta.type === 'tool-call');
    assert.equal(first?.name, 'look_up');
    assert.ok([first, ...others].every((delta) => delta?.id === reply.toolCalls[0]?.id));
    assert.ok(others.every((delta) => delta.name === undefined));
  });
}

/** Ids that the client makes up differ from call to call. */
function comparable({ text, reasoning, toolCalls, finish, usage }: ModelReply, withIds: boolean): unknown {
  const calls = toolCalls.map(({ id, name, arguments: given }) => [withIds ? id : '', name, JSON.parse(given)]);
  return { text, reasoning, calls, finish, input: usage.input, output: usage.output };
}

interface Told {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: Readonly<Record<string, string>>;
}

function toldBy(deltas: readonly ModelDelta[]): Told {
  const told = { text: '', reasoning: '', calls: {} as Record<string, string> };
  for (const delta of deltas) {
    if (delta.type === 'tool-call') told.calls[delta.id] = (told.calls[delta.id] ?? '') + delta.arguments;
    else if (delta.type !== 'restart') told[delta.type] += delta.text;
  }
  return told;
}

function sayingOf({ text, reasoning = '', toolCalls }: ModelReply): Told {
  return { text, reasoning, calls: Object.fromEntries(toolCalls.map((call) => [call.id, call.arguments])) };
}
