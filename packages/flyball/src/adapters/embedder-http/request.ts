import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { isPassingStatus, retryAfterMs } from '../../core/http-answer.js';
import { parsedUrl } from '../../core/parsed-url.js';
import type { HttpEmbedderOptions } from './options.js';

export interface Target {
  readonly id: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  readonly dimensions: number;
  readonly sendDimensions: boolean;
  /** Never repeated in a message: providers echo keys. */
  readonly secrets: readonly string[];
}

/** Vectors are bulky in JSON, but not without bound: about 25 characters a number. */
const MOST_BYTES = 256 * 1024 * 1024;
const NEXT: Readonly<Record<number, string>> = {
  400: ' Check the model, the dimensions and the length of the texts.',
  401: ' Check the API key.',
  403: ' Check what the API key may do.',
  404: ' Check the name of the model and the base URL.',
  413: ' Make the batch smaller.',
};

export function targetOf(options: HttpEmbedderOptions): Target {
  const { id, baseUrl, apiKey, headers = {}, dimensions, sendDimensions = false } = options;
  if (parsedUrl(baseUrl) === undefined)
    throw new ConfigError(`The base URL of ${id} is not a URL. Write it as https://host/v1.`);
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ConfigError(`The base URL of ${id} must begin with http: or https:, not ${url.protocol}`);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`;
  const bearer = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const secrets = [apiKey ?? '', url.password, ...Object.values(headers)].filter((text) => text.length >= 6);
  const model = options.model ?? id.slice(id.indexOf('/') + 1);
  return { id, url, model, dimensions, sendDimensions, secrets, headers: { ...bearer, ...headers } };
}

/** One request: a vector for each text, in order, checked to be of the right number and length. */
export async function vectorsFrom(
  target: Target,
  texts: readonly string[],
  how: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<readonly Float32Array[]> {
  const body = JSON.stringify({
    model: target.model,
    input: texts,
    encoding_format: 'float',
    ...(target.sendDimensions ? { dimensions: target.dimensions } : {}),
  });
  return parsed(target, await posted(target, body, how), texts.length);
}

function posted(
  target: Target,
  body: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...target.headers,
    };
    const open = target.url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = open(target.url, { method: 'POST', headers, signal }, (response) =>
      received(target, response, resolve, reject),
    );
    // the whole answer, not only its beginning: a server may send a byte a minute
    const timer = setTimeout(
      () => request.destroy(unavailable(target, `did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    request.on('close', () => clearTimeout(timer));
    request.on('error', (cause: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(signal.reason);
      if (cause instanceof FlyballError) return reject(cause);
      return reject(unavailable(target, `cannot be reached at ${target.url.origin}: ${cause.message}`, { cause }));
    });
    request.end(body);
  });
}

function received(
  target: Target,
  response: IncomingMessage,
  resolve: (text: string) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) response.destroy(unavailable(target, `sent more than ${MOST_BYTES} bytes`));
    else chunks.push(chunk);
  });
  response.on('error', (cause) =>
    reject(cause instanceof FlyballError ? cause : unavailable(target, 'broke off its answer', { cause })),
  );
  response.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    const status = response.statusCode ?? 0;
    if (status === 200) resolve(text);
    else reject(refused(target, status, text, retryAfterMs(response.headers, Date.now())));
  });
}

function refused(target: Target, status: number, body: string, wait: number | undefined): FlyballError {
  const said = excerpt(target, body);
  if (isPassingStatus(status)) {
    const when = wait === undefined ? '' : ` It asks to wait for ${Math.ceil(wait / 1000)} s.`;
    const detail = { status, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
    return unavailable(target, `answered ${status}: ${said}${when}`, { detail });
  }
  return new FlyballError(
    'MODEL_REJECTED',
    `${target.id} refused the texts (${status}): ${said}${NEXT[status] ?? ''}`,
    {
      detail: { status },
    },
  );
}

function unavailable(
  target: Target,
  what: string,
  more: { readonly detail?: Record<string, unknown>; readonly cause?: unknown } = {},
): FlyballError {
  return new FlyballError('MODEL_UNAVAILABLE', `${target.id} ${what}`, { retryable: true, ...more });
}

function excerpt({ secrets }: Target, body: string): string {
  const text = secrets
    .reduce((left, secret) => left.replaceAll(secret, '[secret]'), body)
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? 'nothing' : text.slice(0, 200);
}

/** What came back, read strictly: a vector in the wrong place would silently make every search wrong. */
function parsed(target: Target, text: string, count: number): readonly Float32Array[] {
  const data = dataOf(text);
  if (data === undefined) throw unavailable(target, `sent no list of embeddings but ${excerpt(target, text)}`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [nth, item] of data.entries()) {
    const { index = nth, embedding } = (item ?? {}) as { readonly index?: unknown; readonly embedding?: unknown };
    if (typeof index !== 'number' || index < 0 || index >= count || vectors[index] !== undefined)
      throw unavailable(target, `sent an embedding for text ${String(index)} of ${count}`);
    vectors[index] = unit(target, embedding);
  }
  return vectors.map((vector, nth) => {
    if (vector === undefined) throw unavailable(target, `sent no embedding for text ${nth} of ${count}`);
    return vector;
  });
}

function dataOf(text: string): readonly unknown[] | undefined {
  try {
    const { data } = JSON.parse(text) as { readonly data?: unknown };
    return Array.isArray(data) ? data : undefined;
  } catch {
    return undefined; // told by the caller, with what came instead
  }
}

function unit(target: Target, embedding: unknown): Float32Array {
  const numbers = Array.isArray(embedding) ? embedding : [];
  if (numbers.length !== target.dimensions)
    throw new FlyballError(
      'CONFIG_INVALID',
      `${target.id} gives vectors of ${numbers.length} dimensions, not of ${target.dimensions}. Set dimensions to what the model has, or sendDimensions where it can be shortened.`,
      { detail: { expected: target.dimensions, actual: numbers.length } },
    );
  const length = Math.sqrt(numbers.reduce((sum: number, value: unknown) => sum + Number(value) ** 2, 0));
  if (!Number.isFinite(length)) throw unavailable(target, 'sent values that are not numbers');
  return Float32Array.from(numbers, (value: unknown) => (length === 0 ? 0 : Number(value) / length));
}
