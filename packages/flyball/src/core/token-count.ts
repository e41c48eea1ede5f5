import { type MediaTokenRule, mediaTokens } from './media-tokens.js';
import type { Message, ModelRequest, ToolSpec } from './model.js';
import { isMedia, type MessagePart, sentParts } from './parts.js';
import type { JsonSchema } from './schema.js';

/** Tokens of a piece of text: exact, or never too few. */
export type CountText = (text: string) => number;

/**
 * The most tokens that text can be. A token of a byte-level vocabulary stands for one byte or more, and every vocabulary
 * in use falls back to single bytes at worst, so no text has more tokens than bytes in UTF-8. English has about a
 * quarter of that: inject a real counter where windows and budgets are tight.
 */
export const bytesAtMost: CountText = (text) => Buffer.byteLength(text);

/** What chat templates put around a request, a message and a call, in tokens; the largest in use, rounded up. */
const AROUND_REQUEST = 128;
const AROUND_MESSAGE = 8;
const AROUND_CALL = 16;
/** Providers explain tool calling to their models in a preamble of their own. */
const AROUND_TOOLS = 600;

/**
 * A counter for whole requests that is cheap on conversations that grow: messages and schemas are the same objects from
 * call to call, so each is counted once.
 */
export function requestCounter(
  countText: CountText = bytesAtMost,
  rule?: MediaTokenRule,
): (request: ModelRequest) => number {
  const ofParts = (parts: readonly MessagePart[]): number => partTokens(parts, countText, rule);
  const ofMessage = once((message: Message) => messageTokens(message, countText, ofParts));
  const ofSchema = once((schema: JsonSchema) => countText(JSON.stringify(schema)));
  const ofTool = ({ name, description, input }: ToolSpec): number =>
    AROUND_CALL + countText(name) + countText(description) + ofSchema(input);
  return once(({ messages, tools, output }: ModelRequest) => {
    let total = AROUND_REQUEST;
    for (const message of messages) total += ofMessage(message);
    if (tools.length > 0) total += AROUND_TOOLS;
    for (const tool of tools) total += ofTool(tool);
    return output === undefined ? total : total + ofSchema(output);
  });
}

/** What providers put around a part. */
const AROUND_PART = 16;

/** What parts are at most: text by its counter, the rest by the formula of the provider. */
export function partTokens(parts: readonly MessagePart[], count: CountText, rule?: MediaTokenRule): number {
  const of = (part: MessagePart): number =>
    isMedia(part) ? mediaTokens(part, rule) + count(part.name ?? '') : count(part.text);
  return sentParts(parts).reduce((sum, part) => sum + AROUND_PART + of(part), 0);
}

function messageTokens(message: Message, count: CountText, ofParts: (parts: readonly MessagePart[]) => number): number {
  const own = AROUND_MESSAGE + (message.parts === undefined ? count(message.content) : ofParts(message.parts));
  if (message.role === 'tool') return own + AROUND_CALL + count(message.toolCallId) + count(message.name ?? '');
  if (message.role !== 'assistant') return own;
  const { reasoning, toolCalls = [] } = message;
  const opaque = reasoning?.opaque === undefined ? 0 : count(JSON.stringify(reasoning.opaque));
  const calls = toolCalls.reduce(
    (sum, call) => sum + AROUND_CALL + count(call.id) + count(call.name) + count(call.arguments),
    0,
  );
  return own + calls + opaque + (reasoning === undefined ? 0 : count(reasoning.text));
}

/** Computed once an object, and forgotten with it. */
function once<K extends object>(compute: (of: K) => number): (of: K) => number {
  const known = new WeakMap<K, number>();
  return (of) => {
    let value = known.get(of);
    if (value === undefined) {
      value = compute(of);
      known.set(of, value);
    }
    return value;
  };
}
