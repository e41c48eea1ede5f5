import type { IncomingHttpHeaders } from 'node:http';

/** How long the provider wants to be left alone: seconds, an HTTP date, or the milliseconds that OpenAI adds. */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const exact = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers['retry-after'];
  if (given === undefined || given.trim() === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return seconds < 0 ? undefined : Math.ceil(seconds * 1000);
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
