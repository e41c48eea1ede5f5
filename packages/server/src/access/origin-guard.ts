import { isIP } from 'node:net';
import { parsedUrl } from 'flyball/internal';
import { Problem } from '../problem.js';
import { isLoopback, type ServerSettings } from '../settings.js';

export interface OriginGuard {
  /** Rejects with 403 what came under a name that is not this server's, or from a page that is not let in. */
  check(headers: Headers): void;
  /** Headers that let a page of a named origin read the answer; none for anybody else. */
  cors(headers: Headers): Readonly<Record<string, string>>;
  /** The answer to a preflight; undefined for what is none. */
  preflight(request: Pick<Request, 'method' | 'headers'>): Response | undefined;
}

type Settings = Pick<ServerSettings, 'host' | 'hosts' | 'origins'>;

const METHODS = 'GET, POST, DELETE';
const REQUEST_HEADERS = 'authorization, content-type, idempotency-key, last-event-id';
const ANSWER_HEADERS =
  'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, idempotent-replayed';

/**
 * A browser sends requests for pages of strangers, too. Two of its headers cannot be forged by a page: `Host` is a
 * name of the page's own where a name was rebound to this address, and `Origin` says whose page it is.
 */
export function originGuard(settings: Settings): OriginGuard {
  const origins = new Set(settings.origins.map(normalOrigin));
  const hosts = new Set(settings.hosts.map((host) => host.toLowerCase()));
  const isNamed = (origin: string | null): origin is string => origin !== null && origins.has(origin.toLowerCase());
  return {
    check(headers) {
      const host = headers.get('host');
      if (host === null || !isOwnHost(host.toLowerCase(), settings.host, hosts)) throw foreignHost();
      const origin = headers.get('origin');
      if (origin !== null && !isNamed(origin) && !isSame(origin, host)) throw foreignOrigin();
    },
    cors(headers) {
      const origin = headers.get('origin');
      if (!isNamed(origin)) return origins.size === 0 ? {} : { vary: 'origin' };
      // no credentials: a key is sent by the page itself, and cookies there are none
      return {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': ANSWER_HEADERS,
        vary: 'origin',
      };
    },
    preflight({ method, headers }) {
      if (method !== 'OPTIONS' || !headers.has('access-control-request-method')) return undefined;
      if (!isNamed(headers.get('origin'))) throw foreignOrigin();
      return new Response(null, {
        status: 204,
        headers: {
          'access-control-allow-methods': METHODS,
          'access-control-allow-headers': REQUEST_HEADERS,
          'access-control-max-age': '600',
        },
      });
    },
  };
}

function normalOrigin(origin: string): string {
  return parsedUrl(origin)?.origin ?? origin.toLowerCase();
}

const EVERYWHERE = new Set(['0.0.0.0', '::', '[::]']);

function isOwnHost(header: string, bound: string, named: ReadonlySet<string>): boolean {
  if (named.has(header)) return true;
  const name = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(header)?.[1];
  if (name === undefined) return false;
  const bare = name.replaceAll(/[[\]]/g, '');
  if (named.has(name) || isLoopback(name) || bare === bound.toLowerCase().replaceAll(/[[\]]/g, '')) return true;
  // bound to every address of the machine: an address is no name that could have been rebound
  return EVERYWHERE.has(bound) && isIP(bare) !== 0;
}

/** The page came from this very server. The scheme is left out: TLS may end in front of us. */
function isSame(origin: string, host: string): boolean {
  if (parsedUrl(origin) === undefined) return false;
  const { protocol, host: from } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && from === host.toLowerCase();
}

function foreignHost(): Problem {
  return new Problem(403, 'ORIGIN_REFUSED', 'This server does not accept this host name.', {
    next: 'Use its address, or add the name to the setting hosts (--name).',
  });
}

function foreignOrigin(): Problem {
  return new Problem(403, 'ORIGIN_REFUSED', 'Pages of this origin are not allowed.', {
    next: 'Add the origin to the setting origins (--origin).',
  });
}
