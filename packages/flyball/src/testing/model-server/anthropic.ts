import type { FinishReason, Message, ToolCall, ToolChoice } from '../../core/model.js';
import {
  argumentText,
  argumentValue,
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
import { stopFrom } from './openai-chat.js';
import { type FullReply, halves, type ServedRequest, type Wire, words } from './wire.js';

const STOP_REASON: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
  error: 'error',
};

const TOOL_CHOICE: Readonly<Record<string, ToolChoice>> = { any: 'required', none: 'none' };

/** Anthropic messages. */
export const anthropic: Wire = {
  format: 'anthropic',
  path: /^(\/[\w.-]+)*\/messages$/,
  streamType: 'text/event-stream; charset=utf-8',
  frame: (part) => `event: ${textOf(fieldsOf(part)['type'])}\ndata: ${JSON.stringify(part)}\n\n`,
  end: '',
  parse(given) {
    const body = fieldsOf(given);
    const choice = fieldsOf(body['tool_choice']);
    const format = fieldsOf(fieldsOf(body['output_config'])['format'] ?? body['output_format']);
    const tool = textOf(choice['name']);
    return {
      model: textOf(body['model']),
      stream: body['stream'] === true,
      messages: [...systemFrom(body['system']), ...listOf(body['messages']).flatMap(messagesFrom)],
      tools: listOf(body['tools']).map((each) => ({
        name: textOf(each['name']),
        description: textOf(each['description']),
        input: fieldsOf(each['input_schema']),
      })),
      toolChoice: tool === '' ? (TOOL_CHOICE[textOf(choice['type'])] ?? 'auto') : { tool },
      ...(format['schema'] === undefined ? {} : { output: fieldsOf(format['schema']) }),
      sampling: present({
        maxOutputTokens: numberOf(body['max_tokens']),
        temperature: numberOf(body['temperature']),
        topP: numberOf(body['top_p']),
        stop: stopFrom(body['stop_sequences']),
      }),
    };
  },
  whole: (reply, to) => ({
    ...frameOf(to),
    content: blocksOf(reply),
    stop_reason: STOP_REASON[reply.finish],
    stop_sequence: null,
    usage: { ...inputUsage(reply), output_tokens: reply.usage.output },
  }),
  parts: (reply, to) => [
    {
      type: 'message_start',
      message: {
        ...frameOf(to),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...inputUsage(reply), output_tokens: 1 },
      },
    },
    { type: 'ping' },
    ...blocksOf(reply).flatMap(blockParts),
    {
      type: 'message_delta',
      delta: { stop_reason: STOP_REASON[reply.finish], stop_sequence: null },
      usage: { output_tokens: reply.usage.output },
    },
    { type: 'message_stop' },
  ],
  refusal: ({ message, code }) => ({ type: 'error', error: { type: code, message } }),
};

function frameOf(to: ServedRequest): Fields {
  return { id: `msg_${to.n}`, type: 'message', role: 'assistant', model: to.model };
}

/** Anthropic counts cached prompt tokens beside the others, not among them. */
function inputUsage({ usage }: FullReply): Fields {
  const [read, written] = [usage.cacheRead ?? 0, usage.cacheWrite ?? 0];
  return {
    input_tokens: Math.max(0, usage.input - read - written),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

function blocksOf(reply: FullReply): readonly Block[] {
  const { text, reasoning, opaqueReasoning, toolCalls } = reply;
  const signature = typeof opaqueReasoning === 'string' ? opaqueReasoning : 'signature';
  return [
    ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...toolCalls.map(({ id, name, arguments: given }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: argumentValue(given),
    })),
  ];
}

function blockParts(block: Block, index: number): readonly unknown[] {
  const delta = (given: Fields): unknown => ({ type: 'content_block_delta', index, delta: given });
  return [
    { type: 'content_block_start', index, content_block: emptyBlock(block) },
    ...deltasOf(block).map(delta),
    { type: 'content_block_stop', index },
  ];
}

function emptyBlock(block: Block): unknown {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (block.type === 'text') return { type: 'text', text: '' };
  return { ...block, input: {} };
}

function deltasOf(block: Block): readonly Fields[] {
  switch (block.type) {
    case 'thinking':
      return [
        ...words(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'text':
      return words(block.text).map((text) => ({ type: 'text_delta', text }));
    case 'tool_use':
      return halves(argumentText(block.input)).map((part) => ({ type: 'input_json_delta', partial_json: part }));
  }
}

function systemFrom(given: unknown): readonly Message[] {
  if (typeof given === 'string') return given === '' ? [] : [{ role: 'system', content: given }];
  return listOf(given).map((part) => ({
    role: 'system',
    content: textOf(part['text']),
    ...(isMarked(part) ? { cache: true as const } : {}),
  }));
}

/** A user turn here holds tool results and text; each becomes a message of its own. */
function messagesFrom(given: Fields): readonly Message[] {
  const blocks =
    typeof given['content'] === 'string' ? [{ type: 'text', text: given['content'] }] : listOf(given['content']);
  if (given['role'] === 'assistant') return [assistantFrom(blocks)];
  return blocks.map((block: Fields): Message => {
    const cache = isMarked(block) ? { cache: true as const } : {};
    if (block['type'] !== 'tool_result')
      return { role: 'user', content: textOf(block['text']), ...contentParts([block]), ...cache };
    return { role: 'tool', content: contentText(block['content']), toolCallId: textOf(block['tool_use_id']), ...cache };
  });
}

function assistantFrom(blocks: readonly Fields[]): Message {
  const of = (type: string): readonly Fields[] => blocks.filter((block) => block['type'] === type);
  const calls = of('tool_use').map(
    (block): ToolCall => ({
      id: textOf(block['id']),
      name: textOf(block['name']),
      arguments: argumentText(block['input']),
    }),
  );
  const [thinking] = of('thinking');
  return {
    role: 'assistant',
    content: of('text')
      .map((block) => textOf(block['text']))
      .join(''),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(thinking === undefined
      ? {}
      : { reasoning: { text: textOf(thinking['thinking']), opaque: thinking['signature'] } }),
    ...(blocks.some(isMarked) ? { cache: true as const } : {}),
  };
}
