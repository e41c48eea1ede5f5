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
      let request: ClientRequest | undefined;
      let settled = false;
      const onAbort = (): void => {
        settle(() => reject(signal.reason));
        request?.destroy();
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
      request = this.open(body, (response) => receive(this.callee, response, readerFor, answered));
      // not sent again here, even on a kept connection that the server may just have closed: it may as well have done
      // the work first, and only whoever reserved the money may decide to risk it twice
      request.on('error', (error) => {
        if (!settled) answered.reject(networkFailure(this.callee, error)); // else aborted, or broken while thrown away
      });
      signal.addEventListener('abort', onAbort);
      request.end(body);
    });
  }

  private open(body: string, onResponse: (response: IncomingMessage) => void): ClientRequest {
    const headers = [...this.headers, 'content-length', String(Buffer.byteLength(body))];
    const request = this.secure ? httpsRequest : httpRequest;
    return request({ ...this.target, headers }, onResponse);
  }
}
