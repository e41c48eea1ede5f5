import type { Clock } from 'flyball';
import { Problem } from '../problem.js';
import type { ServerSettings } from '../settings.js';
import { accountsOf, type Principal } from './principal.js';

const MINUTE = 60_000;
/** Buckets kept at once. A full one says nothing that a new one would not say, and is dropped first. */
const MOST_BUCKETS = 10_000;
/**
 * What a bucket can owe for what others let through, in minutes of its limit: whatever they say, it has something again
 * after that. Owing no more than one would be too little for many servers, which all let something through at once.
 */
const MOST_OWED_MINUTES = 10;

interface Bucket {
  readonly limit: number;
  /** Less than none where others have let more through than they knew of. */
  tokens: number;
  at: number;
  taken: number;
}

export interface RateLimiter {
  /** Counts one request, or as many, or rejects with 429 and counts nothing. Headers for the answer. */
  take(
    principal: Pick<Principal, 'id' | 'tenant' | 'limits' | 'account' | 'makers'>,
    count?: number,
  ): Readonly<Record<string, string>>;
  /** For tests: how many buckets are kept. */
  readonly size: number;
  /** What was taken here in all, by bucket: of those that are not full. */
  taken(): Readonly<Record<string, number>>;
  /** Another server has let so many through. */
  hear(bucket: string, count: number): void;
}

/**
 * Requests a minute, for each principal together with all keys that it made and that these made, and for its tenant. Every
 * one that made a key is charged: with the first alone, one in between would get as many requests as it makes keys.
 */
export function rateLimiter(
  settings: Pick<ServerSettings, 'tenantLimits' | 'tenants'>,
  clock: Pick<Clock, 'monotonic'>,
): RateLimiter {
  const buckets = new Map<string, Bucket>();
  /** What others let through of which nobody has asked here yet. */
  const heard = new Map<string, { readonly count: number; readonly at: number }>();
  const bucketFor = (name: string, limit: number, now: number): Bucket => {
    const found = buckets.get(name);
    if (found !== undefined && found.limit === limit) return refilled(found, now);
    if (buckets.size >= MOST_BUCKETS) makeRoom(buckets, now);
    const { count = 0, at = now } = heard.get(name) ?? {};
    heard.delete(name);
    const made = { limit, tokens: owing(limit, limit - count), at, taken: found?.taken ?? 0 };
    buckets.set(name, made);
    return refilled(made, now);
  };
  return {
    get size() {
      return buckets.size;
    },
    take(principal, count = 1) {
      const { tenant } = principal;
      const now = clock.monotonic();
      const ofTenant = limitsOf(settings, tenant).requestsPerMinute;
      const asked = [
        ...accountsOf(principal).flatMap(({ id, limits: { requestsPerMinute: own } }) =>
          own === undefined ? [] : [bucketFor(JSON.stringify([tenant, id]), own, now)],
        ),
        ...(ofTenant === undefined ? [] : [bucketFor(tenant, ofTenant, now)]),
      ];
      const empty = asked.filter(({ tokens }) => tokens < count);
      if (empty.length > 0) throw tooMany(empty, count);
      for (const bucket of asked) {
        bucket.tokens -= count;
        bucket.taken += count;
      }
      const tightest = asked.toSorted((a, b) => a.tokens - b.tokens)[0];
      return tightest === undefined ? {} : headersOf(tightest);
    },
    taken() {
      const now = clock.monotonic();
      const used = [...buckets].filter(([, bucket]) => refilled(bucket, now).tokens < bucket.limit);
      return Object.fromEntries(used.map(([name, { taken }]) => [name, taken]));
    },
    hear(name, count) {
      const now = clock.monotonic();
      const bucket = buckets.get(name);
      if (bucket !== undefined) bucket.tokens = owing(bucket.limit, refilled(bucket, now).tokens - count);
      else if (heard.size < MOST_BUCKETS) heard.set(name, { count: (heard.get(name)?.count ?? 0) + count, at: now });
    },
  };
}

function owing(limit: number, tokens: number): number {
  return Math.max(tokens, -limit * MOST_OWED_MINUTES);
}

/** What a tenant may do: its own limits, or those of all that are not named. */
export function limitsOf(
  { tenants, tenantLimits }: Pick<ServerSettings, 'tenantLimits' | 'tenants'>,
  tenant: string,
): ServerSettings['tenantLimits'] {
  return Object.hasOwn(tenants, tenant) ? (tenants[tenant] ?? tenantLimits) : tenantLimits;
}

function refilled(bucket: Bucket, now: number): Bucket {
  const passed = Math.max(0, now - bucket.at);
  bucket.tokens = Math.min(bucket.limit, bucket.tokens + (passed * bucket.limit) / MINUTE);
  bucket.at = now;
  return bucket;
}

/** Idle buckets go; where there are none, those that were used longest ago. */
function makeRoom(buckets: Map<string, Bucket>, now: number): void {
  for (const [name, bucket] of buckets) if (refilled(bucket, now).tokens >= bucket.limit) buckets.delete(name);
  for (const name of buckets.keys()) {
    if (buckets.size < MOST_BUCKETS) return;
    buckets.delete(name);
  }
}

function headersOf({ limit, tokens }: Bucket): Readonly<Record<string, string>> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(0, Math.floor(tokens))),
    'ratelimit-reset': String(Math.ceil((limit - tokens) / (limit / 60))),
  };
}

function tooMany(empty: readonly Bucket[], count: number): Problem {
  const [slowest] = empty.toSorted((a, b) => secondsUntil(b, count) - secondsUntil(a, count));
  const seconds = slowest === undefined ? 1 : secondsUntil(slowest, count);
  if (slowest !== undefined && slowest.limit <= 0)
    return new Problem(429, 'RATE_LIMITED', 'This credential is not allowed to send requests.', {
      next: 'Ask for a higher request limit.',
    });
  if (slowest !== undefined && slowest.limit < count)
    return new Problem(
      429,
      'RATE_LIMITED',
      `${count} requests at once exceed the limit per minute (${slowest.limit}).`,
      {
        next: 'Send fewer at once.',
      },
    );
  const headers = { ...(slowest === undefined ? {} : headersOf(slowest)), 'retry-after': String(seconds) };
  return new Problem(429, 'RATE_LIMITED', `Too many requests per minute (limit: ${slowest?.limit ?? 0}).`, {
    retryable: true,
    next: `Try again in ${seconds} s.`,
    headers,
  });
}

function secondsUntil({ limit, tokens }: Bucket, count: number): number {
  return Math.max(1, Math.ceil((count - tokens) / (limit / 60)));
}
