import { billed } from '../../core/bill.js';
import type { Model, ModelCapabilities, ModelReply } from '../../core/model.js';
import { tellingUsage } from '../../core/streamed-usage.js';
import { requestCounter } from '../../core/token-count.js';
import type { ReaderFor } from './answer.js';
import { jsonLineReader, jsonReader } from './body-readers.js';
import { Endpoint } from './endpoint.js';
import { unreadable } from './failures.js';
import { OllamaReply } from './ollama-reply.js';
import { ollamaWriter } from './ollama-request.js';
import { type HttpModelOptions, isStreamed, vendorModel } from './options.js';

/** Options of `ollamaModel`. */
export interface OllamaModelOptions extends Omit<HttpModelOptions, 'baseUrl'> {
  /** `http://127.0.0.1:11434` where nothing is said. */
  readonly baseUrl?: string;
  /** Asks models that can to think first, or not to. */
  readonly think?: boolean | 'low' | 'medium' | 'high';
}

const CAPABILITIES: ModelCapabilities = {
  window: 8_192,
  maxOutputTokens: 2_048,
  tools: true,
  structuredOutput: true,
  promptCache: true,
};

/** A model that Ollama runs, over its own `/api/chat`. Costs nothing unless a price is given. */
export function ollamaModel(options: OllamaModelOptions): Model {
  const capabilities = { ...CAPABILITIES, ...options.capabilities };
  const baseUrl = options.baseUrl ?? 'http://127.0.0.1:11434';
  const endpoint = new Endpoint({ ...options, baseUrl, path: '/api/chat' });
  const write = ollamaWriter({
    model: vendorModel(options),
    window: capabilities.window,
    structuredOutput: capabilities.structuredOutput,
    think: options.think,
  });
  const countTokens = requestCounter(options.countText, capabilities.mediaTokens);
  return {
    id: options.id,
    capabilities,
    price: options.price ?? { input: 0, output: 0 },
    countTokens,
    async generate(request, how) {
      const onDelta = tellingUsage(how, request, { request: countTokens, text: options.countText });
      const reply = new OllamaReply(request.messages, onDelta);
      const finished = (): ModelReply => billed(reply.result(), request, countTokens);
      const body = write(request, isStreamed(options.stream, how.onDelta !== undefined));
      return endpoint.post(body, readerFor(endpoint, reply, finished), how.signal);
    },
  };
}

function readerFor({ callee }: Endpoint, reply: OllamaReply, finished: () => ModelReply): ReaderFor<ModelReply> {
  const take = (value: unknown): void => reply.take(value);
  const end = (): ModelReply => {
    if (!reply.isFinished) throw unreadable(callee, 'an answer that ended before the reply was finished.');
    return finished();
  };
  return (type) => {
    if (type.includes('ndjson')) return jsonLineReader(callee, { value: take, end });
    if (type !== '' && !type.includes('json')) return undefined;
    return jsonReader(callee, (value) => {
      take(value);
      return end();
    });
  };
}
