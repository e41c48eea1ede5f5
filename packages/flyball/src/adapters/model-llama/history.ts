import type { Message, ToolCall } from '../../core/model.js';
import { sentParts, textOf } from '../../core/parts.js';
import { argumentObjectIn, wholeJson } from '../../core/read-json.js';
import type { JsonSchema } from '../../core/schema.js';

/** A conversation as node-llama-cpp takes it: a call has its result in it, and all that a model says in a row is one item. */
export type HistoryItem =
  | { readonly type: 'system' | 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: readonly ResponsePart[] };

type ResponsePart =
  | string
  | { readonly type: 'segment'; readonly segmentType: 'thought'; readonly text: string; readonly ended: true }
  | {
      readonly type: 'functionCall';
      readonly name: string;
      readonly params: unknown;
      readonly result: unknown;
      readonly startsNewChunk: boolean;
    };

/** Ends with what the model is to go on with: an empty answer, or the results of its calls. */
export function historyOf(messages: readonly Message[], output: JsonSchema | undefined): readonly HistoryItem[] {
  const items: HistoryItem[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant') addResponse(items, responseOf(message, resultsAfter(messages, at)));
    else if (message.role !== 'tool') items.push({ type: message.role, text: wordsIn(message) });
    else if (!isAnswered(messages, at, message.toolCallId))
      items.push({ type: 'user', text: `Result of ${message.name ?? 'a tool'}: ${wordsIn(message)}` });
  }
  addResponse(items, []);
  return output === undefined ? items : withSchema(items, output);
}

function addResponse(items: HistoryItem[], response: readonly ResponsePart[]): void {
  const last = items.at(-1);
  if (last?.type === 'model') items[items.length - 1] = { type: 'model', response: [...last.response, ...response] };
  else items.push({ type: 'model', response });
}

function responseOf(
  message: Extract<Message, { role: 'assistant' }>,
  results: ReadonlyMap<string, string>,
): readonly ResponsePart[] {
  const { reasoning, toolCalls = [] } = message;
  const thought = reasoning?.text ?? '';
  const text = wordsIn(message);
  return [
    ...(thought === '' ? [] : [{ type: 'segment', segmentType: 'thought', text: thought, ended: true } as const]),
    ...(text === '' ? [] : [text]),
    ...toolCalls.map((call, nth) => callWith(call, results.get(call.id), nth === 0)),
  ];
}

function callWith(
  { name, arguments: given }: ToolCall,
  result: string | undefined,
  startsNewChunk: boolean,
): ResponsePart {
  const params = argumentObjectIn(given) ?? { malformed: given };
  return { type: 'functionCall', name, params, result: result === undefined ? null : asValue(result), startsNewChunk };
}

/** Results are written as JSON: one that is JSON already must not be put in quotes. */
function asValue(text: string): unknown {
  const parsed = wholeJson(text);
  return parsed === undefined ? text : parsed.value;
}

/** The results that stand right after a turn. Some providers number their calls anew in each, so none are looked for elsewhere. */
function resultsAfter(messages: readonly Message[], at: number): ReadonlyMap<string, string> {
  const results = new Map<string, string>();
  for (const message of messages.slice(at + 1)) {
    if (message.role !== 'tool') break;
    results.set(message.toolCallId, wordsIn(message));
  }
  return results;
}

function isAnswered(messages: readonly Message[], at: number, id: string): boolean {
  const turn = messages.slice(0, at).findLast(({ role }) => role !== 'tool');
  return turn?.role === 'assistant' && (turn.toolCalls ?? []).some((call) => call.id === id);
}

/** The grammar makes the reply fit the schema; what its fields mean only the model's own eyes can tell it. */
function withSchema(items: readonly HistoryItem[], schema: JsonSchema): readonly HistoryItem[] {
  const told = `Reply with one JSON value that fits this JSON schema: ${JSON.stringify(schema)}`;
  const [first, ...rest] = items;
  if (first?.type !== 'system') return [{ type: 'system', text: told }, ...items];
  return [{ type: 'system', text: `${first.text}\n\n${told}` }, ...rest];
}

function wordsIn({ content, parts }: Message): string {
  return parts === undefined ? content : textOf(sentParts(parts));
}
