import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { parsedUrl } from '../../core/parsed-url.js';
import type { ArchiveStore } from '../../ports/archive.js';
import { type Credentials, encoded, signed, type UnsignedRequest } from './signature.js';

export interface S3Options {
  readonly bucket: string;
  /** Before every key, without slashes at its ends. */
  readonly prefix?: string;
  readonly region?: string;
  /** Of a server that is compatible with S3, as in http://127.0.0.1:9000. Without it: AWS. */
  readonly endpoint?: string;
  readonly credentials: Credentials;
  readonly timeoutMs?: number;
}

const TRIES = 4;

/** Archives in a bucket of S3, or of a server that is compatible with it. The bucket has to be there. */
export function s3Archive(options: S3Options): ArchiveStore {
  const { bucket, prefix = '' } = options;
  const base = baseOf(options);
  const before = prefix === '' ? '' : `${prefix}/`;
  const place = `s3://${bucket}/${before}`;
  const at = (key: string): URL => new URL(`${base}/${`${before}${key}`.split('/').map(encoded).join('/')}`);
  const ask = (request: UnsignedRequest) => answer(request, options, place);
  return {
    place,
    async put(key, body) {
      await ask({ method: 'PUT', url: at(key), body });
    },
    async get(key) {
      const found = await ask({ method: 'GET', url: at(key) });
      return found === undefined ? undefined : new Uint8Array(await found.arrayBuffer());
    },
    async *list(wanted) {
      for (let last: string | undefined; ; ) {
        const url = new URL(`${base}/`);
        url.searchParams.set('list-type', '2');
        url.searchParams.set('prefix', `${before}${wanted}`);
        if (last !== undefined) url.searchParams.set('start-after', last);
        const page = (await (await ask({ method: 'GET', url }))?.text()) ?? '';
        const keys = valuesOf(page, 'Key');
        for (const key of keys) yield key.slice(before.length);
        last = keys.at(-1);
        if (last === undefined || valuesOf(page, 'IsTruncated')[0] !== 'true') return;
      }
    },
  };
}

function baseOf({ bucket, endpoint, region = 'us-east-1' }: S3Options): string {
  if (endpoint === undefined) return `https://${bucket}.s3.${region}.amazonaws.com`;
  if (parsedUrl(endpoint) === undefined)
    throw new ConfigError(`The S3 endpoint ${endpoint} is not an address such as https://s3.example.com.`);
  return `${endpoint.replace(/\/+$/, '')}/${encoded(bucket)}`;
}

/** Undefined for a key that is not there. What may pass is tried again. */
async function answer(request: UnsignedRequest, options: S3Options, place: string): Promise<Response | undefined> {
  const { credentials, region = 'us-east-1', timeoutMs = 60_000 } = options;
  for (let tried = 1; ; tried += 1) {
    const headers = signed(request, { credentials, region, now: new Date() });
    const { method, url, body } = request;
    const sent = { method, headers, signal: AbortSignal.timeout(timeoutMs), ...(body === undefined ? {} : { body }) };
    const found = await fetch(url, sent).catch((cause: unknown) => unreachable(place, cause));
    if (found instanceof Response && found.ok) return found;
    const problem = found instanceof Response ? await refusal(found, place) : found;
    if (problem === undefined) return undefined;
    if (!problem.retryable || tried === TRIES) throw problem;
    await sleep(100 * 2 ** tried);
  }
}

function unreachable(place: string, cause: unknown): FlyballError {
  const why = (cause as { readonly cause?: { readonly message?: string } }).cause?.message ?? String(cause);
  return new FlyballError(
    'STORAGE_BUSY',
    `${place} does not respond (${why}). Check the endpoint, or try again later.`,
    {
      cause,
      retryable: true,
    },
  );
}

/** Undefined for a key that is not there: a bucket that is not there is another matter. */
async function refusal(found: Response, place: string): Promise<FlyballError | undefined> {
  const [code = String(found.status)] = valuesOf(await found.text(), 'Code');
  if (found.status === 404 && code !== 'NoSuchBucket') return undefined;
  if (code === 'NoSuchBucket') return new ConfigError(`There is no bucket for ${place}. Create it, or check its name.`);
  if (found.status === 403 || found.status === 401)
    return new ConfigError(
      `${place} refuses the access key (${code}). Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  const isPassing = found.status >= 500 || found.status === 429;
  return new FlyballError(isPassing ? 'STORAGE_BUSY' : 'STORAGE_FAILED', `${place} refuses the request (${code}).`, {
    retryable: isPassing,
  });
}

function valuesOf(xml: string, tag: string): readonly string[] {
  const found = [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))];
  return found.map(([, text = '']) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&'),
  );
}
