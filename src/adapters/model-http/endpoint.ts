import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Address, headersOf, secretsIn, urlOf } from './address.js';
import { type Answered, type ReaderFor, receive } from './answer.js';
import { type Callee, networkFailure } from './failures.js';

export interface EndpointOptions extends Address {
  /** Brings its own sockets, proxy or certificates. */
  readonly agent?: HttpAgent | undefined;
}

/** One address of a provider over keep-alive connections. */
export class Endpoint {
  readonly callee: Callee;
  private readonly secure: boolean;
  private readonly target: RequestOptions;
  /** Names and values in turn, as they go out: that spares a request the tenth that looking at an object costs. */
  private readonly headers: readonly string[];

  constructor(options: EndpointOptions) {
    const url = urlOf(options);
    this.secure = url.protocol === 'https:';
    this.target = {
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port,
      path: url.pathname + url.search,
      method: 'POST',
      // fetch costs two to three times as much a call as an agent that keeps its connections
      agent: options.agent ?? new (this.secure ? HttpsAgent : HttpAgent)({ keepAlive: true }),
    };
    this.headers = Object.entries(headersOf(options, url)).flat();
    this.callee = {
      id: options.id,
      provider: options.id.split('/', 1)[0] ?? options.id,
      address: `${url.origin}${url.pathname}`,
      secrets: secretsIn(options, url),
    };
  }

  /** Sends the body and reads the answer. Rejects with the signal's reason, its socket destroyed, when that aborts. */
  post<T>(body: string, readerFor: ReaderFor<T>, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      let request: ClientRequest;
      let settled = false;
      const onAbort = (): void => {
        settle(() => reject(signal.reason));
        request.destroy();
      };
      const settle = (say: () => void): void => {
        settled = true;
        signal.removeEventListener('abort', onAbort); // signals outlive calls: a listener left behind would pile up
        say();
      };
      const answered: Answered<T> = {
        resolve: (value) => settle(() => resolve(value)),
        reject: (error) => settle(() => reject(error)),
      };
      const send = (again: boolean): void => {
        request = this.open(body, (response) => receive(this.callee, response, readerFor, answered));
        request.on('error', (error) => {
          if (settled) return; // it was aborted, or broke while it was being thrown away
          if (!again && isStale(request, error)) send(true);
          else answered.reject(networkFailure(this.callee, error));
        });
        request.end(body);
      };
      signal.addEventListener('abort', onAbort);
      send(false);
    });
  }

  private open(body: string, onResponse: (response: IncomingMessage) => void): ClientRequest {
    const headers = [...this.headers, 'content-length', String(Buffer.byteLength(body))];
    const request = this.secure ? httpsRequest : httpRequest;
    return request({ ...this.target, headers }, onResponse);
  }
}

/**
 * A kept connection that the server closed, as servers do with idle ones, just when this request went out on it. Once an
 * answer has begun it is the response that breaks, not the request; until then the request is sent once more, and a second
 * failure is the caller's to judge.
 */
function isStale(request: ClientRequest, error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}
