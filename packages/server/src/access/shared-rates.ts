import { randomUUID } from 'node:crypto';
import type { Clock, Engine, Host } from 'flyball';
import type { Log } from '../log.js';
import type { RateLimiter } from './rate-limiter.js';

/** How long servers may not know of each other's requests, and how long what one said holds. */
const EVERY_MS = 1_000;
const HOLDS_MS = 60_000;
const MOST_SERVERS = 1_000;

export interface SharedRates extends RateLimiter {
  /** Takes back what this server has said. */
  close(): Promise<void>;
}

export interface SharedParts {
  readonly engine: Pick<Engine, 'announce' | 'workers'>;
  readonly clock: Clock;
  readonly host: Host;
  readonly log: Log;
}

/**
 * Limits that hold for all servers on one database together. Each says once a second how much it has let through, and
 * counts what the others say: in that second more may pass than the limit, and that much less passes after it. Nobody
 * waits for storage, and without it each server counts for itself.
 */
export function shareRates(rates: RateLimiter, { engine, clock, host, log }: SharedParts): SharedRates {
  const id = `requests-${randomUUID()}`;
  const seen = new Map<string, Readonly<Record<string, number>>>();
  const since = clock.now();
  let isClosed = false;
  let next: (() => void) | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;

  const say = (requests: Readonly<Record<string, number>>, forMs: number): Promise<void> =>
    engine.announce({ id, owner: host.owner(), agents: {}, since, requests }, { now: clock.now(), forMs });
  const exchange = async (): Promise<void> => {
    await say(rates.taken(), HOLDS_MS);
    for (const { id: other, requests, since: begun = 0 } of await engine.workers(clock.now())) {
      if (requests === undefined || other === id) continue;
      // what one that is met for the first time let through long ago is no longer counted
      const before = seen.get(other) ?? (clock.now() - begun > HOLDS_MS ? requests : {});
      for (const [bucket, taken] of Object.entries(requests)) {
        const more = taken - (Object.hasOwn(before, bucket) ? (before[bucket] ?? 0) : 0);
        if (more > 0) rates.hear(bucket, more);
      }
      if (seen.size >= MOST_SERVERS) seen.clear();
      seen.set(other, { ...before, ...requests });
    }
  };
  const soon = (): void => {
    if (isClosed || next !== undefined || Object.keys(rates.taken()).length === 0) return;
    const waitMs = Math.max(0, lastAt + EVERY_MS - clock.monotonic());
    next = clock.after(
      waitMs,
      () => {
        lastAt = clock.monotonic();
        exchange()
          .catch((error: unknown) =>
            log.warn('request counts were not exchanged with other servers', { error: String(error) }),
          )
          .finally(() => {
            next = undefined;
            soon();
          });
      },
      { keepAlive: false },
    );
  };
  return {
    ...rates,
    get size() {
      return rates.size;
    },
    take(principal, count) {
      try {
        return rates.take(principal, count);
      } finally {
        soon();
      }
    },
    async close() {
      isClosed = true;
      next?.();
      if (lastAt > Number.NEGATIVE_INFINITY) await say({}, 0);
    },
  };
}
