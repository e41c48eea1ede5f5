import { failureOf, parsedUrl } from 'flyball/internal';
import { isLoopback } from '../settings.js';
import { CARD_PATH } from './card.js';

/** Limits for fetching an agent card. */
export interface FetchOptions {
  /** 5 s. */
  readonly timeoutMs?: number;
  /** 1 MiB. */
  readonly maxBytes?: number;
  /** The way to the network; one that keeps to allowed hosts, say. */
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
}

export type Fetched =
  | { readonly ok: true; readonly text: string; readonly origin: string }
  | { readonly ok: false; readonly why: string };

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1_048_576;

/** The text at the well-known address of an origin. Redirects are not followed: they would lead to somebody else's card. */
export async function fetchCard(given: string, options: FetchOptions = {}): Promise<Fetched> {
  const origin = originOf(given);
  if (origin === undefined)
    return { ok: false, why: `"${given}" is not an origin: use https://host, or http:// on this machine` };
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  try {
    const get = options.fetch ?? fetch;
    const response = await get(`${origin}${CARD_PATH}`, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { ok: false, why: `it responded with status ${response.status}` };
    }
    return { ok: true, origin, text: await boundedText(response, options.maxBytes ?? MAX_BYTES) };
  } catch (error) {
    return { ok: false, why: timeout.aborted ? 'it took too long' : failureOf(error).message };
  }
}

/** Only an encrypted connection says whose card it is; on this machine there is nobody in between. */
function originOf(given: string): string | undefined {
  if (parsedUrl(given) === undefined) return undefined;
  const { protocol, hostname, origin, username } = new URL(given);
  if (username !== '') return undefined;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)) ? origin : undefined;
}

async function boundedText(response: Response, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`); // leaving the loop cancels the rest
    pieces.push(piece);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
}
