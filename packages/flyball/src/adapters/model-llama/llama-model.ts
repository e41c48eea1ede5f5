import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ConfigError, FlyballError } from '../../core/errors.js';
import type { Model, ModelCallContext, ModelCapabilities, ModelReply, ModelRequest, Price } from '../../core/model.js';
import type { JsonSchema } from '../../core/schema.js';
import { ggufFile } from './gguf-file.js';
import { grammarSchema } from './grammar-schema.js';
import { type Grammar, loadLibrary } from './library.js';
import { type Lease, type Loaded, type LoadOptions, lease, memoryFailure, SHIFT, type Slot } from './loaded.js';
import { type Prompt, promptWriter } from './prompt.js';
import { LlamaReply, type ParamsChunk, type ResponseChunk } from './reply.js';

/** Options of `llamaModel`. */
export interface LlamaModelOptions {
  /** A model in GGUF format. */
  readonly file: string;
  /** `provider/model`, the name in journals. `llama/` and the file by default. */
  readonly id?: string;
  /** `window` is at most what the model was trained with; 8,192 by default. Memory grows with it. */
  readonly capabilities?: Partial<ModelCapabilities>;
  /** Free by default. */
  readonly price?: Price;
  /** Calls at a time; 2 by default. Each has a window of its own in memory once it is needed. Further calls wait. */
  readonly sequences?: number;
  /** Processor threads; all cores but one by default. More than the machine has idle make it many times slower. */
  readonly threads?: number;
  /** `auto`, the default, uses a GPU if a package for it is installed. */
  readonly gpu?: LoadOptions['gpu'];
  /** Brings the package, where it cannot be found from here. */
  readonly load?: () => Promise<unknown>;
}

/** A model that runs in this process. */
export interface LlamaModel extends Model {
  /** Waits for the calls in progress and frees the memory. The weights stay if another model uses them. */
  close(): Promise<void>;
}

const CAPABILITIES: ModelCapabilities = {
  window: 8_192,
  maxOutputTokens: 2_048,
  tools: true,
  parallelTools: false,
  structuredOutput: true,
  promptCache: true,
};
const SEQUENCES = 2;
/** As llama.cpp has them: greedy replies of small models repeat themselves. */
const TEMPERATURE = 0.8;
const TOP_P = 0.95;

/** Loads a GGUF file into this process with node-llama-cpp. No server, no key. */
export async function llamaModel(options: LlamaModelOptions): Promise<LlamaModel> {
  const asked = { ...CAPABILITIES, ...options.capabilities };
  const { sequences = SEQUENCES, threads = Math.max(1, availableParallelism() - 1), gpu = 'auto' } = options;
  requireWhole({ window: asked.window, maxOutputTokens: asked.maxOutputTokens, sequences, threads });
  const held = await lease({ file: options.file, window: asked.window, sequences, threads, gpu, load: options.load });
  const { window } = held.loaded;
  const capabilities = { ...asked, window, maxOutputTokens: Math.min(asked.maxOutputTokens, window) };
  return new InProcessModel(held, options, capabilities);
}

/** Fails as `llamaModel` would, without loading the weights: no package, no such file, or not a model. */
export async function checkLlama(given: {
  readonly file?: string;
  readonly load?: () => Promise<unknown>;
}): Promise<void> {
  await loadLibrary(given.load);
  if (given.file !== undefined) await ggufFile(given.file);
}

class InProcessModel implements LlamaModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly price: Price;
  private readonly held: Lease;
  private readonly write: (request: ModelRequest) => Prompt;
  private readonly grammars = new WeakMap<JsonSchema, Promise<Grammar>>();
  private readonly running = new Set<Promise<ModelReply>>();
  private closing: Promise<void> | undefined;

  constructor(held: Lease, { id, file, price }: LlamaModelOptions, capabilities: ModelCapabilities) {
    this.held = held;
    this.id = id ?? `llama/${file}`;
    this.price = price ?? { input: 0, output: 0 };
    this.capabilities = capabilities;
    this.write = promptWriter(held.loaded);
  }

  /** Exact: the prompt as the model reads it, by its own tokenizer. */
  countTokens(request: ModelRequest): number {
    return this.write(request).tokens.length;
  }

  async generate(request: ModelRequest, how: ModelCallContext): Promise<ModelReply> {
    how.signal.throwIfAborted();
    if (this.closing !== undefined)
      throw new FlyballError('MODEL_UNAVAILABLE', `${this.id} is closed. Load it again.`, {
        detail: { mayHaveCost: false },
      });
    const prompt = this.write(request);
    this.requireRoom(prompt.tokens.length);
    const reply = this.held.loaded.line.use(
      how.signal,
      ({ sequence }) => sharedPrefix(sequence.contextTokens, prompt.tokens),
      (slot) => this.answer(slot, prompt, request, how),
    );
    this.running.add(reply);
    try {
      return await reply;
    } finally {
      this.running.delete(reply);
    }
  }

  close(): Promise<void> {
    this.closing ??= Promise.allSettled(this.running).then(() => this.held.release());
    return this.closing;
  }

  private requireRoom(tokens: number): void {
    const { window } = this.capabilities;
    if (tokens < window) return;
    throw new FlyballError(
      'WINDOW_EXCEEDED',
      `The prompt has ${tokens} tokens and leaves no room for a reply in the window of ${this.id}, which has ${window}. Shorten it, or set a larger window (FLYBALL_LLAMA_WINDOW) if the model was trained with one.`,
      { detail: { tokens, window, mayHaveCost: false } },
    );
  }

  private async answer(
    { sequence }: Slot,
    prompt: Prompt,
    request: ModelRequest,
    { signal, key, onDelta, onUsage }: ModelCallContext,
  ): Promise<ModelReply> {
    const { library } = this.held.loaded;
    const grammar = await this.grammarFor(request, prompt);
    // one that is to be repeatable begins with nothing: what is left of another prompt is the same up to rounding only
    if (request.sampling.seed !== undefined) await sequence.clearHistory();
    const before = sequence.tokenMeter.getState();
    const cacheRead = sharedPrefix(sequence.contextTokens, prompt.tokens.slice(0, -1));
    const used = () => ({
      input: prompt.tokens.length,
      output: sequence.tokenMeter.diff(before).usedOutputTokens,
      cacheRead,
    });
    const reply = new LlamaReply(request.messages, (delta) => {
      onUsage?.(used());
      onDelta?.(delta);
    });
    const chat = new library.LlamaChat({ contextSequence: sequence, chatWrapper: prompt.wrapper });
    try {
      const response = await chat.generateResponse(prompt.history, {
        ...this.samplingOf(request, prompt, key),
        ...(prompt.functions === undefined ? {} : this.functionOptions(prompt, reply)),
        ...(grammar === undefined ? {} : { grammar }),
        signal,
        onResponseChunk: (chunk: ResponseChunk) => reply.addText(chunk),
      });
      return reply.finished(response, used());
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      throw this.failure(cause, library);
    }
  }

  private samplingOf({ sampling }: ModelRequest, { tokens }: Prompt, key: string): Readonly<Record<string, unknown>> {
    const { temperature = TEMPERATURE, topP = TOP_P, stop = [], maxOutputTokens, vendor = {} } = sampling;
    const most = maxOutputTokens ?? this.capabilities.maxOutputTokens;
    return {
      temperature,
      topP,
      seed: sampling.seed ?? seedFrom(key),
      repeatPenalty: false, // it would punish the quotes and names that JSON repeats
      ...(stop.length === 0 ? {} : { customStopTriggers: stop }),
      ...vendor,
      maxTokens: Math.min(most, this.capabilities.window - tokens.length),
      contextShift: { size: SHIFT },
    };
  }

  private functionOptions({ functions }: Prompt, reply: LlamaReply): Readonly<Record<string, unknown>> {
    return {
      functions,
      documentFunctionParams: true,
      ...(this.capabilities.parallelTools === true ? {} : { maxParallelFunctionCalls: 1 }),
      onFunctionCallParamsChunk: (chunk: ParamsChunk) => reply.addArguments(chunk),
    };
  }

  /** None beside tools: a call is no value of the schema. What comes of it is checked, and asked for again, by the run. */
  private async grammarFor({ output }: ModelRequest, { functions }: Prompt): Promise<Grammar | undefined> {
    if (output === undefined || functions !== undefined || !this.capabilities.structuredOutput) return undefined;
    const made =
      this.grammars.get(output) ?? this.held.loaded.binding.createGrammarForJsonSchema(grammarSchema(output));
    this.grammars.set(output, made);
    return made;
  }

  private failure(cause: unknown, library: Loaded['library']): FlyballError {
    if (cause instanceof library.InsufficientMemoryError) return memoryFailure(cause, this.id);
    return new FlyballError('MODEL_UNAVAILABLE', `${this.id} failed: ${(cause as Error).message}`, {
      retryable: true,
      detail: { provider: 'llama', mayHaveCost: false },
      cause,
    });
  }
}

function requireWhole(settings: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(settings))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new ConfigError(`${name} of a llama model must be a whole number of at least 1, got ${value}.`);
}

/** How many tokens two texts begin with in common. */
function sharedPrefix(a: readonly number[], b: readonly number[]): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return at;
  return shorter;
}

/** The same call draws the same again after a crash, and another call draws differently. */
function seedFrom(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE(0);
}
