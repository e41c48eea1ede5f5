import { randomBytes } from 'node:crypto';
import { connect, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { networkInterfaces } from 'node:os';
import type { Drivers } from './drivers.js';
import type { Settings } from './options.js';

/**
 * Workers ask each other. Restate sees a connection break, not what became of the worker: after a restart of its own it
 * would have every run taken over from a worker that is well. Only who can read the database knows where to ask: the
 * address that is announced there ends with a secret.
 */
const PATH = '/flyball/at-work/';
/** A machine that is off never answers; a process that is busy or frozen is there, and may answer late. */
const CONNECT_MS = 150;
const ANSWER_MS = 1_000;
const [YES, NO, WRONG] = [200, 404, 400];

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** Answers other workers, and leaves everything else to `handler`. */
export function answerNeighbors(
  { secret, drivers }: { readonly secret: string; readonly drivers: Drivers },
  handler: Handler,
): Handler {
  const path = `${PATH}${secret}/`;
  return (request, response) => {
    if (!request.url.startsWith(PATH)) return handler(request, response);
    const runId = request.url.startsWith(path) ? decoded(request.url.slice(path.length)) : '';
    response.writeHead(runId === undefined ? WRONG : runId !== '' && drivers.isAtWork(runId) ? YES : NO).end();
  };
}

export const newSecret = (): string => randomBytes(16).toString('base64url');

/** Undefined where it is no encoded text. Whoever reaches the port can send anything. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Where this process can be asked by others. */
export function addressOf({ listen: { host, port } }: Settings, secret: string): string {
  const isAny = host === '0.0.0.0' || host === '::' || host === '';
  const own = isAny ? firstOwnAddress() : host;
  return `http://${own.includes(':') ? `[${own}]` : own}:${port}${PATH}${secret}`;
}

function firstOwnAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outer = all.filter(({ internal }) => !internal);
  return (outer.find(({ family }) => family === 'IPv4') ?? outer[0])?.address ?? '127.0.0.1';
}

/** False where nobody answers soon. */
export function isAtWork(address: string, runId: string): Promise<boolean> {
  const { origin, pathname } = new URL(address);
  return new Promise((resolve) => {
    const session = connect(origin);
    const end = (answer: boolean): void => {
      clearTimeout(late);
      resolve(answer);
      session.destroy();
    };
    let late = setTimeout(() => end(false), CONNECT_MS);
    session.on('connect', () => {
      clearTimeout(late);
      late = setTimeout(() => end(false), ANSWER_MS);
    });
    session.on('error', () => end(false));
    const asking = session.request({ ':path': `${pathname}/${encodeURIComponent(runId)}` });
    asking.on('error', () => end(false));
    asking.on('response', (headers) => end(headers[':status'] === YES));
  });
}
