import type { Model, ModelCallContext, ModelReply, ModelRequest, ToolCall } from 'flyball';
import { systemClock } from 'flyball';

/**
 * A model that is none: it answers from rules in this folder, so that everything can be tried without a key. It reads
 * what it is sent as a real one would, takes its time and streams its words, and it knows nothing else.
 */
export type Said = string | { readonly text?: string; readonly call: readonly [tool: string, args: object] };
export type Rule = (request: ModelRequest) => Said;

export const DEMONSTRATION =
  'Demo: replies come from a script in examples/studio, not from a language model. Set OPENAI_API_KEY or FLYBALL_MODEL, or run Ollama, to use the same agents with a real model.';

const WORDS_A_SECOND = 40;
const THINKING_MS = 500;
/** As a small model would cost, so that budgets and gauges have something to show. */
const PRICE = { input: 0.4, output: 1.6 };

export function demonstrationModel(rules: Readonly<Record<string, Rule>>): Model {
  return {
    id: 'demonstration/script',
    price: PRICE,
    capabilities: { window: 32_000, maxOutputTokens: 2_000, tools: true, structuredOutput: false, promptCache: true },
    countTokens: (request) => tokensOf(JSON.stringify([request.messages, request.tools])),
    async generate(request, how) {
      const rule = rules[request.session];
      if (rule === undefined) throw new Error(`The demo has no rule for "${request.session}".`);
      const said = rule(request);
      const text = typeof said === 'string' ? said : (said.text ?? '');
      await pause(THINKING_MS, how);
      await speak(text, how);
      return replyOf(request, text, typeof said === 'string' ? [] : [callOf(said.call, how)]);
    },
  };
}

async function speak(text: string, how: ModelCallContext): Promise<void> {
  for (const word of text.match(/\S+\s*/g) ?? []) {
    how.onDelta?.({ type: 'text', text: word });
    await pause(1000 / WORDS_A_SECOND, how);
  }
}

function pause(ms: number, { signal }: ModelCallContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = systemClock().after(ms, () => {
      signal.removeEventListener('abort', gone);
      resolve();
    });
    signal.addEventListener('abort', gone, { once: true });
  });
}

function callOf([name, args]: readonly [string, object], { key }: ModelCallContext): ToolCall {
  return { id: `call-${key.slice(-12)}`, name, arguments: JSON.stringify(args) };
}

function replyOf(request: ModelRequest, text: string, toolCalls: readonly ToolCall[]): ModelReply {
  const input = tokensOf(JSON.stringify(request.messages));
  const output = tokensOf(text) + toolCalls.reduce((sum, call) => sum + tokensOf(call.arguments), 0) + 1;
  return { text, toolCalls, finish: toolCalls.length > 0 ? 'tool_calls' : 'stop', usage: { input, output } };
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4) + 1;
}

/** What rules look at: the words of the last person, and what tools have said since. */
export function heardIn({ messages }: ModelRequest): { readonly asked: string; readonly results: readonly string[] } {
  const last = messages.map(({ role, content }) => role === 'user' && !content.startsWith('[')).lastIndexOf(true);
  const results = messages.slice(last + 1).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
  return { asked: messages[last]?.content ?? '', results };
}
