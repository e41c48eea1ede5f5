import assert from 'node:assert/strict';
import type { Model, ModelCallContext, ModelDelta, ModelReply, ModelRequest } from '../../core/model.js';
import type { ModelServer } from '../model-server/model-server.js';
import type { ServerScript } from '../model-server/server-script.js';
import type { WireFormat } from '../model-server/wire.js';

/** What a wire format, or the client behind the model, has no words for. The contract leaves it out, and says so. */
export type Inexpressible =
  | 'call-ids'
  | 'tool-choice'
  | 'seed'
  | 'stop'
  | 'log-probs'
  | 'cache-markers'
  | 'cache-read'
  | 'cache-write'
  | 'finish-content-filter'
  | 'finish-error'
  | 'reasoning-signature'
  | 'images'
  | 'documents'
  | 'audio';

/** A model adapter to test with `modelContract`. */
export interface ModelUnderTest {
  /** Which wire format it speaks. */
  readonly format: WireFormat;
  /** The model behind this address. Its capabilities include tools, structured output and marked prompt caching. */
  open(at: { readonly baseUrl: string; readonly apiKey: string }): Model | Promise<Model>;
  readonly cannot?: readonly Inexpressible[];
}

export interface ModelFixture {
  readonly model: Model;
  readonly server: ModelServer;
  can(what: Inexpressible): boolean;
}

export type ModelTest = (fixture: ModelFixture) => Promise<void>;
/**
 * Declares one test with a server and a model of its own; the server answers from the script. A test that needs what the
 * wire has no words for is not declared.
 */
export type DeclareModelTest = (name: string, replies: ServerScript, body: ModelTest, needs?: Inexpressible) => void;

export const API_KEY = 'key-that-nobody-may-see';

export function request(given: Partial<ModelRequest> = {}): ModelRequest {
  return {
    session: 'contract',
    model: 'contract/model',
    messages: [{ role: 'user', content: 'Say something.' }],
    tools: [],
    toolChoice: 'auto',
    sampling: { maxOutputTokens: 200 },
    ...given,
  };
}

export const LOOK_UP = {
  name: 'look_up',
  description: 'Looks up a word.',
  input: {
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  },
} as const;

export function quiet(signal: AbortSignal = new AbortController().signal): ModelCallContext {
  return { signal, key: 'contract-key' };
}

/** Makes the call, observed, and returns what was seen beside the reply. */
export async function observed(
  model: Model,
  asked: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly reply: ModelReply; readonly deltas: readonly ModelDelta[] }> {
  const deltas: ModelDelta[] = [];
  const reply = await model.generate(asked, { signal, key: 'contract-key', onDelta: (delta) => deltas.push(delta) });
  return { reply, deltas };
}

/** The two ways of making the same call. */
export const WAYS = [
  { way: 'in one piece', ask: (model: Model, asked: ModelRequest) => model.generate(asked, quiet()) },
  { way: 'streamed', ask: async (model: Model, asked: ModelRequest) => (await observed(model, asked)).reply },
] as const;

export interface ExpectedFailure {
  readonly code: string;
  readonly retryable: boolean;
  readonly mayHaveCost?: boolean;
}

/** The call fails with this code and verdict, and says something. Returns the failure for a closer look. */
export async function fails(
  call: Promise<unknown>,
  expected: ExpectedFailure,
): Promise<{ readonly message: string; readonly detail: Readonly<Record<string, unknown>> }> {
  try {
    await call;
  } catch (error) {
    const { code, retryable, detail, message } = error as {
      code?: unknown;
      retryable?: unknown;
      detail?: Record<string, unknown>;
      message: string;
    };
    assert.deepEqual({ code, retryable }, { code: expected.code, retryable: expected.retryable }, String(error));
    if (expected.mayHaveCost !== undefined) assert.equal(detail?.['mayHaveCost'], expected.mayHaveCost, String(error));
    assert.ok(message.length > 10, 'the message says nothing');
    return { message, detail: detail ?? {} };
  }
  return assert.fail(`expected ${expected.code}, but the call succeeded`);
}
