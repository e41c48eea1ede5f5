import type { Principal, Scope } from '../access/principal.js';
import type { ErrorShape } from './error-shape.js';
import type { EventSpecs } from './event-schema.js';
import type { Schema } from './schema.js';

export type Method = 'get' | 'post' | 'delete';

/** What one answer looks like. Without a schema it is text of `type`, or a stream of events. */
export interface AnswerSpec {
  readonly about: string;
  readonly schema?: Schema<unknown>;
  /** `application/json` where absent. */
  readonly type?: string;
  /** Answered as a stream of these server-sent events; beside a schema, where the request asks for one. */
  readonly events?: EventSpecs;
}

/** A request that the document shows, and that a test sends as it stands. */
export interface Example {
  readonly title: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
}

/** One operation: what validates it, what documents it, who may call it and what it does. */
export interface Route<P = unknown, Q = unknown, B = unknown> {
  /** `operationId` of the document. */
  readonly id: string;
  readonly method: Method;
  /** In OpenAPI's spelling: `/v1/runs/{runId}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly about?: string;
  /** `any`: any credential will do. Undefined: anybody may, without one. */
  readonly scope: Scope | 'any' | undefined;
  readonly params?: Schema<P>;
  readonly query?: Schema<Q>;
  readonly body?: Schema<B>;
  /** By status. Refusals that follow from the declaration are documented for every route and not named here. */
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  /** Statuses that its handler refuses with, beside those that follow from the declaration. */
  readonly refuses?: readonly number[];
  readonly examples: readonly Example[];
  /**
   * A repeated `Idempotency-Key` answers as the first request did: true for every POST where absent. `false`: one is
   * refused. `by-message`: one is ignored, because the message itself says which delivery it is.
   */
  readonly idempotent?: boolean | 'by-message';
  /** Takes as long as its reader stays: no time limit. A function where the body decides. */
  readonly streams?: boolean | ((body: B) => boolean);
  /** A problem (RFC 9457) where absent. */
  readonly errors?: ErrorShape;
  /** Not counted against the requests a minute: whoever watches the server must see it when it is busy. */
  readonly unmetered?: boolean;
  /** The body is taken as it came, whatever its type: for signatures over its bytes. */
  readonly raw?: boolean;
  /** Answers with a secret that was made for whoever asks: it is the one thing that is not taken out. */
  readonly givesSecret?: boolean;
  readonly handle: (request: ServerRequest<P, Q, B>) => Promise<Answer> | Answer;
}

export interface ServerRequest<P = unknown, Q = unknown, B = unknown> {
  readonly id: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly principal: Principal;
  readonly headers: Headers;
  /** As it came; empty where the route takes none. */
  readonly rawBody: Uint8Array;
  /** Aborted when the client went away, the time limit is over or the server closes. */
  readonly signal: AbortSignal;
  /** Derived from the idempotency key where one was given: names the run or message that this request makes. */
  readonly once: string | undefined;
  /** Tells the log, and a kept answer, which run this request is about, where the address does not say. */
  isAbout(run: string): void;
  /** Counts the request for whom it turns out to be from, on routes that ask for no credential; rejects with 429. */
  countFor(principal: Principal): void;
}

export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/** A body that `eventStream` made. */
export interface EventsAnswer {
  readonly events: ReadableStream<Uint8Array>;
  readonly headers: Record<string, string>;
}

/** A response made by hand is for what is neither. */
export type Answer = JsonAnswer | EventsAnswer | Response;

/** Checks that handler and schemas agree, and forgets the types. */
export function route<P, Q, B>(given: Route<P, Q, B>): Route {
  return given as unknown as Route;
}
