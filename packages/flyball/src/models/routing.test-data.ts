import { FlyballError } from '../core/errors.js';
import type { Model, ModelCallContext, ModelReply, ModelRequest, Price } from '../core/model.js';
import type { Clock } from '../ports/clock.js';
import { type ModelRouter, type ModelRouterParts, modelRouter } from './router.js';
import type { RouterEvent } from './router-event.js';

/** What a puppet does with one call. */
export type Act = (request: ModelRequest, how: ModelCallContext) => Promise<ModelReply>;

/** A model that plays a list of acts, one a call; the last one again and again. */
export interface Puppet extends Model {
  readonly requests: readonly ModelRequest[];
  /** Signals of the calls, in order. */
  readonly signals: readonly AbortSignal[];
  readonly inFlight: { readonly now: number; readonly most: number };
}

export interface PuppetOptions {
  readonly capabilities?: Partial<Model['capabilities']>;
  readonly price?: Price;
  readonly countTokens?: number;
  readonly paidAttempts?: number;
}

export function puppet(id: string, acts: readonly Act[], options: PuppetOptions = {}): Puppet {
  const requests: ModelRequest[] = [];
  const signals: AbortSignal[] = [];
  const inFlight = { now: 0, most: 0 };
  return {
    id,
    capabilities: {
      window: 1_000,
      maxOutputTokens: 100,
      tools: true,
      structuredOutput: true,
      promptCache: false,
      ...options.capabilities,
    },
    ...(options.price === undefined ? {} : { price: options.price }),
    ...(options.paidAttempts === undefined ? {} : { paidAttempts: options.paidAttempts }),
    requests,
    signals,
    inFlight,
    countTokens: () => options.countTokens ?? 10,
    async generate(request, how) {
      const act = acts[requests.length] ?? acts.at(-1);
      if (act === undefined) throw new Error(`${id} has no act`);
      requests.push(request);
      signals.push(how.signal);
      inFlight.most = Math.max(inFlight.most, ++inFlight.now);
      try {
        return await act(request, how);
      } finally {
        inFlight.now--;
      }
    },
  };
}

export function replyOf(text: string, more: Partial<ModelReply> = {}): ModelReply {
  return { text, toolCalls: [], finish: 'stop', usage: { input: 5, output: 2 }, ...more };
}

export const answers =
  (text: string, more: Partial<ModelReply> = {}): Act =>
  async (_, how) => {
    how.onDelta?.({ type: 'text', text });
    return replyOf(text, more);
  };

export const fails =
  (error: unknown): Act =>
  async () => {
    throw error;
  };

/** Streams something before it fails. */
export const breaksOff =
  (text: string, error: unknown): Act =>
  async (_, how) => {
    how.onDelta?.({ type: 'text', text });
    throw error;
  };

/** Never answers; gives up when it is told to, as the port demands. */
export const hangs: Act = (_, how) =>
  new Promise((_resolve, reject) => {
    how.signal.addEventListener('abort', () => reject(how.signal.reason), { once: true });
  });

export const serverError = (): FlyballError =>
  new FlyballError('MODEL_UNAVAILABLE', 'The server answered 500.', { retryable: true, detail: { status: 500 } });

export const rateLimited = (retryAfterMs?: number): FlyballError =>
  new FlyballError('MODEL_UNAVAILABLE', 'The server answered 429.', {
    retryable: true,
    detail: { status: 429, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  });

/** A stream that was cut: what came before it is on the bill. */
export const cutOff = (): FlyballError =>
  new FlyballError('MODEL_UNAVAILABLE', 'The stream was cut.', { retryable: true, detail: { mayHaveCost: true } });

export const rejected = (): FlyballError =>
  new FlyballError('MODEL_REJECTED', 'The server answered 401.', { detail: { status: 401 } });

export const windowExceeded = (): FlyballError => new FlyballError('WINDOW_EXCEEDED', 'The prompt is too long.');

export const request: ModelRequest = {
  session: 'writer',
  model: 'a/one',
  messages: [{ role: 'user', content: 'Say hello.' }],
  tools: [],
  toolChoice: 'auto',
  sampling: { maxOutputTokens: 50 },
};

export interface Routed {
  /** The first of the models, with the others as its fallbacks. */
  readonly model: Model;
  readonly router: ModelRouter;
  readonly events: readonly RouterEvent[];
  types(): readonly RouterEvent['type'][];
  waits(): readonly number[];
}

export async function routed(
  clock: Clock,
  models: readonly [Puppet, ...Puppet[]],
  more: Partial<ModelRouterParts> = {},
): Promise<Routed> {
  const events: RouterEvent[] = [];
  const [first, ...rest] = models;
  const router = await modelRouter({
    resolve: (name) => models.find((model) => model.id === name) ?? puppet(name, []),
    roles: { default: first.id },
    fallback: { default: rest.map(({ id }) => id) },
    clock,
    random: () => 0.5,
    observe: (event) => events.push(event),
    ...more,
  });
  return {
    model: router.forRole('default'),
    router,
    events,
    types: () => events.map(({ type }) => type),
    waits: () => events.flatMap((event) => (event.type === 'retry-wait' ? [event.waitMs] : [])),
  };
}

/** An end that nobody awaits yet: a rejection is kept until it is looked at. */
export function endOf(reply: Promise<ModelReply>): Promise<ModelReply | Error> {
  return reply.catch((error: Error) => error);
}
