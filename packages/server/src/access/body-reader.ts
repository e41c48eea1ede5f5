import { Problem } from '../problem.js';
import type { ServerSettings } from '../settings.js';
import { flawOf, hasTooManyValues, MOST_VALUES } from './json-text.js';

export interface Body {
  readonly raw: Uint8Array;
  /** Undefined for a raw body and for an empty one. */
  readonly json: unknown;
}

type Settings = Pick<ServerSettings, 'maxBodyBytes' | 'bodyTimeoutMs'>;

/** Reads a body within its bounds. Nothing of it is ever quoted: it may hold anything. */
export async function bodyReader(request: Request, settings: Settings, as: 'json' | 'raw' = 'json'): Promise<Body> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > settings.maxBodyBytes) throw tooLarge(settings);
  if (as === 'json' && hasBody(request.headers) && !isJson(request.headers.get('content-type'))) throw notJson();
  const raw = await readAll(request, settings);
  return { raw, json: as === 'raw' || raw.byteLength === 0 ? undefined : parsed(raw) };
}

/** For a request that has no business with a body. */
export function refuseBody(headers: Headers): void {
  if (!hasBody(headers)) return;
  throw new Problem(400, 'REQUEST_INVALID', 'This request does not take a body.', { headers: CLOSE });
}

/** What is left of a body that was refused is not read: the connection cannot be used again. */
const CLOSE = { connection: 'close' };

function hasBody(headers: Headers): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0;
}

function isJson(type: string | null): boolean {
  const [media = '', ...parameters] = (type ?? '').split(';').map((part) => part.trim().toLowerCase());
  const isMedia = media === 'application/json' || /^application\/[a-z0-9.+-]{1,60}\+json$/.test(media);
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return isMedia && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

async function readAll({ body }: Request, settings: Settings): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0);
  const reader = body.getReader();
  const clock = deadline(settings.bodyTimeoutMs);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([broken(reader.read()), clock.over]);
      if (done) return Buffer.concat(chunks, bytes);
      bytes += value.byteLength;
      if (bytes > settings.maxBodyBytes) throw tooLarge(settings);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined); // the stream may be broken already, which is why we are here
    throw error;
  } finally {
    clock.stop();
  }
}

/** A client that goes away half way is no fault of the server. */
async function broken<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw new Problem(400, 'REQUEST_INVALID', 'The body did not arrive in full.', { headers: CLOSE, cause });
  }
}

function deadline(ms: number): { readonly over: Promise<never>; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), ms);
    timer.unref();
  });
  over.catch(() => undefined); // nobody may be waiting any more
  return { over, stop: () => clearTimeout(timer) };
}

/** One JSON value, or a problem that tells the sender what is wrong with it. */
export function parsed(raw: Uint8Array): unknown {
  const text = decoded(raw);
  refuseTooMany(text);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw malformed('The body is not JSON.'); // what the parser says quotes the body
  }
  refuseFlawed(text);
  return json;
}

/**
 * For a body that another parser reads by its own rules: what is no JSON is left to that, and undefined here. A mark at the
 * beginning of the text is passed over, as every parser of bodies does.
 */
export function fitJson(raw: Uint8Array): unknown {
  const text = decoded(raw);
  refuseTooMany(text);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined; // the other parser says so in its own protocol
  }
  refuseFlawed(text);
  return json;
}

function refuseFlawed(text: string): void {
  const flaw = flawOf(text);
  if (flaw !== undefined) throw malformed(`The body ${flaw}.`);
}

/** Before anybody parses it. */
function refuseTooMany(text: string): void {
  if (!hasTooManyValues(text)) return;
  throw new Problem(413, 'TOO_LARGE', `The body contains more than ${MOST_VALUES.toLocaleString('en-US')} values.`, {
    next: 'Split it over several requests, or send long data as one string.',
  });
}

function decoded(raw: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(raw);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
}

function malformed(detail: string): Problem {
  return new Problem(400, 'REQUEST_INVALID', detail, { next: 'Send one JSON value in UTF-8.' });
}

function notJson(): Problem {
  return new Problem(415, 'UNSUPPORTED_MEDIA', 'The body must be JSON.', {
    next: 'Send it with Content-Type: application/json.',
    headers: CLOSE,
  });
}

function tooLarge({ maxBodyBytes }: Settings): Problem {
  return new Problem(413, 'TOO_LARGE', `The body is larger than ${maxBodyBytes} bytes.`, {
    next: 'Send a smaller body, or raise the limit of the server.',
    headers: CLOSE,
  });
}

function tooSlow(): Problem {
  return new Problem(408, 'TIMEOUT', 'The body did not arrive in time.', { retryable: true, headers: CLOSE });
}
