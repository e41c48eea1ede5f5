import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { bodyAtMost } from '../../core/limited-body.js';
import { parsedUrl } from '../../core/parsed-url.js';
import { type Credentials, signed, type UnsignedRequest } from './signature.js';
import { valuesOf } from './xml.js';

export interface Asking {
  readonly region?: string;
  readonly credentials: Credentials;
  readonly timeoutMs?: number;
}

interface Expected {
  /** For people. */
  readonly place: string;
  /** A server is not believed about the length of what it sends. */
  readonly mostBytes: number;
}

const TRIES = 4;

/** The body of the answer, undefined for a key that is not there. What may pass is tried again. */
export async function answerTo(
  request: UnsignedRequest,
  asking: Asking,
  expected: Expected,
): Promise<Uint8Array | undefined> {
  for (let tried = 1; ; tried += 1) {
    const answer = await attempt(request, asking, expected).catch((cause: unknown) => {
      if (cause instanceof FlyballError) return cause;
      return unreachable(expected.place, cause);
    });
    if (!(answer instanceof FlyballError)) return answer;
    if (!answer.retryable || tried === TRIES) throw answer;
    await sleep(100 * 2 ** tried);
  }
}

async function attempt(
  request: UnsignedRequest,
  { credentials, region = 'us-east-1', timeoutMs = 60_000 }: Asking,
  { place, mostBytes }: Expected,
): Promise<Uint8Array | undefined> {
  const { method, url, body } = request;
  const found = await fetch(url, {
    method,
    headers: signed(request, { credentials, region, now: new Date() }),
    redirect: 'manual', // followed, it would take the session token and the runs to whoever the answer names
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body }),
  });
  const content = await bodyAtMost(found, found.ok ? mostBytes : MOST_REFUSAL_BYTES);
  if (found.ok) return content ?? tooLarge(place, mostBytes);
  return refused(found, new TextDecoder().decode(content), place);
}

/** Where a refusal is longer, its reason is not looked for. */
const MOST_REFUSAL_BYTES = 64 * 1024;

function tooLarge(place: string, mostBytes: number): never {
  throw new FlyballError(
    'STORAGE_FAILED',
    `${place} answers with more than ${mostBytes} bytes, which no archive has. Nothing of it was used. Check the endpoint, and who can write to the bucket.`,
  );
}

/** Undefined for a key that is not there: a bucket that is not there is another matter. */
function refused({ status, headers }: Response, text: string, place: string): undefined {
  const code = valuesOf(text, 'Code').find((said) => /^[\w.-]{1,80}$/.test(said)) ?? String(status);
  if (status === 404 && code !== 'NoSuchBucket') return undefined;
  if (code === 'NoSuchBucket') throw new ConfigError(`There is no bucket for ${place}. Create it, or check its name.`);
  if (status >= 300 && status < 400) {
    const host = parsedUrl(headers.get('location') ?? '')?.host ?? 'another address';
    throw new ConfigError(
      `${place} redirects to ${host} (${code}). Redirects are not followed, because the request carries credentials. Check AWS_REGION and AWS_ENDPOINT_URL_S3.`,
    );
  }
  if (status === 403 || status === 401)
    throw new ConfigError(
      `${place} refuses the access key (${code}). Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  const isPassing = status >= 500 || status === 429;
  throw new FlyballError(isPassing ? 'STORAGE_BUSY' : 'STORAGE_FAILED', `${place} refuses the request (${code}).`, {
    retryable: isPassing,
  });
}

function unreachable(place: string, cause: unknown): FlyballError {
  const why = (cause as { readonly cause?: { readonly message?: string } }).cause?.message ?? String(cause);
  return new FlyballError(
    'STORAGE_BUSY',
    `${place} does not respond (${why}). Check the endpoint, or try again later.`,
    { cause, retryable: true },
  );
}
