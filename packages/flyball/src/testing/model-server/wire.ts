import type { IncomingHttpHeaders } from 'node:http';
import type { ModelReply, ModelRequest } from '../../core/model.js';

/** The protocol of a model provider. */
export type WireFormat = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'ollama';

/** A request as the wire carried it, in our words. */
export interface WireRequest extends Omit<ModelRequest, 'session'> {
  readonly stream: boolean;
}

/** One request that the server received. */
export interface ServedRequest extends WireRequest {
  readonly format: WireFormat;
  /** Counts from 1, over all formats. */
  readonly n: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it was parsed. */
  readonly body: unknown;
  /** Number of the connection it came over: two requests with the same one shared a socket. */
  readonly connection: number;
  /** The client closed its side before the answer was complete. */
  readonly clientWentAway: boolean;
}

/** What a format says of a failure. */
export interface WireRefusal {
  readonly status: number;
  readonly message: string;
  /** The vendor's own word for it, such as `context_length_exceeded`. */
  readonly code: string;
}

export type FullReply = Required<Pick<ModelReply, 'text' | 'toolCalls' | 'finish' | 'usage'>> &
  Pick<ModelReply, 'reasoning' | 'opaqueReasoning' | 'logProbs'>;

/** A vendor's wire format: how its requests read and how its replies are written. */
export interface Wire {
  readonly format: WireFormat;
  readonly path: RegExp;
  readonly streamType: string;
  parse(body: unknown, path: string): WireRequest;
  /** The reply as one JSON value. */
  whole(reply: FullReply, to: ServedRequest): unknown;
  /** The reply as the JSON values of its stream, in order. */
  parts(reply: FullReply, to: ServedRequest): readonly unknown[];
  /** One value as the bytes of the stream. */
  frame(part: unknown): string;
  /** What ends the stream, after its last value. */
  readonly end: string;
  refusal(given: WireRefusal): unknown;
}

/** A fixed time, so that two servers say the same. */
export const CREATED = 1_700_000_000;

/** A word at a time, as models stream text. */
export function words(text: string): readonly string[] {
  return text.match(/\s*\S+\s*|\s+/g) ?? [];
}

/** Argument text in two parts, so that a client has to put it together. */
export function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}

export function sse(part: unknown): string {
  return `data: ${JSON.stringify(part)}\n\n`;
}
