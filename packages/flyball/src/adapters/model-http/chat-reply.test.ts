import { describe, expect, it } from 'vitest';
import { hasToolCalls, type ModelDelta } from '../../core/model.js';
import { ChatReply } from './chat-reply.js';

function whole(message: unknown, rest: Record<string, unknown> = {}) {
  const reply = new ChatReply([], undefined);
  reply.take({ choices: [{ index: 0, message, finish_reason: 'stop' }], ...rest });
  return reply.result();
}

function streamed(...deltas: readonly unknown[]) {
  const told: ModelDelta[] = [];
  const reply = new ChatReply([], (delta) => told.push(delta));
  for (const delta of deltas) reply.take({ choices: [{ index: 0, delta }] });
  reply.take({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
  return { ...reply.result(), told };
}

const call = (given: unknown) => ({ id: 'c1', type: 'function', function: { name: 'add', arguments: given } });

describe('a reply as vendors send it', () => {
  it('says that it has calls when it has [R3-CASE-26]', () => {
    const reply = whole({ content: null, tool_calls: [call('{}')] });
    expect(hasToolCalls(reply)).toBe(true);
    expect(reply).toMatchObject({ text: '', finish: 'tool_calls' });
  });

  it.each([[[]], [null], [undefined]])('says that it has none when the list of calls is %j [R3-CASE-27]', (list) => {
    const reply = whole({ content: 'Hello.', tool_calls: list }, {});
    expect(hasToolCalls(reply)).toBe(false);
    expect(reply).toMatchObject({ text: 'Hello.', finish: 'stop', toolCalls: [] });
    expect(hasToolCalls({})).toBe(false);
    expect(hasToolCalls({ toolCalls: null })).toBe(false);
  });

  it.each([
    ['{"a":1}', '{"a":1}'],
    [{ a: 1 }, '{"a":1}'],
    ['', ''],
    [null, ''],
    ['{"a":', '{"a":'],
  ])('takes arguments %j for the text %j', (given, text) => {
    expect(whole({ tool_calls: [call(given)] }).toolCalls).toEqual([{ id: 'c1', name: 'add', arguments: text }]);
  });

  it.each([
    [{ prompt_tokens_details: { cached_tokens: 6 } }, { cacheRead: 6 }],
    [{ prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 4 }, { cacheRead: 6 }],
    [{ cached_tokens: 6 }, { cacheRead: 6 }],
    [{ prompt_tokens_details: { cached_tokens: 6, cache_write_tokens: 2 } }, { cacheRead: 6, cacheWrite: 2 }],
    [{ cache_creation_input_tokens: 2 }, { cacheWrite: 2 }],
    [{}, {}],
  ])('reads cached tokens from %j [R3-PORT-USAGE]', (details, cached) => {
    const { usage } = whole({ content: 'x' }, { usage: { prompt_tokens: 10, completion_tokens: 1, ...details } });
    expect(usage).toEqual({ input: 10, output: 1, ...cached });
  });

  it.each([[undefined], [null], [{ prompt_tokens: 'many' }], [{ prompt_tokens: -1, completion_tokens: 2 }]])(
    'does not believe a usage of %j',
    (usage) => {
      expect(whole({ content: 'x' }, { usage })).not.toHaveProperty('usage');
    },
  );

  it('knows reasoning by either name, and gives back what came with it [R3-PORT-REASONING]', () => {
    expect(whole({ content: 'x', reasoning_content: 'Hm.' })).toMatchObject({
      reasoning: 'Hm.',
      opaqueReasoning: { field: 'reasoning_content' },
    });
    const details = [{ type: 'reasoning.encrypted', data: 'x' }];
    expect(whole({ content: 'x', reasoning: 'Hm.', reasoning_details: details })).toMatchObject({
      reasoning: 'Hm.',
      opaqueReasoning: { field: 'reasoning', details },
    });
    expect(whole({ content: 'x' })).not.toHaveProperty('opaqueReasoning');
  });

  it('joins the pieces in which details of reasoning are streamed', () => {
    const { opaqueReasoning } = streamed(
      { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I ' }] },
      { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'think', signature: 's' }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'x' }] },
    );
    expect(opaqueReasoning).toMatchObject({
      details: [
        { type: 'reasoning.text', index: 0, text: 'I think', signature: 's' },
        { type: 'reasoning.encrypted', index: 1, data: 'x' },
      ],
    });
  });

  it('reads text that comes in parts, and a refusal as text', () => {
    expect(
      whole({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }).text,
    ).toBe('ab');
    expect(whole({ content: null, refusal: 'I will not.' }).text).toBe('I will not.');
  });
});

describe('calls in a stream', () => {
  const piece = (given: Record<string, unknown>) => ({ tool_calls: [given] });

  it('come together by index, whoever repeats the name or sends empty ids [R3-PORT-STREAM]', () => {
    const { toolCalls, told } = streamed(
      piece({ index: 0, id: 'a', function: { name: 'add', arguments: '' } }),
      piece({ index: 1, id: 'b', function: { name: 'sub', arguments: '{"x"' } }),
      piece({ index: 0, id: '', function: { name: 'add', arguments: '{"y":' } }),
      piece({ index: 1, function: { arguments: ':1}' } }),
      piece({ index: 0, function: { arguments: '2}' } }),
    );
    expect(toolCalls).toEqual([
      { id: 'a', name: 'add', arguments: '{"y":2}' },
      { id: 'b', name: 'sub', arguments: '{"x":1}' },
    ]);
    expect(told.filter((delta) => delta.type === 'tool-call' && delta.name !== undefined)).toHaveLength(2);
  });

  it('stay apart where a vendor gives all of them the same index, or none', () => {
    const two = [
      { id: 'a', function: { name: 'add', arguments: '{"x":1}' } },
      { id: 'b', function: { name: 'add', arguments: '{"x":2}' } },
    ];
    const wanted = [
      { id: 'a', name: 'add', arguments: '{"x":1}' },
      { id: 'b', name: 'add', arguments: '{"x":2}' },
    ];
    expect(streamed(...two.map((given) => piece({ index: 0, ...given }))).toolCalls).toEqual(wanted);
    expect(streamed(...two.map(piece)).toolCalls).toEqual(wanted);
    const nameless = two.map(({ function: called }) => piece({ function: called }));
    expect(streamed(...nameless).toolCalls.map(({ arguments: given }) => given)).toEqual(['{"x":1}', '{"x":2}']);
  });
});
