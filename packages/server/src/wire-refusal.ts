import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '@hono/node-server';
import { securityHeaders } from './access/security-headers.js';
import { PROBLEM_ERRORS } from './contract/error-shape.js';
import type { Log } from './log.js';
import { noAddress, Problem, problemFrom } from './problem.js';
import { inert } from './wire.js';

/** What is refused before there is a request, by the code of the parser. Anything else is no HTTP. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const WHY: Readonly<Record<number, string>> = {
  431: 'The request line and the headers are longer than 16 KB.',
  413: 'The extensions of a chunk are too long.',
  408: 'The request took too long to arrive.',
};
const NO_HTTP = 'This is not a valid HTTP request.';
const LINGER_MS = 5_000;

/**
 * The answer where no request could be made of what arrived, as with a Host header that is none: no route sees it, so its
 * headers and its line in the log are made here.
 */
export function unmadeRequest(error: unknown, log: Log): Response {
  const isOurs = !(error instanceof RequestError);
  const id = randomUUID();
  const problem = isOurs ? problemFrom(error) : noAddress();
  if (isOurs) log.error('request failed', error, { id, route: 'unknown' });
  log.info('request', { id, route: 'unknown', status: problem.status });
  const { type, bodyOf } = PROBLEM_ERRORS;
  return new Response(inert(bodyOf(problem, id)), {
    status: problem.status,
    headers: { ...securityHeaders('/v1'), 'content-type': type, 'x-request-id': id },
  });
}

interface Listener {
  on(event: 'clientError', listener: (error: Error, socket: Connection) => void): unknown;
}

type Connection = Pick<Socket, 'writable' | 'destroy' | 'end' | 'resume'> & {
  /** The answer to an earlier request that is still being written. */
  readonly _httpMessage?: { readonly headersSent?: boolean } | null;
};

function answerOf(status: number): string {
  const { type, bodyOf } = PROBLEM_ERRORS;
  const problem = new Problem(status, status === 431 ? 'TOO_LARGE' : 'REQUEST_INVALID', WHY[status] ?? NO_HTTP);
  const body = inert(bodyOf(problem, randomUUID()));
  const headers = ['Connection: close', `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`];
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Answers what cannot be read as a request, and reads on for a moment. Whoever closed at once would have the system reset
 * the connection while the client still sends, and the client would often see that instead of the answer.
 */
export function refuseOnTheWire(server: Listener): void {
  const refused = new WeakSet<object>();
  server.on('clientError', (error, socket) => {
    if (refused.has(socket)) return; // more of the same
    refused.add(socket);
    if (!socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const status = STATUS[(error as NodeJS.ErrnoException).code ?? ''] ?? 400;
    socket.end(answerOf(status));
    socket.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}
