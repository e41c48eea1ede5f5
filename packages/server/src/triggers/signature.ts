import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookTrigger } from './trigger.js';

export const SIGNATURE_HEADER = 'flyball-signature';
export const GITHUB_HEADER = 'x-hub-signature-256';

/** What a signature stands for, once it is known to be good. */
export interface Signed {
  /** The time that was signed, in milliseconds; undefined where the style has none. */
  readonly at: number | undefined;
  /** The same for the same message, whichever secret signed it: its hash. */
  readonly content: Uint8Array;
}

/** More than anybody who rotates secrets sends, and few enough that checking them costs nothing. */
const MOST_SIGNATURES = 8;
const LONGEST_HEADER = 1_000;
/** Compared with where there is nothing to compare, so that its absence takes as long. */
const NOBODY = Buffer.alloc(32);

/** Who signed this message, or undefined when nobody did whose secret we know. Takes as long for any wrong signature. */
export function signedBy(
  secrets: readonly string[],
  style: WebhookTrigger['style'],
  message: { readonly headers: Pick<Headers, 'get'>; readonly body: Uint8Array },
): Signed | undefined {
  const claimed = style === 'github' ? githubClaim(message.headers) : flyballClaim(message.headers);
  const prefix = claimed.time === undefined ? '' : `${claimed.time}.`;
  const content = Buffer.concat([Buffer.from(prefix), message.body]);
  const given = claimed.signatures.length === 0 ? [NOBODY] : claimed.signatures;
  let isGood = false;
  for (const secret of secrets) {
    const wanted = createHmac('sha256', secret).update(content).digest();
    for (const signature of given) isGood = timingSafeEqual(wanted, signature) || isGood;
  }
  if (!isGood || claimed.signatures.length === 0) return undefined;
  return { at: claimed.time === undefined ? undefined : Number(claimed.time) * 1000, content };
}

/** Creates the signature header of a webhook message. */
export function signature(secret: string, body: string | Uint8Array, atMs: number): string {
  const time = Math.floor(atMs / 1000);
  const content = Buffer.concat([Buffer.from(`${time}.`), Buffer.from(body)]);
  return `t=${time},v1=${createHmac('sha256', secret).update(content).digest('hex')}`;
}

interface Claim {
  readonly time: string | undefined;
  readonly signatures: readonly Buffer[];
}

/** `t=1767225600,v1=<hex>`, with further `v1` where several secrets sign; parts of other names are of schemes yet to come. */
function flyballClaim(headers: Pick<Headers, 'get'>): Claim {
  const parts = (headerOf(headers, SIGNATURE_HEADER) ?? '').split(',').map((part) => part.trim());
  const times = parts.filter((part) => /^t=\d{1,12}$/.test(part));
  const signatures = parts.flatMap((part) => hexOf(/^v1=(.*)$/.exec(part)?.[1]));
  // of two times nobody could say which one was signed
  return {
    time: times[0]?.slice(2) ?? '0',
    signatures: times.length === 1 ? signatures.slice(0, MOST_SIGNATURES) : [],
  };
}

function githubClaim(headers: Pick<Headers, 'get'>): Claim {
  return { time: undefined, signatures: hexOf(/^sha256=(.*)$/.exec(headerOf(headers, GITHUB_HEADER) ?? '')?.[1]) };
}

function headerOf(headers: Pick<Headers, 'get'>, name: string): string | undefined {
  const value = headers.get(name);
  return value === null || value.length > LONGEST_HEADER ? undefined : value;
}

function hexOf(text: string | undefined): readonly Buffer[] {
  return text !== undefined && /^[0-9a-f]{64}$/i.test(text) ? [Buffer.from(text, 'hex')] : [];
}
