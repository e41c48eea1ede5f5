import { ConfigError } from '../../core/errors.js';
import type { SeamContext } from '../../core/seams.js';
import type { Clock } from '../../ports/clock.js';
import { PASS, refuse, type ToolGuard } from './guard-answer.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Tool calls of one subject. Windows slide: a call counts for exactly a minute, and for exactly a second. */
export interface RateLimit {
  readonly perMinute: number;
  /** Within one second. */
  readonly burst: number;
  /** How many subjects are remembered at once. */
  readonly maxSubjects?: number;
}

/** The rate limit that `governance` uses by default. */
export const DEFAULT_RATE_LIMIT: Required<RateLimit> = { perMinute: 60, burst: 10, maxSubjects: 10_000 };

/**
 * Holds at most `maxSubjects` times `perMinute` times. A full table refuses new subjects instead of forgetting active
 * ones, whose limit would begin anew with that. Lives in this process: a restart begins with empty windows.
 */
export function rateLimitGuard(limit: RateLimit, clock: Pick<Clock, 'monotonic'>): ToolGuard {
  const { perMinute, burst, maxSubjects } = checked(limit);
  const calls = new Map<string, number[]>();
  return {
    name: 'rate-limit',
    counts: true,
    check(_call, ctx) {
      const now = clock.monotonic();
      const key = keyOf(ctx);
      if (!calls.has(key) && calls.size >= maxSubjects) forgetIdle(calls, now);
      if (!calls.has(key) && calls.size >= maxSubjects) {
        return refuse(
          'rate-limit',
          `More than ${maxSubjects} subjects call tools at this time. Try again in a minute.`,
        );
      }
      const recent = (calls.get(key) ?? []).filter((at) => at > now - MINUTE);
      const waitMs = waitFor({ recent, now, perMinute, burst });
      if (waitMs === 0) recent.push(now);
      calls.set(key, recent);
      return waitMs === 0 ? PASS : refuse('rate-limit', sentence({ perMinute, burst, waitMs }));
    },
  };
}

/** How long until both windows have room again; 0 when they have it now. */
function waitFor(at: {
  readonly recent: readonly number[];
  readonly now: number;
  readonly perMinute: number;
  readonly burst: number;
}): number {
  const { recent, now, perMinute, burst } = at;
  const blocking = (most: number): number | undefined => (recent.length < most ? undefined : recent.at(-most));
  const minute = blocking(perMinute);
  const second = blocking(burst);
  return Math.max(
    minute === undefined ? 0 : minute + MINUTE - now,
    second === undefined ? 0 : second + SECOND - now,
    0, // a call longer ago than its window leaves a negative wait
  );
}

function sentence(at: { readonly perMinute: number; readonly burst: number; readonly waitMs: number }): string {
  const seconds = Math.max(1, Math.ceil(at.waitMs / SECOND));
  return `Too many tool calls: ${at.perMinute} a minute and ${at.burst} a second are allowed. Try again in ${seconds} s, or make fewer calls.`;
}

function forgetIdle(calls: Map<string, number[]>, now: number): void {
  for (const [key, times] of calls) if ((times.at(-1) ?? 0) <= now - MINUTE) calls.delete(key);
}

function keyOf({ tenant, subject }: SeamContext): string {
  return JSON.stringify([tenant, subject]); // joined by a separator, two subjects could share a key
}

function checked({ perMinute, burst, maxSubjects }: RateLimit): Required<RateLimit> {
  const complete = { perMinute, burst, maxSubjects: maxSubjects ?? DEFAULT_RATE_LIMIT.maxSubjects };
  for (const [name, value] of Object.entries(complete)) {
    if (!(Number.isInteger(value) && value >= 1))
      throw new ConfigError(`Rate limit: ${name} must be a whole number of at least 1, got ${String(value)}.`);
  }
  return complete;
}
