import { AssertionError } from 'node:assert';
import { ConfigError, FlyballError } from '../core/errors.js';
import type { Model, ModelCallContext, ModelCapabilities, ModelReply, ModelRequest, Price } from '../core/model.js';
import type { Clock } from '../ports/clock.js';
import { orAborted, pauseOn } from './abortable.js';
import { frozenCopy } from './frozen-copy.js';
import { describeEntry, type ReplyParts, type Script, type ScriptEntry, ScriptReader, shorten } from './script.js';
import { streamReply } from './stream-reply.js';
import { estimateInput, estimateOutput } from './token-estimate.js';

/**
 * A model that answers from a script, keyed by session and call.
 *
 * Invariants:
 * 1. Calls of a session take its replies in the order in which the calls are made, not in which they finish.
 * 2. A script that runs dry throws SCRIPT_EXHAUSTED, and `assertFinished` fails afterwards even if the agent caught it.
 * 3. `countTokens` never promises less than a scripted reply reports; a function's own usage is the exception.
 */
export interface ScriptedModel extends Model {
  /** Every request in the order made, in full and frozen. */
  readonly requests: readonly ModelRequest[];
  requestsOf(session: string): readonly ModelRequest[];
  /** The text of the n-th request of a session (from 1), all messages joined by blank lines. */
  promptAt(session: string, n?: number): string;
  /** Resolves when the n-th call of a session has been made, finished or not. */
  reached(session: string, n?: number): Promise<void>;
  /** Fails when replies are left over, or when a call found none. */
  assertFinished(): void;
}

const FREE: Price = { input: 0, output: 0 };

/** Options of `scriptedModel`. */
export interface ScriptedModelOptions {
  readonly id?: string;
  readonly capabilities?: Partial<ModelCapabilities>;
  /** Free by default, unless the runtime's prices include the model. */
  readonly price?: Price;
  /** What latencies are measured on. */
  readonly clock?: Clock;
  /** How long every reply takes that does not say otherwise. */
  readonly latencyMs?: number;
  /**
   * What a call gets that repeats the key of an answered one, as after a crash: the script's next reply (the default),
   * or the same reply again, so that a crashed run reads what the uncrashed one read.
   */
  readonly repeatedKey?: 'next-reply' | 'same-reply';
}

const CAPABILITIES: ModelCapabilities = {
  window: 100_000,
  maxOutputTokens: 1000,
  tools: true,
  structuredOutput: true,
  promptCache: false,
};

/** A model that answers from a script, for tests. */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const capabilities = { ...CAPABILITIES, ...options.capabilities };
  const reader = new ScriptReader(script);
  const requests: ModelRequest[] = [];
  const dry: string[] = [];
  const answered = new Map<string, ModelReply>();
  const watchers = new Set<() => void>();
  if (options.latencyMs !== undefined) clockFor(options);

  const requestsOf = (session: string): readonly ModelRequest[] => requests.filter((made) => made.session === session);

  async function answer(request: ModelRequest, how: ModelCallContext): Promise<ModelReply> {
    const repeated = options.repeatedKey === 'same-reply' ? answered.get(how.key) : undefined;
    if (repeated !== undefined) return repeated;
    const { n, entry } = reader.take(request.session);
    if (entry === undefined) {
      const error = exhausted(request, { n, reader });
      dry.push(error.message);
      throw error;
    }
    const parts = await orAborted(how.signal, partsOf(entry, { request, n, how }));
    const latencyMs = parts.latencyMs ?? options.latencyMs;
    if (latencyMs !== undefined) await pauseOn(clockFor(options), { ms: latencyMs, signal: how.signal });
    if (parts.gate !== undefined) await orAborted(how.signal, parts.gate);
    const reply = completeReply(parts, { request, capabilities });
    answered.set(how.key, reply);
    return reply;
  }

  return {
    id: options.id ?? 'scripted/model',
    capabilities,
    price: options.price ?? FREE,
    requests,
    requestsOf,
    countTokens: ({ messages, session }) =>
      Math.max(estimateInput(messages, capabilities.mediaTokens), reader.largestInput(session)),
    async generate(request, how) {
      how.signal.throwIfAborted();
      requests.push(frozenCopy(request));
      for (const watcher of watchers) watcher();
      const reply = await answer(request, how);
      if (how.onDelta !== undefined) streamReply(reply, { signal: how.signal, onDelta: how.onDelta });
      return reply;
    },
    promptAt(session, n = 1) {
      const made = requestsOf(session);
      const request = made[n - 1];
      if (request !== undefined) return request.messages.map((message) => message.content).join('\n\n');
      throw new AssertionError({
        message: `Session "${session}" made ${made.length} calls, so there is no call ${n}.`,
      });
    },
    reached: (session, n = 1) =>
      new Promise((resolve) => {
        const watcher = (): void => {
          if (requestsOf(session).length < n) return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
        watcher();
      }),
    assertFinished() {
      const left = reader.leftOver().map(({ session, n, entry }) => `${session} reply ${n}: ${describeEntry(entry)}`);
      const problems = [...dry, ...(left.length === 0 ? [] : [`Replies left over: ${left.join('; ')}.`])];
      if (problems.length > 0) throw new AssertionError({ message: problems.join('\n') });
    },
  };
}

function clockFor(options: ScriptedModelOptions): Clock {
  if (options.clock === undefined)
    throw new ConfigError('A scripted latency needs a clock: pass { clock: virtualClock() }.');
  return options.clock;
}

async function partsOf(
  entry: ScriptEntry,
  call: { readonly request: ModelRequest; readonly n: number; readonly how: ModelCallContext },
): Promise<ReplyParts> {
  const reply = typeof entry === 'function' ? await entry(call.request, call.n, call.how) : entry;
  if (reply instanceof Error) throw reply;
  return typeof reply === 'string' ? { text: reply } : reply;
}

function completeReply(
  parts: ReplyParts,
  of: { readonly request: ModelRequest; readonly capabilities: ModelCapabilities },
): ModelReply {
  const { gate: _gate, latencyMs: _latency, text = '', toolCalls = [], ...rest } = parts;
  const said = { ...rest, text, toolCalls };
  // capped as a vendor caps it, so that an estimate never exceeds what was reserved for the call
  const mostOutput = of.request.sampling.maxOutputTokens ?? of.capabilities.maxOutputTokens;
  return frozenCopy({
    ...said,
    finish: parts.finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: parts.usage ?? {
      input: estimateInput(of.request.messages, of.capabilities.mediaTokens),
      output: Math.min(estimateOutput(said), mostOutput),
    },
  });
}

function exhausted(request: ModelRequest, at: { readonly n: number; readonly reader: ScriptReader }): FlyballError {
  const { session } = request;
  const last = request.messages.findLast((message) => message.role === 'user')?.content ?? '';
  const length = at.reader.length(session);
  const holds =
    length === undefined
      ? `is not in the script, which holds ${at.reader.sessions().join(', ') || 'no session'}`
      : `has ${length} ${length === 1 ? 'reply' : 'replies'} in the script`;
  return new FlyballError(
    'SCRIPT_EXHAUSTED',
    `Session "${session}" makes call ${at.n}, but ${holds}. Last user message: "${shorten(last)}". ` +
      'Script a reply for this call, or find out why it is made.',
    { detail: { session, call: at.n, lastUserMessage: last } },
  );
}
