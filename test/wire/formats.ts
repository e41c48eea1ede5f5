import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { Message, Model } from 'flyball';
import { aiSdkModel } from 'flyball/adapters/model-ai-sdk';
import { ollamaModel, openAiModel } from 'flyball/adapters/model-http';
import type { WireFormat } from '../../packages/flyball/src/testing/model-server/wire.js';

/** A wire format, and the model of ours that speaks it. */
export interface SpokenFormat {
  readonly name: string;
  readonly format: WireFormat;
  /** `provider/model`; every format is a provider of its own, so that each has a breaker of its own. */
  readonly id: string;
  open(baseUrl: string): Model;
  /** Calls have no ids on this wire: the client makes them up. */
  readonly makesUpIds?: boolean;
  /** A result says by name which tool it is of. */
  readonly namesResults?: boolean;
}

const apiKey = 'key-for-loopback';
/** Written tokens are dearer than others, so that a bill that mixes them up is noticed. */
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

export const FORMATS: readonly SpokenFormat[] = [
  {
    name: 'OpenAI chat',
    format: 'openai-chat',
    id: 'chat/gpt-4o',
    open: (baseUrl) => openAiModel({ id: 'chat/gpt-4o', baseUrl, apiKey, price: PRICE }),
  },
  {
    name: 'Ollama',
    format: 'ollama',
    id: 'ollama/qwen3',
    open: (baseUrl) => ollamaModel({ id: 'ollama/qwen3', baseUrl, price: PRICE, capabilities: { window: 128_000 } }),
    makesUpIds: true,
    namesResults: true,
  },
  {
    name: 'OpenAI responses',
    format: 'openai-responses',
    id: 'responses/gpt-4o',
    open: (baseUrl) =>
      aiSdkModel(createOpenAI({ baseURL: baseUrl, apiKey }).responses('gpt-4o'), {
        id: 'responses/gpt-4o',
        price: PRICE,
      }),
  },
  {
    name: 'Anthropic messages',
    format: 'anthropic',
    id: 'claude/claude-sonnet-4-5',
    open: (baseUrl) =>
      aiSdkModel(createAnthropic({ baseURL: baseUrl, apiKey })('claude-sonnet-4-5'), {
        id: 'claude/claude-sonnet-4-5',
        price: PRICE,
      }),
  },
  {
    name: 'Gemini',
    format: 'gemini',
    id: 'gemini/gemini-2.5-flash',
    open: (baseUrl) =>
      aiSdkModel(createGoogleGenerativeAI({ baseURL: baseUrl, apiKey, generateId: counted() })('gemini-2.5-flash'), {
        id: 'gemini/gemini-2.5-flash',
        price: PRICE,
      }),
    makesUpIds: true,
    namesResults: true,
  },
];

export function formatNamed(format: WireFormat): SpokenFormat {
  const found = FORMATS.find((each) => each.format === format);
  if (found === undefined) throw new Error(`No model of ours speaks ${format}.`);
  return found;
}

/** The SDK makes up ids at random; here in a way that repeats. */
function counted(): () => string {
  let n = 0;
  return () => `made-up-${++n}`;
}

/** A conversation as a test compares it: without what the wire has no words for, and made-up ids numbered in order. */
export function spoken(
  messages: readonly Message[],
  { makesUpIds = false, namesResults = false }: Pick<SpokenFormat, 'makesUpIds' | 'namesResults'>,
): readonly Readonly<Record<string, unknown>>[] {
  const ids = new Map<string, string>();
  const idOf = (id: string): string => (makesUpIds ? (ids.get(id) ?? `unknown ${id}`) : id);
  return messages.map((message) => {
    const { role, content } = message;
    if (message.role === 'tool') {
      return { role, content, id: idOf(message.toolCallId), ...(namesResults ? { name: message.name } : {}) };
    }
    if (message.role !== 'assistant') return { role, content };
    const calls = (message.toolCalls ?? []).map(({ id, name, arguments: given }) => {
      ids.set(id, `call_${ids.size + 1}`);
      return { id: idOf(id), name, arguments: JSON.parse(given) as unknown };
    });
    return { role, content, calls };
  });
}
