import { isIPv6 } from 'node:net';
import type { Clock } from 'flyball';
import { Problem } from '../problem.js';

const MINUTE = 60_000;
const MOST_ADDRESSES = 10_000;
const MOST_GOOD = 1_000;

export interface Failures {
  /** Rejects with 429 where the address has failed too often and the credential is not known to be good. */
  check(remote: string, credential: string): void;
  note(remote: string): void;
  /** The credential was good. */
  forgive(credential: string): void;
  /** For tests: addresses and credentials remembered. */
  readonly size: number;
}

/** Failed credentials by address, in windows of a minute, in bounded memory. Credentials are named by their digests. */
export function failures(perMinute: number, clock: Pick<Clock, 'monotonic'>): Failures {
  const failed = new Map<string, { count: number; readonly since: number }>();
  const good = new Map<string, number>();
  const windowOf = (remote: string, now: number) => {
    const found = failed.get(remote);
    return found !== undefined && now - found.since < MINUTE ? found : undefined;
  };
  return {
    get size() {
      return failed.size + good.size;
    },
    check(remote, credential) {
      const now = clock.monotonic();
      const found = windowOf(networkOf(remote), now);
      if (found === undefined || found.count < perMinute) return;
      if (now - (good.get(credential) ?? Number.NEGATIVE_INFINITY) < 10 * MINUTE) return;
      throw guessing(Math.ceil((found.since + MINUTE - now) / 1000));
    },
    note(remote) {
      const now = clock.monotonic();
      const network = networkOf(remote);
      const found = windowOf(network, now);
      if (found !== undefined) {
        found.count += 1;
        return;
      }
      failed.delete(network); // so that the order of the map is that of the windows
      dropOldest(failed, MOST_ADDRESSES);
      failed.set(network, { count: 1, since: now });
    },
    forgive(credential) {
      good.delete(credential);
      dropOldest(good, MOST_GOOD);
      good.set(credential, clock.monotonic());
    },
  };
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size < most) return;
    map.delete(key);
  }
}

/** Whoever has one address of IPv6 has all of its network: the first four groups. */
function networkOf(remote: string): string {
  if (!isIPv6(remote) || remote.startsWith('::ffff:')) return remote;
  const [head = '', tail = ''] = remote.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === '' ? [] : tail.split(':');
  const missing = remote.includes('::') ? Array.from({ length: 8 - groups.length - rest.length }, () => '0') : [];
  return [...groups, ...missing, ...rest].slice(0, 4).join(':');
}

function guessing(seconds: number): Problem {
  return new Problem(429, 'RATE_LIMITED', 'Too many invalid credentials from this address.', {
    retryable: true,
    next: `Check the credential and try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  });
}
