import { describe, expect, it } from 'vitest';
import { type OllamaManner, ollamaWriter } from './ollama-request.js';
import { ADD, request } from './requests.test-data.js';

const MANNER: OllamaManner = { model: 'qwen3', window: 8192, structuredOutput: true, think: undefined };

function sent(given: Parameters<typeof request>[0] = {}, manner: Partial<OllamaManner> = {}, stream = false) {
  return JSON.parse(ollamaWriter({ ...MANNER, ...manner })(request(given), stream)) as Record<string, unknown>;
}

describe('a request as /api/chat', () => {
  it('writes an assistant turn with calls as Ollama has it: arguments as an object [R3-CASE-23]', () => {
    expect((sent()['messages'] as unknown[])[2]).toEqual({
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'call_abc', function: { name: 'add', arguments: { a: 2, b: 2 } } }],
    });
  });

  it('shows the model what it wrote where that is no object', () => {
    const toolCalls = ['{"a":', '[1]', 'null', ''].map((given, index) => ({
      id: `c${index}`,
      name: 'add',
      arguments: given,
    }));
    const [turn] = sent({ messages: [{ role: 'assistant', content: '', toolCalls }] })['messages'] as [
      { tool_calls: { function: { arguments: unknown } }[] },
    ];
    expect(turn.tool_calls.map((call) => call.function.arguments)).toEqual([
      { malformed: '{"a":' },
      { malformed: '[1]' },
      { malformed: 'null' },
      {},
    ]);
  });

  it('writes a result with the id and the name of its call [R3-CASE-25]', () => {
    const result = { role: 'tool', content: '4', tool_name: 'add', tool_call_id: 'call_abc' };
    expect((sent()['messages'] as unknown[])[3]).toEqual(result);
  });

  it('offers tools in its payload, and none that must not be called [R3-CASE-28]', () => {
    const wrapped = (tool: typeof ADD | (Omit<typeof ADD, 'name'> & { name: string })) => ({
      type: 'function',
      function: { name: tool.name, description: tool.description, parameters: tool.input },
    });
    const other = { ...ADD, name: 'subtract', input: { type: 'object' } } as const;
    expect(sent({ tools: [ADD] })['tools']).toEqual([wrapped(ADD)]);
    expect(sent({ tools: [ADD], toolChoice: 'none' })).not.toHaveProperty('tools');
    expect(sent({ tools: [other, ADD], toolChoice: { tool: 'add' } })['tools']).toEqual([wrapped(ADD)]);
  });

  it('says how long the window is, because Ollama cuts prompts silently otherwise', () => {
    expect(sent()['options']).toEqual({ num_ctx: 8192 });
    expect(sent({ sampling: { vendor: { options: { num_ctx: 100 }, keep_alive: '1h' } } })).toMatchObject({
      keep_alive: '1h',
      options: { num_ctx: 100 },
    });
  });

  it('carries every setting [R3-PORT-REQUEST] [R11-N10-TOP-P]', () => {
    const output = { type: 'object' };
    const sampling = { maxOutputTokens: 9, temperature: 0, topP: 0.5, seed: 1, stop: ['END'], logProbs: 2 };
    expect(sent({ output, sampling }, { think: 'low' }, true)).toMatchObject({
      model: 'qwen3',
      stream: true,
      think: 'low',
      format: output,
      logprobs: true,
      top_logprobs: 2,
      options: { num_ctx: 8192, num_predict: 9, temperature: 0, top_p: 0.5, seed: 1, stop: ['END'] },
    });
    expect(sent({ output }, { structuredOutput: false })).not.toHaveProperty('format');
    expect(sent()['stream']).toBe(false);
  });

  it('thinks as long as a session says, and as the endpoint says where it says nothing [F-E1]', () => {
    expect(sent({ sampling: { reasoningEffort: 'high' } }, { think: 'low' })['think']).toBe('high');
    expect(sent({ sampling: {} }, { think: 'low' })['think']).toBe('low');
  });

  it('hands thinking back [R3-PORT-REASONING]', () => {
    const [turn] = sent({ messages: [{ role: 'assistant', content: 'Four.', reasoning: { text: 'Hm.' } }] })[
      'messages'
    ] as unknown[];
    expect(turn).toEqual({ role: 'assistant', content: 'Four.', thinking: 'Hm.' });
  });
});
