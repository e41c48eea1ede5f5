import { ConfigError } from 'flyball';
import type { JWTPayload, JWTVerifyGetKey, KeyInput } from 'jose';
import { Problem } from '../problem.js';
import type { JwtKey } from './jwt-key.js';
import { KeysNotFetched, verificationKey } from './jwt-keys.js';
import { isScope, isSubject, isTenant } from './names.js';
import type { Principal } from './principal.js';

/** How JWTs are verified. */
export interface JwtOptions {
  readonly key: JwtKey;
  /** Required in every token where given. */
  readonly issuer?: string;
  readonly audience?: string;
  /** The claim that names the tenant; `tenant` where absent. A token without it is refused. */
  readonly tenantClaim?: string;
  /** How far clocks may differ; 30 s where absent. */
  readonly clockToleranceS?: number;
  readonly now?: () => number;
}

export type JwtVerifier = (token: string) => Promise<Principal | undefined>;

const MOST_CHARACTERS = 8192;
const MOST_SCOPES = 100;

/**
 * Checks signed tokens that somebody else issues. Which algorithms count is decided by the kind of key that was
 * configured and never by the token: a token cannot choose how it is verified.
 */
export async function jwtVerifier(options: JwtOptions): Promise<JwtVerifier> {
  const { issuer, audience, tenantClaim = 'tenant', clockToleranceS = 30, now = Date.now } = options;
  if (!(clockToleranceS >= 0 && clockToleranceS <= 300))
    throw new ConfigError('The allowed clock difference must be 0 to 300 seconds.');
  const jose = await import('jose');
  const { key, algorithms } = await verificationKey(jose, options.key);
  return async (token) => {
    if (token.length > MOST_CHARACTERS) return undefined;
    try {
      const { payload, protectedHeader } = await jose.jwtVerify(token, key as KeyInput | JWTVerifyGetKey, {
        algorithms: [...algorithms],
        requiredClaims: ['exp', 'sub', tenantClaim],
        clockTolerance: clockToleranceS,
        currentDate: new Date(now()),
        ...(issuer === undefined ? {} : { issuer }),
        ...(audience === undefined ? {} : { audience }),
      });
      // a token that names whom it is for was not made for a server that has no name
      if (audience === undefined && payload.aud !== undefined) return undefined;
      // nothing is critical to us that we would understand
      return protectedHeader.crit === undefined ? principalFrom(payload, tenantClaim) : undefined;
    } catch (error) {
      if (!isUnreachable(error)) return undefined;
      throw keysUnreachable(error);
    }
  };
}

function principalFrom(payload: JWTPayload, tenantClaim: string): Principal | undefined {
  const { sub } = payload;
  const tenant = Object.hasOwn(payload, tenantClaim) ? payload[tenantClaim] : undefined;
  const scopes = scopesFrom(payload);
  if (!isTenant(tenant) || !isSubject(sub) || scopes === undefined) return undefined;
  const { exp = 0 } = payload;
  const expiresAt = Math.floor(Math.min(exp * 1000, Number.MAX_SAFE_INTEGER)); // no key that it makes outlives it
  return { id: `jwt:${sub}`, kind: 'jwt', tenant, subject: sub, scopes, limits: {}, expiresAt };
}

/** From `scope`, words in one text (RFC 8693), or from a list `scopes`; undefined where they are neither. */
function scopesFrom({ scope, scopes }: JWTPayload): readonly string[] | undefined {
  const words = typeof scope === 'string' ? scope.split(' ').filter((word) => word !== '') : scope;
  const given = words ?? scopes ?? [];
  return Array.isArray(given) && given.length <= MOST_SCOPES && given.every(isScope) ? given : undefined;
}

/** What is wrong between us and the keys. All else is wrong with the token, or with the key that it names. */
const UNREACHABLE: ReadonlySet<unknown> = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC']);

function isUnreachable(error: unknown): boolean {
  return error instanceof KeysNotFetched || UNREACHABLE.has((error as { readonly code?: unknown } | undefined)?.code);
}

function keysUnreachable(cause: unknown): Problem {
  return new Problem(503, 'BUSY', 'The keys to verify tokens cannot be fetched.', {
    retryable: true,
    cause,
  });
}
