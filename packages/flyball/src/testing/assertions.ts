import { AssertionError } from 'node:assert';
import { ConfigError } from '../core/errors.js';
import type { Message, ModelRequest } from '../core/model.js';
import type { LedgerLine } from './effect-ledger.js';
import { sharedMessages } from './request-difference.js';

/** Fails if the text is in any request to a model, also if it is escaped in JSON. */
export function neverReached(requests: readonly ModelRequest[], canary: string): void {
  if (canary === '') throw new ConfigError('An empty canary is in every text: choose one that occurs nowhere else.');
  const escaped = JSON.stringify(canary).slice(1, -1);
  const holds = (text: string): boolean => text.includes(canary) || text.includes(escaped);
  const calls = new Map<string, number>();
  for (const request of requests) {
    const call = (calls.get(request.session) ?? 0) + 1;
    calls.set(request.session, call);
    const place = placesOf(request).find(([, text]) => holds(text))?.[0];
    if (place === undefined) continue;
    throw new AssertionError({ message: `"${canary}" reached session "${request.session}", call ${call}: ${place}.` });
  }
}

/** Everything of a request that a model can read. */
function placesOf(request: ModelRequest): readonly (readonly [place: string, text: string])[] {
  const inMessages = request.messages.flatMap((message, index) => {
    const place = `message ${index + 1} (${message.role})`;
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    return [
      [place, message.content] as const,
      ...calls.map((call) => [`${place}, tool call ${call.name}`, `${call.name} ${call.arguments}`] as const),
    ];
  });
  const tools = request.tools.map((tool) => [`the description of tool ${tool.name}`, JSON.stringify(tool)] as const);
  return [...inMessages, ...tools, ['the output schema', JSON.stringify(request.output ?? '')]];
}

/** Fails unless each session made exactly this many calls and no other session made any. */
export function callFormula(requests: readonly ModelRequest[], formula: Readonly<Record<string, number>>): void {
  const actual = countBy(requests, (request) => request.session);
  const sessions = [...new Set([...Object.keys(formula), ...actual.keys()])];
  const rows = sessions.map((session) => ({ session, wanted: formula[session] ?? 0, got: actual.get(session) ?? 0 }));
  const wrong = rows.filter(({ wanted, got }) => wanted !== got);
  if (wrong.length === 0) return;
  throw new AssertionError({
    message: `Calls differ from the formula: ${wrong.map(({ session, wanted, got }) => `${session}: expected ${wanted}, got ${got}`).join('; ')}.`,
    expected: Object.fromEntries(rows.map(({ session, wanted }) => [session, wanted])),
    actual: Object.fromEntries(rows.map(({ session, got }) => [session, got])),
  });
}

/** Keys that occur more than once in a ledger, with how often. */
export function duplicates(lines: readonly LedgerLine[]): readonly { readonly key: string; readonly times: number }[] {
  return [...countBy(lines, (line) => line.key)].flatMap(([key, times]) => (times > 1 ? [{ key, times }] : []));
}

/** Fails unless the ledger holds exactly these keys, each once: nothing lost, nothing doubled. */
export function eachEffectOnce(lines: readonly LedgerLine[], keys: readonly string[]): void {
  const happened = countBy(lines, (line) => line.key);
  const doubled = duplicates(lines).map(({ key, times }) => `${key} happened ${times} times`);
  const lost = keys.filter((key) => !happened.has(key)).map((key) => `${key} did not happen`);
  const unknown = [...happened.keys()].filter((key) => !keys.includes(key)).map((key) => `${key} was not expected`);
  const problems = [...doubled, ...lost, ...unknown];
  if (problems.length > 0) throw new AssertionError({ message: `Effects: ${problems.join('; ')}.` });
}

/** The leading messages that all requests share: what a vendor's prompt cache can serve. */
export function sharedPrefixOf(requests: readonly ModelRequest[]): readonly Message[] {
  const [first, ...rest] = requests.map((request) => request.messages);
  if (first === undefined) return [];
  return first.slice(0, Math.min(first.length, ...rest.map((messages) => sharedMessages(first, messages))));
}

function countBy<T>(list: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of list) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
