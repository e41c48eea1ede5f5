import { describe, expect, it } from 'vitest';
import { type ChatManner, chatWriter, isClosed } from './chat-request.js';
import { ADD, CONVERSATION, request } from './requests.test-data.js';

const MANNER: ChatManner = {
  model: 'gpt-4o',
  maxTokensField: 'max_tokens',
  streamUsage: true,
  structuredOutput: true,
  parallelTools: true,
  marksCache: false,
  handBackReasoning: true,
};

function sent(given: Parameters<typeof request>[0] = {}, manner: Partial<ChatManner> = {}, stream = false) {
  return JSON.parse(chatWriter({ ...MANNER, ...manner })(request(given), stream)) as Record<string, unknown>;
}

describe('a request as chat completions', () => {
  it('writes an assistant turn with calls as OpenAI has it [R3-CASE-24] [R3-PORT-MESSAGES]', () => {
    expect((sent()['messages'] as unknown[])[2]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_abc', type: 'function', function: { name: 'add', arguments: '{"a": 2, "b": 2}' } }],
    });
  });

  it('keeps the text beside the calls', () => {
    const [turn] = sent({
      messages: [{ role: 'assistant', content: 'I add.', toolCalls: [{ id: 'c', name: 'add', arguments: '{}' }] }],
    })['messages'] as [{ content: string }];
    expect(turn.content).toBe('I add.');
  });

  it('writes no arguments as an empty object: servers parse them', () => {
    const toolCalls = [{ id: 'c', name: 'now', arguments: '' }];
    const body = JSON.stringify(sent({ messages: [{ role: 'assistant', content: '', toolCalls }] }));
    expect(body).toContain('"name":"now","arguments":"{}"');
  });

  it('writes a result with the id and the name of its call [R3-CASE-25]', () => {
    const result = { role: 'tool', tool_call_id: 'call_abc', name: 'add', content: '4' };
    expect((sent()['messages'] as unknown[])[3]).toEqual(result);
    const nameless = CONVERSATION.map((message) =>
      message.role === 'tool' ? { role: message.role, toolCallId: message.toolCallId, content: '4' } : message,
    );
    expect((sent({ messages: nameless })['messages'] as unknown[])[3]).toEqual(result);
  });

  it('wraps tools as functions [R3-CASE-29]', () => {
    const { name, description, input } = ADD;
    expect(sent({ tools: [ADD] })['tools']).toEqual([
      { type: 'function', function: { name, description, parameters: input } },
    ]);
    expect(sent()).not.toHaveProperty('tools');
  });

  it('names a tool that changed by its new description, though its schema is the same object', () => {
    const write = chatWriter(MANNER);
    write(request({ tools: [ADD] }), false);
    const renamed = write(request({ tools: [{ ...ADD, name: 'plus', description: 'New.' }] }), false);
    expect(renamed).toContain('"name":"plus","description":"New."');
  });

  it('says which tools may be called only where there are tools', () => {
    expect(sent({ toolChoice: 'required' })).not.toHaveProperty('tool_choice');
    expect(sent({ tools: [ADD], toolChoice: 'auto' })).not.toHaveProperty('tool_choice');
    expect(sent({ tools: [ADD], toolChoice: 'none' })['tool_choice']).toBe('none');
    expect(sent({ tools: [ADD], toolChoice: { tool: 'add' } })['tool_choice']).toEqual({
      type: 'function',
      function: { name: 'add' },
    });
    expect(sent({ tools: [ADD] }, { parallelTools: false })['parallel_tool_calls']).toBe(false);
  });

  it('carries every setting, and vendor settings as they are [R3-PORT-REQUEST]', () => {
    const body = sent({
      sampling: {
        maxOutputTokens: 50,
        temperature: 0,
        seed: 1,
        stop: ['END'],
        logProbs: 3,
        topP: 0.5,
        vendor: { reasoning_effort: 'low' },
      },
    });
    expect(body).toMatchObject({
      model: 'gpt-4o',
      max_tokens: 50,
      temperature: 0,
      seed: 1,
      stop: ['END'],
      logprobs: true,
      top_logprobs: 3,
      reasoning_effort: 'low',
      top_p: 0.5,
    });
    expect(sent({ sampling: { maxOutputTokens: 50 } }, { maxTokensField: 'max_completion_tokens' })).toMatchObject({
      max_completion_tokens: 50,
    });
    expect(sent({ sampling: { logProbs: 0 } })).not.toHaveProperty('top_logprobs');
    expect(sent({ tools: [ADD], sampling: { vendor: { tools: [] } } })['tools']).toEqual([]);
  });

  it('sends how long to think, and no temperature where none is given [F-E1]', () => {
    const told = sent({ sampling: { reasoningEffort: 'high' } });
    expect(told['reasoning_effort']).toBe('high');
    expect(told).not.toHaveProperty('temperature');
    expect(sent({ sampling: { temperature: 0 } })).toMatchObject({ temperature: 0 });
  });

  it('asks for a stream with its usage, or without where a server refuses that', () => {
    expect(sent({}, {}, true)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(sent({}, { streamUsage: false }, true)).not.toHaveProperty('stream_options');
    expect(sent()).not.toHaveProperty('stream');
  });

  it('asks for structured output, strictly where the schema leaves nothing open', () => {
    const closed = { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false };
    const format = (output: Record<string, unknown>) => sent({ output })['response_format'];
    expect(format(closed)).toEqual({
      type: 'json_schema',
      json_schema: { name: 'reply', schema: closed, strict: true },
    });
    expect(format({ type: 'object' })).toMatchObject({ json_schema: { strict: false } });
    expect(sent({ output: closed }, { structuredOutput: false })).not.toHaveProperty('response_format');
    expect(isClosed({ ...closed, properties: { a: { type: 'array', items: { type: 'object' } } } })).toBe(false);
    expect(isClosed({ ...closed, required: [] })).toBe(false);
  });

  it('marks content parts for a provider that caches up to markers, and for no other [R3-PORT-CACHE]', () => {
    const messages = [
      { role: 'system', content: 'Rules.', cache: true },
      { role: 'tool', content: '4', toolCallId: 'c', cache: true },
      { role: 'user', content: 'Hi.' },
    ] as const;
    const marked = sent({ messages }, { marksCache: true })['messages'] as { content: unknown }[];
    const part = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
    expect(marked.map(({ content }) => content)).toEqual([part('Rules.'), part('4'), 'Hi.']);
    const plain = sent({ messages })['messages'] as { content: unknown }[];
    expect(plain.map(({ content }) => content)).toEqual(['Rules.', '4', 'Hi.']);
  });

  it('hands reasoning back under the name it came under, with its details [R3-PORT-REASONING]', () => {
    const turn = (opaque?: unknown, manner: Partial<ChatManner> = {}) => {
      const reasoning = { text: 'Hm.', ...(opaque === undefined ? {} : { opaque }) };
      const body = sent({ messages: [{ role: 'assistant', content: 'Four.', reasoning }] }, manner);
      return (body['messages'] as unknown[])[0];
    };
    const said = { role: 'assistant', content: 'Four.' };
    expect(turn()).toEqual({ ...said, reasoning_content: 'Hm.' });
    expect(turn({ field: 'reasoning', details: [{ data: 'x' }] })).toEqual({
      ...said,
      reasoning: 'Hm.',
      reasoning_details: [{ data: 'x' }],
    });
    expect(turn(['of another adapter'])).toEqual({ ...said, reasoning_content: 'Hm.' });
    expect(turn(undefined, { handBackReasoning: false })).toEqual(said);
  });

  it('writes a message once, however often the conversation is sent', () => {
    let read = 0;
    const message = {
      role: 'user' as const,
      get content() {
        read += 1;
        return 'Long text.';
      },
    };
    const write = chatWriter(MANNER);
    const first = write(request({ messages: [message] }), false);
    const once = read;
    expect(write(request({ messages: [message] }), false)).toBe(first);
    expect(read).toBe(once);
  });
});
