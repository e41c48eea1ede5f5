import type { Message, TokenLogProb, ToolCall, ToolChoice } from '../../core/model.js';
import {
  contentParts,
  contentText,
  type Fields,
  fieldsOf,
  isMarked,
  listOf,
  numberOf,
  present,
  textOf,
} from './json-fields.js';
import { CREATED, type FullReply, halves, type ServedRequest, sse, type Wire, words } from './wire.js';

/** OpenAI chat completions, as OpenAI, vLLM, LM Studio, OpenRouter and DeepSeek speak it. */
export const openAiChat: Wire = {
  format: 'openai-chat',
  path: /^(\/[\w.-]+)*\/chat\/completions$/,
  streamType: 'text/event-stream; charset=utf-8',
  frame: sse,
  end: 'data: [DONE]\n\n',
  parse(given) {
    const body = fieldsOf(given);
    const format = fieldsOf(fieldsOf(body['response_format'])['json_schema']);
    return {
      model: textOf(body['model']),
      stream: body['stream'] === true,
      messages: listOf(body['messages']).map(messageFrom),
      tools: functionsFrom(body['tools']),
      toolChoice: choiceFrom(body['tool_choice']),
      ...present({ output: format['schema'] === undefined ? undefined : fieldsOf(format['schema']) }),
      sampling: present({
        maxOutputTokens: numberOf(body['max_completion_tokens']) ?? numberOf(body['max_tokens']),
        temperature: numberOf(body['temperature']),
        topP: numberOf(body['top_p']),
        seed: numberOf(body['seed']),
        stop: stopFrom(body['stop']),
        logProbs: body['logprobs'] === true ? (numberOf(body['top_logprobs']) ?? 0) : undefined,
      }),
    };
  },
  whole: (reply, to) => ({
    ...frameOf(to, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.text === '' && reply.toolCalls.length > 0 ? null : reply.text,
          ...present({ reasoning_content: reply.reasoning }),
          ...(reply.toolCalls.length === 0 ? {} : { tool_calls: reply.toolCalls.map(callOnWire) }),
        },
        logprobs: reply.logProbs === undefined ? null : { content: reply.logProbs.map(logProbOnWire) },
        finish_reason: reply.finish,
      },
    ],
    usage: usageOnWire(reply),
  }),
  parts(reply, to) {
    const chunk = (delta: unknown, finish: string | null = null, logprobs: unknown = null): unknown => ({
      ...frameOf(to, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs, finish_reason: finish }],
    });
    const logProbs = reply.logProbs?.map(logProbOnWire);
    return [
      chunk({ role: 'assistant', content: '' }),
      ...words(reply.reasoning ?? '').map((text) => chunk({ reasoning_content: text })),
      ...words(reply.text).map((content) => chunk({ content })),
      ...(logProbs === undefined ? [] : [chunk({}, null, { content: logProbs })]),
      ...reply.toolCalls.flatMap(callParts).map((call) => chunk({ tool_calls: [call] })),
      chunk({}, reply.finish),
      ...(wantsUsage(to) ? [{ ...frameOf(to, 'chat.completion.chunk'), choices: [], usage: usageOnWire(reply) }] : []),
    ];
  },
  refusal: ({ message, code }) => ({ error: { message, type: code, param: null, code } }),
};

function frameOf(to: ServedRequest, object: string): Fields {
  return { id: `chatcmpl-${to.n}`, object, created: CREATED, model: to.model };
}

function wantsUsage(to: ServedRequest): boolean {
  return fieldsOf(fieldsOf(to.body)['stream_options'])['include_usage'] === true;
}

function callOnWire(call: ToolCall): unknown {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

function callParts(call: ToolCall, index: number): readonly unknown[] {
  return [
    { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
    ...halves(call.arguments).map((part) => ({ index, function: { arguments: part } })),
  ];
}

export function logProbOnWire(given: TokenLogProb): unknown {
  const top = given.alternatives ?? [];
  return {
    token: given.token,
    logprob: given.logProb,
    bytes: [...Buffer.from(given.token)],
    top_logprobs: top.map(({ token, logProb }) => ({ token, logprob: logProb })),
  };
}

function usageOnWire({ usage }: FullReply): unknown {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: present({ cached_tokens: usage.cacheRead ?? 0, cache_write_tokens: usage.cacheWrite }),
  };
}

function messageFrom(given: Fields): Message {
  const content = contentText(given['content']);
  const cache = isMarked(given) ? { cache: true as const } : {};
  const role = textOf(given['role']);
  if (role === 'tool') {
    const name = given['name'] === undefined ? {} : { name: textOf(given['name']) };
    return { role, content, toolCallId: textOf(given['tool_call_id']), ...name, ...cache };
  }
  if (role !== 'assistant')
    return { role: role === 'user' ? 'user' : 'system', content, ...contentParts(given['content']), ...cache };
  const calls = listOf(given['tool_calls']).map(callFrom);
  const reasoning = given['reasoning_content'] ?? given['reasoning'];
  return {
    role,
    content,
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(typeof reasoning === 'string' ? { reasoning: { text: reasoning } } : {}),
    ...cache,
  };
}

function callFrom(given: Fields): ToolCall {
  const called = fieldsOf(given['function']);
  return { id: textOf(given['id']), name: textOf(called['name']), arguments: textOf(called['arguments']) };
}

/** Tools wrapped as `{ type: 'function', function }`. */
export function functionsFrom(given: unknown): readonly { name: string; description: string; input: Fields }[] {
  return listOf(given).map((tool) => {
    const described = fieldsOf(tool['function']);
    return {
      name: textOf(described['name']),
      description: textOf(described['description']),
      input: fieldsOf(described['parameters']),
    };
  });
}

function choiceFrom(given: unknown): ToolChoice {
  if (given === 'none' || given === 'required') return given;
  const tool = textOf(fieldsOf(fieldsOf(given)['function'])['name']);
  return tool === '' ? 'auto' : { tool };
}

export function stopFrom(given: unknown): readonly string[] | undefined {
  if (typeof given === 'string') return [given];
  return Array.isArray(given) ? given.map(textOf) : undefined;
}
