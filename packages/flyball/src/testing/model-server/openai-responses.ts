import type { Message, ToolCall, ToolChoice } from '../../core/model.js';
import { contentParts, contentText, type Fields, fieldsOf, listOf, numberOf, present, textOf } from './json-fields.js';
import { logProbOnWire } from './openai-chat.js';
import { CREATED, type FullReply, halves, type ServedRequest, type Wire, words } from './wire.js';

/** OpenAI responses. A reply is a list of items: reasoning, a message, function calls. */
export const openAiResponses: Wire = {
  format: 'openai-responses',
  path: /^(\/[\w.-]+)*\/responses$/,
  streamType: 'text/event-stream; charset=utf-8',
  frame: (part) => `event: ${textOf(fieldsOf(part)['type'])}\ndata: ${JSON.stringify(part)}\n\n`,
  end: '',
  parse(given) {
    const body = fieldsOf(given);
    const format = fieldsOf(fieldsOf(body['text'])['format']);
    const instructions = textOf(body['instructions']);
    return {
      model: textOf(body['model']),
      stream: body['stream'] === true,
      messages: [
        ...(instructions === '' ? [] : [{ role: 'system', content: instructions } as const]),
        ...messagesFrom(body['input']),
      ],
      tools: listOf(body['tools']).map((tool) => ({
        name: textOf(tool['name']),
        description: textOf(tool['description']),
        input: fieldsOf(tool['parameters']),
      })),
      toolChoice: choiceFrom(body['tool_choice']),
      ...(format['schema'] === undefined ? {} : { output: fieldsOf(format['schema']) }),
      sampling: present({
        maxOutputTokens: numberOf(body['max_output_tokens']),
        temperature: numberOf(body['temperature']),
        topP: numberOf(body['top_p']),
        logProbs: numberOf(body['top_logprobs']),
      }),
    };
  },
  whole: (reply, to) => finished(reply, to),
  parts(reply, to) {
    const events = [
      { type: 'response.created', response: { ...frameOf(to), status: 'in_progress', output: [] } },
      ...itemsOf(reply, to).flatMap((item, index) => itemEvents(item, index, reply)),
      { type: isCut(reply) ? 'response.incomplete' : 'response.completed', response: finished(reply, to) },
    ];
    return events.map((event, index) => ({ ...event, sequence_number: index }));
  },
  refusal: ({ message, code }) => ({ error: { message, type: code, param: null, code } }),
};

function frameOf(to: ServedRequest): Fields {
  return { id: `resp_${to.n}`, object: 'response', created_at: CREATED, model: to.model };
}

function isCut({ finish }: FullReply): boolean {
  return finish === 'length' || finish === 'content_filter';
}

function finished(reply: FullReply, to: ServedRequest): unknown {
  const { usage } = reply;
  const why = reply.finish === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    ...frameOf(to),
    status: isCut(reply) ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut(reply) ? { reason: why } : null,
    output: itemsOf(reply, to),
    usage: {
      input_tokens: usage.input,
      input_tokens_details: present({ cached_tokens: usage.cacheRead ?? 0, cache_write_tokens: usage.cacheWrite }),
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  };
}

function itemsOf(reply: FullReply, to: ServedRequest): readonly Fields[] {
  const { reasoning, opaqueReasoning, text, toolCalls, logProbs } = reply;
  const encrypted = typeof opaqueReasoning === 'string' ? { encrypted_content: opaqueReasoning } : {};
  const summary = [{ type: 'summary_text', text: reasoning }];
  const logprobs = present({ logprobs: logProbs?.map(logProbOnWire) });
  const content = [{ type: 'output_text', text, annotations: [], ...logprobs }];
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', id: `rs_${to.n}`, summary, ...encrypted }]),
    ...(text === '' && toolCalls.length > 0
      ? []
      : [{ type: 'message', id: `msg_${to.n}`, role: 'assistant', status: 'completed', content }]),
    ...toolCalls.map((call, index) => ({
      type: 'function_call',
      id: `fc_${to.n}_${index}`,
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
      status: 'completed',
    })),
  ];
}

function itemEvents(item: Fields, index: number, reply: FullReply): readonly Fields[] {
  const at = { item_id: item['id'], output_index: index };
  return [
    { type: 'response.output_item.added', output_index: index, item: emptyItem(item) },
    ...deltasOf(item, reply).map((delta) => ({ ...at, ...delta })),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

function emptyItem(item: Fields): Fields {
  if (item['type'] === 'function_call') return { ...item, arguments: '', status: 'in_progress' };
  return item['type'] === 'message' ? { ...item, content: [], status: 'in_progress' } : { ...item, summary: [] };
}

function deltasOf(item: Fields, reply: FullReply): readonly Fields[] {
  switch (item['type']) {
    case 'reasoning':
      return [
        { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { type: 'summary_text', text: '' } },
        ...words(reply.reasoning ?? '').map((delta) => ({
          type: 'response.reasoning_summary_text.delta',
          summary_index: 0,
          delta,
        })),
        { type: 'response.reasoning_summary_part.done', summary_index: 0 },
      ];
    case 'message': {
      const logprobs = present({ logprobs: reply.logProbs?.map(logProbOnWire) });
      return words(reply.text).map((delta, index) => ({
        type: 'response.output_text.delta',
        content_index: 0,
        delta,
        ...(index === 0 ? logprobs : {}),
      }));
    }
    default:
      return halves(textOf(item['arguments'])).map((delta) => ({
        type: 'response.function_call_arguments.delta',
        delta,
      }));
  }
}

function choiceFrom(given: unknown): ToolChoice {
  if (given === 'none' || given === 'required') return given;
  const tool = textOf(fieldsOf(given)['name']);
  return tool === '' ? 'auto' : { tool };
}

/** Items to messages: reasoning, text and calls that follow each other are one turn of the assistant. */
function messagesFrom(input: unknown): readonly Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const messages: Message[] = [];
  for (const item of listOf(input)) {
    const turn = turnFrom(item);
    const last = messages.at(-1);
    if (turn.role !== 'assistant' || last?.role !== 'assistant') {
      messages.push(turn);
      continue;
    }
    const calls: readonly ToolCall[] = [...(last.toolCalls ?? []), ...(turn.toolCalls ?? [])];
    messages[messages.length - 1] = {
      ...last,
      content: last.content + turn.content,
      ...(calls.length === 0 ? {} : { toolCalls: calls }),
      ...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning }),
    };
  }
  return messages;
}

function turnFrom(item: Fields): Message {
  switch (item['type']) {
    case 'function_call': {
      const call = { id: textOf(item['call_id']), name: textOf(item['name']), arguments: textOf(item['arguments']) };
      return { role: 'assistant', content: '', toolCalls: [call] };
    }
    case 'function_call_output':
      return { role: 'tool', content: contentText(item['output']), toolCallId: textOf(item['call_id']) };
    case 'reasoning': {
      const text = contentText(item['summary']);
      const opaque = present({ opaque: item['encrypted_content'] ?? undefined });
      return { role: 'assistant', content: '', reasoning: { text, ...opaque } };
    }
    default: {
      const role = textOf(item['role']);
      const content = contentText(item['content']);
      if (role === 'assistant') return { role, content };
      return { role: role === 'user' ? 'user' : 'system', content, ...contentParts(item['content']) };
    }
  }
}
