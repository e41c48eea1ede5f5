import type { IncomingMessage } from 'node:http';
import { type Callee, excerpt, statusFailure, unreadable } from './failures.js';

/** Turns the bytes of an answer into a value. */
export interface BodyReader<T> {
  take(chunk: Buffer): void;
  /** The answer is complete. Throws when it lacks something. */
  end(): T;
}

/** The reader for an answer of this content type; undefined when it cannot be a reply. */
export type ReaderFor<T> = (contentType: string) => BodyReader<T> | undefined;

/** Who waits for the answer. Only the first of these calls counts. */
export interface Answered<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** No reply is this long; a server that never stops would otherwise fill the memory. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
/** Kept of every answer, to say what came when it breaks. */
const EXCERPT = 200;

export function receive<T>(
  callee: Callee,
  response: IncomingMessage,
  readerFor: ReaderFor<T>,
  answered: Answered<T>,
): void {
  const { statusCode: status = 0, headers } = response;
  const type = headers['content-type'] ?? '';
  const reader = status >= 200 && status <= 299 ? readerFor(type) : undefined;
  if (reader !== undefined) return read(callee, response, reader, answered);
  const refused = new TextReader((body) => {
    if (status < 200 || status > 299) return statusFailure(callee, { status, headers, body, now: Date.now() });
    return unreadable(callee, `${type || 'an answer of no type'} instead of a reply: ${excerpt(callee, body)}`);
  });
  read(callee, response, refused, { resolve: answered.reject, reject: answered.reject });
}

function read<T>(callee: Callee, response: IncomingMessage, reader: BodyReader<T>, answered: Answered<T>): void {
  let bytes = 0;
  let head = '';
  const fail = (error: unknown): void => {
    answered.reject(error);
    response.destroy();
  };
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (head.length < EXCERPT) head += chunk.subarray(0, EXCERPT).toString('utf8');
    try {
      if (bytes > MAX_BYTES) throw unreadable(callee, `more than ${MAX_BYTES} bytes and did not stop.`);
      reader.take(chunk);
    } catch (error) {
      fail(error);
    }
  });
  response.once('end', () => {
    try {
      answered.resolve(reader.end());
    } catch (error) {
      fail(error);
    }
  });
  response.once('error', () => {
    fail(unreadable(callee, `${bytes} bytes and then broke off the connection: ${excerpt(callee, head)}`));
  });
}

/** Collects the beginning of an answer and makes something of its text. */
class TextReader<T> implements BodyReader<T> {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private readonly make: (text: string) => T;

  constructor(make: (text: string) => T) {
    this.make = make;
  }

  take(chunk: Buffer): void {
    if (this.size >= MAX_ERROR_BYTES) return;
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  end(): T {
    return this.make(Buffer.concat(this.chunks).toString('utf8'));
  }
}
