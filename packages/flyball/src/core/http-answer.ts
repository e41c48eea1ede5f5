/** What the status and the headers of an HTTP answer say about the request, for every client in the house. */

/** Besides those of 500 and above: the same request may be answered later. */
const PASSING = new Set([408, 409, 425, 429]);
/** Refused before any work was done. Every other failure may have been paid for. */
const UNWORKED = new Set([409, 425, 429, 503, 529]);

export function isPassingStatus(status: number): boolean {
  return status >= 500 || PASSING.has(status);
}

/** Of an answer after which one may try again: whether the request may have been worked on, and paid for, all the same. */
export function mayHaveBeenWorked(status: number): boolean {
  return !UNWORKED.has(status);
}

const TOO_LONG =
  /context[_ ](length|window|size)|prompt is too long|input is too long|too many (input |prompt )?tokens|token count .*exceeds/i;

/** In the words of the providers, of which none has a code for it. */
export function saysPromptIsTooLong(text: string): boolean {
  return TOO_LONG.test(text);
}

/**
 * How long the other side wants to be left alone: milliseconds (as OpenAI adds them), seconds, or an HTTP date. `now` is
 * what a date is measured against; NaN where no clock can be trusted for it.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  now: number,
): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers['retry-after'];
  if (typeof given !== 'string' || given.trim() === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return seconds < 0 ? undefined : Math.ceil(seconds * 1000);
  const wait = Date.parse(given) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
