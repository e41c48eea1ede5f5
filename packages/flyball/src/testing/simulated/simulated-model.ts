import { ConfigError } from '../../core/errors.js';
import type { Model, ModelCallContext, ModelCapabilities, ModelReply, ModelRequest } from '../../core/model.js';
import type { Clock } from '../../ports/clock.js';
import { pauseOn } from '../abortable.js';
import type { ReplyParts } from '../script.js';
import { estimateInput, estimateOutput } from '../token-estimate.js';
import { draw } from './draw.js';

/** A call as a family of simulated models sees it. */
export interface SimulatedCall {
  readonly request: ModelRequest;
  /** The key of the call: stable over crashes and retries, different for every sample. */
  readonly key: string;
  /** All messages, joined by blank lines. */
  readonly text: string;
  /** The number in the first `Task #<number>` of the text; -1 without one. */
  readonly item: number;
  /** From 0 to 1, by seed, purpose and the key of the call. */
  chance(purpose: string): number;
  /** From 0 to 1, by seed, purpose and item: the same for all calls about the item. */
  shared(purpose: string): number;
}

/** A rule that answers calls: what a model would do that has exactly these parameters. */
export type Family = (call: SimulatedCall) => string | ReplyParts;

/** What a simulated call cost. */
export interface SimulatedUse {
  readonly session: string;
  readonly item: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A model whose replies follow from its parameters, a seed and the keys of the calls. */
export interface SimulatedModel extends Model {
  /** By the key of the call: one that is made again after a crash is there once. */
  readonly calls: ReadonlyMap<string, SimulatedUse>;
}

/** Options of `simulatedModel`. */
export interface SimulatedModelOptions {
  readonly seed: string | number;
  /** A family for each session; one that stands alone answers every session. */
  readonly families: Family | Readonly<Record<string, Family>>;
  readonly id?: string;
  readonly capabilities?: Partial<ModelCapabilities>;
  /** What latencies are measured on. */
  readonly clock?: Clock;
}

const CAPABILITIES: ModelCapabilities = {
  window: 1_000_000,
  maxOutputTokens: 2_000,
  tools: true,
  structuredOutput: true,
  promptCache: false,
};

/** The number of the task that a text is about; -1 without one. */
export function itemIn(text: string): number {
  const found = /Task #(\d+)/.exec(text)?.[1];
  return found === undefined ? -1 : Number(found);
}

/**
 * A model with known parameters: accuracy, correlation, sensitivity. Its noise is a hash of seed, purpose and the key of the
 * call, so a crashed run, another order of calls or another width gives the same replies. It tells nothing about real
 * models: it shows whether an orchestration does with given parameters what theory says.
 */
export function simulatedModel(options: SimulatedModelOptions): SimulatedModel {
  const { seed, families, id = 'simulated/model', clock } = options;
  const capabilities = { ...CAPABILITIES, ...options.capabilities };
  const calls = new Map<string, SimulatedUse>();
  const familyOf = (session: string): Family => {
    const family = typeof families === 'function' ? families : families[session];
    if (family === undefined)
      throw new ConfigError(
        `The simulated model has no family for the session "${session}". It has ${Object.keys(families).join(', ')}.`,
      );
    return family;
  };
  return {
    id,
    capabilities,
    price: { input: 0, output: 0 },
    calls,
    countTokens: ({ messages }) => estimateInput(messages, capabilities.mediaTokens),
    async generate(request, how) {
      how.signal.throwIfAborted();
      const call = callOf(seed, request, how);
      const said = familyOf(request.session)(call);
      const parts: ReplyParts = typeof said === 'string' ? { text: said } : said;
      if (parts.latencyMs !== undefined) {
        if (clock === undefined)
          throw new ConfigError('A simulated latency needs a clock: pass { clock: autoClock() }.');
        await pauseOn(clock, { ms: parts.latencyMs, signal: how.signal });
      }
      const reply = replyOf(parts, request, capabilities);
      const { input: inputTokens, output: outputTokens } = reply.usage;
      calls.set(how.key, { session: request.session, item: call.item, inputTokens, outputTokens });
      return reply;
    },
  };
}

function callOf(seed: string | number, request: ModelRequest, { key }: ModelCallContext): SimulatedCall {
  const text = request.messages.map(({ content }) => content).join('\n\n');
  const item = itemIn(text);
  return {
    request,
    key,
    text,
    item,
    chance: (purpose) => draw(seed, purpose, key),
    shared: (purpose) => draw(seed, purpose, 'item', item),
  };
}

function replyOf(parts: ReplyParts, { messages }: ModelRequest, capabilities: ModelCapabilities): ModelReply {
  const { text = '', toolCalls = [], finish, usage } = parts;
  const said = { text, toolCalls };
  return {
    ...said,
    finish: finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: usage ?? {
      input: estimateInput(messages, capabilities.mediaTokens),
      output: Math.min(estimateOutput(said), capabilities.maxOutputTokens),
    },
  };
}
