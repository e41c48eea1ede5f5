import type { Account, Limits, Principal } from './principal.js';

/** A key as anybody may see it: its prefix says which one it is, its secret is known to its holder only. */
export interface ApiKey {
  /** Eight letters and digits, at the front of the key. */
  readonly prefix: string;
  readonly name: string;
  readonly tenant: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly limits: Limits;
  /** Against whose limits it counts as well: the credential that made it, or the one that made that. */
  readonly account?: Account;
  /** Those between that one and this, oldest first: it counts against their limits as well. */
  readonly makers?: readonly Account[];
  /** The credential that made it, over HTTP, as `Principal.id`. */
  readonly madeBy?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly rotatedAt?: number;
  /** Until when the secret before the last rotation still works. */
  readonly graceUntil?: number;
  /** To the minute. */
  readonly lastUsedAt?: number;
}

/** An API key to create. */
export interface NewKey {
  readonly name: string;
  readonly tenant: string;
  /** Who the key speaks for; its name where absent. */
  readonly subject?: string;
  readonly scopes: readonly string[];
  readonly limits?: Limits;
  readonly account?: Account;
  readonly makers?: readonly Account[];
  readonly madeBy?: string;
  readonly expiresAt?: number;
}

/** Keys in the store: as hashes only. */
export interface ApiKeys {
  /** The one time that the secret is told. */
  create(key: NewKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  list(tenant?: string): Promise<readonly ApiKey[]>;
  get(prefix: string): Promise<ApiKey | undefined>;
  /** A new secret under the same prefix; the old one works for `graceMs` more. */
  rotate(prefix: string, graceMs: number): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  revoke(prefix: string): Promise<ApiKey>;
  /** Who presents this secret; undefined for one that is unknown, revoked or over. Takes the same time for all of them. */
  principalOf(secret: string): Promise<Principal | undefined>;
  /** Whether a key was ever created. From then on nobody is let in without one, also when no key works any more. */
  any(): Promise<boolean>;
  /** Whether there is a key that works. */
  anyLive(): Promise<boolean>;
}

/** Whether somebody who presents its secret is let in. */
export function isLive({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}
