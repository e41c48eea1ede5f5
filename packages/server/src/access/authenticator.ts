import { createHash } from 'node:crypto';
import type { Clock } from 'flyball';
import { Problem } from '../problem.js';
import type { ServerSettings } from '../settings.js';
import type { ApiKeys } from './api-keys.js';
import { isForwarded } from './client-address.js';
import { failures } from './failures.js';
import type { JwtVerifier } from './jwt.js';
import type { Principal } from './principal.js';

export interface AuthenticatorParts {
  readonly keys: Pick<ApiKeys, 'principalOf' | 'any'>;
  readonly jwt?: JwtVerifier | undefined;
  readonly settings: Pick<ServerSettings, 'open' | 'failuresPerMinute'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

export type Authenticator = (headers: Headers, remote: string) => Promise<Principal>;

/** Who everybody is on a server without keys, which only this machine can reach. */
export const LOCAL: Principal = {
  id: 'local',
  kind: 'local',
  tenant: 'default',
  subject: 'local',
  scopes: ['*', 'workers:control'],
  limits: {},
};

/** For how long it is believed that there is no key yet. */
const BELIEVED_MS = 1_000;

/**
 * Who makes a request. Whatever is wrong with a credential is told in the same words, and an address that tries too
 * many of them is no longer heard, except with one that was good a moment ago: somebody who guesses behind the same
 * address must not be able to shut the others out.
 */
export function authenticator({ keys, jwt, settings, clock }: AuthenticatorParts): Authenticator {
  const failed = failures(settings.failuresPerMinute, clock);
  const isOpen = openUntil(keys.any, clock);
  const principalOf = async (token: string): Promise<Principal | undefined> =>
    token.startsWith('fb_') || jwt === undefined ? keys.principalOf(token) : jwt(token);
  return async (headers, remote) => {
    const given = headers.get('authorization');
    // whoever presents a credential is held to it, also where none is needed
    if (given === null) {
      if (!settings.open || jwt !== undefined || !(await isOpen()))
        throw unauthenticated('This request requires a credential.');
      if (isForwarded(headers))
        throw unauthenticated('This request came through a proxy, so it requires a credential.');
      return LOCAL;
    }
    const token = bearerOf(given);
    const name = createHash('sha256')
      .update(token ?? given)
      .digest('base64url');
    failed.check(remote, name);
    const principal = token === undefined ? undefined : await principalOf(token);
    if (principal === undefined) {
      failed.note(remote);
      throw unauthenticated('The credential is not valid.');
    }
    failed.forgive(name);
    return principal;
  };
}

/** Asks every second until there is a key, and never again: no end of a key makes the server open. */
function openUntil(anyKey: () => Promise<boolean>, clock: Pick<Clock, 'now'>): () => Promise<boolean> {
  let isClosed = false;
  let known: { readonly answer: Promise<boolean>; readonly until: number } | undefined;
  return async () => {
    if (isClosed) return false;
    const now = clock.now();
    if (known === undefined || known.until <= now) known = { answer: anyKey(), until: now + BELIEVED_MS };
    const { answer } = known;
    const found = await answer.catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    if (found) isClosed = true;
    return !isClosed;
  };
}

/** The token of `Authorization: Bearer …`; undefined for any other scheme and for anything that is no token. */
function bearerOf(given: string): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/=-]{1,8192})$/i.exec(given)?.[1];
}

function unauthenticated(detail: string): Problem {
  return new Problem(401, 'UNAUTHENTICATED', detail, {
    next: 'Send an API key of this server: Authorization: Bearer <key>. Create one with: flyball keys create',
    headers: { 'www-authenticate': 'Bearer realm="flyball"' },
  });
}
