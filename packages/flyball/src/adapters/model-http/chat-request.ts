import type { Message, ModelRequest, ToolChoice } from '../../core/model.js';
import { dataUrl, type MessagePart, sentParts } from '../../core/parts.js';
import { mediaAfterResults } from '../../core/results-apart.js';
import type { JsonSchema } from '../../core/schema.js';
import { type Fields, fieldsOf } from './json-fields.js';
import { messageWriter, objectJson, toolNameOf, toolWriter } from './request-json.js';

export interface ChatManner {
  readonly model: string;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Ask for the usage of a stream, which some servers do not know. */
  readonly streamUsage: boolean;
  readonly structuredOutput: boolean;
  readonly parallelTools: boolean;
  /** Content parts carry cache markers. */
  readonly marksCache: boolean;
  readonly handBackReasoning: boolean;
}

/** What goes back with the reasoning: the name under which it came, and the details that OpenRouter adds. */
export interface ChatReasoning {
  readonly field: 'reasoning' | 'reasoning_content';
  readonly details?: readonly unknown[];
}

/** Requests as chat completions take them, as JSON text. */
export function chatWriter(manner: ChatManner): (request: ModelRequest, stream: boolean) => string {
  const writeTools = toolWriter();
  const writeMessages = messageWriter((message, asked) => messageOnWire(message, asked, manner));
  return (request, stream) => {
    const { vendor = NO_SETTINGS } = request.sampling;
    const fields = {
      model: manner.model,
      ...settings(request, manner),
      ...(stream ? streamed(manner) : {}),
      ...vendor,
    };
    return objectJson(fields, {
      messages: 'messages' in vendor ? undefined : writeMessages(mediaAfterResults(request.messages)),
      tools: request.tools.length === 0 || 'tools' in vendor ? undefined : writeTools(request.tools),
    });
  };
}

const NO_SETTINGS: Fields = {};

function streamed({ streamUsage }: ChatManner): Fields {
  return { stream: true, ...(streamUsage ? { stream_options: { include_usage: true } } : {}) };
}

function settings(request: ModelRequest, manner: ChatManner): Fields {
  const { sampling, output, tools } = request;
  const { maxOutputTokens, temperature, topP, reasoningEffort, seed, stop, logProbs } = sampling;
  // JSON leaves out what is undefined
  return {
    [manner.maxTokensField]: maxOutputTokens,
    temperature,
    top_p: topP,
    reasoning_effort: reasoningEffort,
    seed,
    stop: stop === undefined || stop.length === 0 ? undefined : stop,
    ...(logProbs === undefined ? {} : { logprobs: true, top_logprobs: logProbs > 0 ? logProbs : undefined }),
    ...(output === undefined || !manner.structuredOutput ? {} : { response_format: formatFor(output) }),
    ...(tools.length === 0 ? {} : { tool_choice: choiceOnWire(request.toolChoice) }),
    ...(tools.length === 0 || manner.parallelTools ? {} : { parallel_tool_calls: false }),
  };
}

function choiceOnWire(choice: ToolChoice): unknown {
  if (choice === 'auto') return undefined; // what holds where nothing is said
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } };
}

function formatFor(schema: JsonSchema): unknown {
  // OpenAI refuses `strict` for a schema that leaves anything open
  return { type: 'json_schema', json_schema: { name: 'reply', schema, strict: isClosed(schema) } };
}

/** Every object in the schema names all its properties, requires them and allows no others. */
export function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed);
  if (typeof schema !== 'object' || schema === null) return true;
  const fields = fieldsOf(schema);
  const isObject = fields['type'] === 'object' || 'properties' in fields;
  if (isObject) {
    const required = new Set(Array.isArray(fields['required']) ? fields['required'] : []);
    const names = Object.keys(fieldsOf(fields['properties']));
    if (fields['additionalProperties'] !== false || !names.every((name) => required.has(name))) return false;
  }
  return Object.values(fields).every(isClosed);
}

function messageOnWire(message: Message, asked: readonly Message[], manner: ChatManner): unknown {
  const content = contentOnWire(message, manner);
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, name: toolNameOf(message, asked), content };
    case 'assistant': {
      const { toolCalls = [] } = message;
      const reasoning = manner.handBackReasoning ? reasoningOnWire(message) : {};
      if (toolCalls.length === 0) return { role: 'assistant', content, ...reasoning };
      const calls = toolCalls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: given.trim() === '' ? '{}' : given }, // servers parse it, and no text is no JSON
      }));
      return { role: 'assistant', content: message.content === '' ? null : content, ...reasoning, tool_calls: calls };
    }
  }
}

function contentOnWire(message: Message, { marksCache }: ChatManner): unknown {
  const isMarked = marksCache && message.cache === true;
  if (message.parts === undefined && (!isMarked || message.content === '')) return message.content;
  const parts = message.parts ?? [{ type: 'text', text: message.content }];
  const written = sentParts(parts).map(partOnWire);
  if (!isMarked) return written;
  return written.map((part, at) =>
    at === written.length - 1 ? { ...part, cache_control: { type: 'ephemeral' } } : part,
  );
}

function partOnWire(part: MessagePart): Fields {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: dataUrl(part) } };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: audioFormat(part.mediaType) } };
    case 'file':
      return { type: 'file', file: { filename: part.name ?? 'file', file_data: dataUrl(part) } };
  }
}

/** `wav` of `audio/wav` and `audio/x-wav`, `mp3` of `audio/mpeg`. */
function audioFormat(mediaType: string): string {
  const format = mediaType.slice('audio/'.length).replace(/^x-/, '');
  return format === 'mpeg' ? 'mp3' : format;
}

function reasoningOnWire({ reasoning }: Message & { readonly role: 'assistant' }): Fields {
  if (reasoning === undefined) return {};
  const opaque = fieldsOf(reasoning.opaque);
  const field = opaque['field'] === 'reasoning' ? 'reasoning' : 'reasoning_content';
  return {
    ...(reasoning.text === '' ? {} : { [field]: reasoning.text }),
    ...(Array.isArray(opaque['details']) ? { reasoning_details: opaque['details'] } : {}),
  };
}
