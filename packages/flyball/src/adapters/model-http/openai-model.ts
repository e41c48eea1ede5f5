import { billed } from '../../core/bill.js';
import type { Model, ModelCapabilities, ModelReply } from '../../core/model.js';
import { tellingUsage } from '../../core/streamed-usage.js';
import { requestCounter } from '../../core/token-count.js';
import type { ReaderFor } from './answer.js';
import { eventReader, jsonReader } from './body-readers.js';
import { ChatReply } from './chat-reply.js';
import { chatWriter } from './chat-request.js';
import { Endpoint } from './endpoint.js';
import { excerpt, unreadable } from './failures.js';
import { type HttpModelOptions, isStreamed, vendorModel } from './options.js';

/** Options of `openAiModel`. */
export interface OpenAiModelOptions extends HttpModelOptions {
  /** `max_completion_tokens` at OpenAI itself, whose newer models refuse the older name; `max_tokens` elsewhere. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** Ask for the usage of a stream. On unless a server refuses `stream_options`. */
  readonly streamUsage?: boolean;
  /** Reasoning goes back to the provider that gave it. On unless a server refuses it. */
  readonly handBackReasoning?: boolean;
}

const CAPABILITIES: ModelCapabilities = {
  window: 128_000,
  maxOutputTokens: 4_096,
  tools: true,
  structuredOutput: true,
  promptCache: true,
};

/** A model behind OpenAI-compatible chat completions: OpenAI, vLLM, LM Studio, OpenRouter, DeepSeek, Ollama's `/v1`. */
export function openAiModel(options: OpenAiModelOptions): Model {
  const capabilities = { ...CAPABILITIES, ...options.capabilities };
  const endpoint = new Endpoint({ ...options, path: '/chat/completions' });
  const isOpenAi = new URL(options.baseUrl).hostname === 'api.openai.com';
  const write = chatWriter({
    model: vendorModel(options),
    maxTokensField: options.maxTokensField ?? (isOpenAi ? 'max_completion_tokens' : 'max_tokens'),
    streamUsage: options.streamUsage ?? true,
    structuredOutput: capabilities.structuredOutput,
    parallelTools: capabilities.parallelTools ?? true,
    marksCache: capabilities.promptCache === 'marked',
    handBackReasoning: options.handBackReasoning ?? true,
  });
  const countTokens = requestCounter(options.countText, capabilities.mediaTokens);
  return {
    id: options.id,
    capabilities,
    ...(options.price === undefined ? {} : { price: options.price }),
    countTokens,
    async generate(request, how) {
      const onDelta = tellingUsage(how, request, { request: countTokens, text: options.countText });
      const reply = new ChatReply(request.messages, onDelta);
      const finished = (): ModelReply => billed(reply.result(), request, countTokens);
      const body = write(request, isStreamed(options.stream, how.onDelta !== undefined));
      return endpoint.post(body, readerFor(endpoint, reply, finished), how.signal);
    },
  };
}

/** By what came, not by what was asked: some servers answer in one piece whatever they are asked. */
function readerFor(endpoint: Endpoint, reply: ChatReply, finished: () => ModelReply): ReaderFor<ModelReply> {
  const { callee } = endpoint;
  return (type) => {
    if (type.includes('text/event-stream')) {
      const end = (): ModelReply => {
        if (!reply.isFinished) throw unreadable(callee, 'a stream that ended before the reply was finished.');
        return finished();
      };
      return eventReader(callee, { value: (value) => reply.take(value), end });
    }
    if (type !== '' && !type.includes('json')) return undefined;
    return jsonReader(callee, (value) => {
      if (!isCompletion(value))
        throw unreadable(callee, `JSON that is not a completion: ${excerpt(callee, JSON.stringify(value))}`);
      reply.take(value);
      return finished();
    });
  };
}

function isCompletion(value: unknown): boolean {
  return Array.isArray((value as { choices?: unknown } | null)?.choices);
}
