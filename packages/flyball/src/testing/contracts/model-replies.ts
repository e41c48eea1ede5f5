import assert from 'node:assert/strict';
import type { FinishReason, ToolCall } from '../../core/model.js';
import {
  type DeclareModelTest,
  type Inexpressible,
  LOOK_UP,
  type ModelFixture,
  request,
  WAYS,
} from './model-fixture.js';

const CALLS: readonly ToolCall[] = [
  { id: 'call-a', name: 'look_up', arguments: '{"word":"fly"}' },
  { id: 'call-b', name: 'look_up', arguments: '{"word":"ball, naïve 你好"}' },
];

const FINISHES: readonly (readonly [FinishReason, Inexpressible | undefined])[] = [
  ['stop', undefined],
  ['length', undefined],
  ['content_filter', 'finish-content-filter'],
  ['error', 'finish-error'],
];

/** What comes back: text, calls, why it ended, what it used, reasoning. */
export function repliesContract(test: DeclareModelTest): void {
  for (const { way, ask } of WAYS) {
    const said = { text: 'Grüße — 你好 🎉 "quoted"\n\tand on.', usage: { input: 12, output: 5 } };
    test(`answers with text and what it used, ${way}`, said, async ({ model, server }) => {
      const reply = await ask(model, request());
      assert.equal(reply.text, said.text);
      assert.deepEqual(reply.toolCalls, []);
      assert.equal(reply.finish, 'stop');
      assert.deepEqual([reply.usage.input, reply.usage.output], [12, 5]);
      assert.equal(server.requestAt(1).stream, way === 'streamed');
    });

    test(`proposes calls, several of them in order, beside text that is kept, ${way}`, {
      text: 'Wait.',
      toolCalls: CALLS,
    }, async ({ model, can }) => {
      const reply = await ask(model, request({ tools: [LOOK_UP] }));
      assert.equal(reply.text, 'Wait.');
      assert.equal(reply.finish, 'tool_calls');
      assert.deepEqual(reply.toolCalls.map(nameAndArguments), CALLS.map(nameAndArguments));
      const ids = reply.toolCalls.map(({ id }) => id);
      assert.equal(new Set(ids).size, 2, 'two calls share an id');
      assert.ok(
        ids.every((id) => id !== ''),
        'a call has no id',
      );
      if (can('call-ids')) assert.deepEqual(ids, ['call-a', 'call-b']);
    });

    test(`takes a call without arguments for one with an empty object, ${way}`, {
      toolCalls: [{ id: 'c', name: 'now', arguments: '{}' }],
    }, async ({ model }) => {
      const reply = await ask(model, request({ tools: [{ ...LOOK_UP, name: 'now' }] }));
      assert.deepEqual(JSON.parse(reply.toolCalls[0]?.arguments ?? ''), {});
    });

    for (const [finish, needs] of FINISHES) {
      const ends = async ({ model }: ModelFixture): Promise<void> => {
        assert.equal((await ask(model, request())).finish, finish);
      };
      test(`says that a reply ended with ${finish}, ${way}`, { text: 'So far', finish }, ends, needs);
    }

    const cached = { text: 'Again.', usage: { input: 100, output: 3, cacheRead: 60, cacheWrite: 30 } };
    test(`counts cached prompt tokens apart, and among all of them, ${way}`, cached, async ({ model, can }) => {
      const { usage } = await ask(model, request());
      assert.equal(usage.input, 100);
      if (can('cache-read')) assert.equal(usage.cacheRead, 60);
      if (can('cache-write')) assert.equal(usage.cacheWrite, 30);
    });

    test(`passes reasoning through, apart from the text, ${way}`, {
      text: 'Four.',
      reasoning: 'Two and two.',
      opaqueReasoning: 'signed',
    }, async ({ model }) => {
      const reply = await ask(model, request());
      assert.equal(reply.reasoning, 'Two and two.');
      assert.equal(reply.text, 'Four.');
    });
  }
}

function nameAndArguments({ name, arguments: given }: ToolCall): unknown {
  return { name, arguments: JSON.parse(given) as unknown };
}
