import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock, RecordKey, Store } from 'flyball';
import { ConfigError, FlyballError } from 'flyball';
import { type Log, SILENT } from '../log.js';
import { type ApiKey, type ApiKeys, isLive, type NewKey } from './api-keys.js';
import {
  digestOf,
  isPrefix,
  NO_DIGEST,
  newPrefix,
  newSecret,
  prefixOf,
  type Random,
  sameDigest,
} from './key-secret.js';
import { keyUses } from './key-uses.js';
import { checkedLabel, checkedScopes, checkedSubject, checkedTenant, SERVER_TENANT } from './names.js';
import type { Limits, Principal } from './principal.js';
import { changeRecord } from './records.js';

/** As it is stored: the key with the digests of its secrets, which nobody gets to see. */
interface StoredKey {
  readonly key: Omit<ApiKey, 'lastUsedAt'>;
  readonly tenant: string;
  readonly digest: string;
  /** Of the secret before the last rotation. */
  readonly before?: string;
}

const PLACE = { tenant: SERVER_TENANT, owner: 'access', collection: 'api-keys' } as const;
const MOST_GRACE = 30 * 86_400_000;

/**
 * Keys in a store that several processes share. Nothing is kept in memory between requests: a key that was revoked
 * anywhere is refused by the next request everywhere.
 */
export function apiKeys(store: Store, clock: Clock, options: { random?: Random; log?: Log } = {}): ApiKeys {
  const { random = randomBytes, log = SILENT } = options;
  const uses = keyUses(store, clock, log);
  const at = (prefix: string): RecordKey => ({ ...PLACE, key: prefix });
  const stored = async (prefix: string): Promise<StoredKey | undefined> =>
    (await store.get(at(prefix)))?.value as StoredKey | undefined;
  const shown = async ({ key }: StoredKey): Promise<ApiKey> => {
    const lastUsedAt = await uses.last(key.prefix);
    return { ...key, ...(lastUsedAt === undefined ? {} : { lastUsedAt }) };
  };
  const change = async (prefix: string, make: (before: StoredKey) => StoredKey): Promise<StoredKey> => {
    const { value } = await changeRecord(store, at(prefix), {
      id: randomUUID(),
      now: clock.now(),
      make: (current) => make((current?.value as StoredKey | undefined) ?? refuseUnknown()),
    });
    return value as StoredKey;
  };

  return {
    async create(asked) {
      const key = newKey(asked, { prefix: newPrefix(random), now: clock.now() });
      const secret = newSecret(key.prefix, random);
      const value: StoredKey = { key, tenant: key.tenant, digest: digestOf(secret) };
      await store.propose(at(key.prefix), { id: 'create', over: 0, value, now: key.createdAt });
      await store.commit(at(key.prefix), 'create', key.createdAt);
      return { key, secret };
    },

    async list(tenant) {
      const found: ApiKey[] = [];
      for await (const each of allKeys(store, tenant)) found.push(await shown(each));
      return found;
    },

    async get(prefix) {
      const found = isPrefix(prefix) ? await stored(prefix) : undefined;
      return found === undefined ? undefined : shown(found);
    },

    async rotate(prefix, graceMs) {
      if (!(graceMs >= 0 && graceMs <= MOST_GRACE))
        throw new ConfigError('The grace period of the old secret must be 0 to 30 days.');
      if (!isPrefix(prefix)) refuseUnknown();
      const secret = newSecret(prefix, random);
      const made = await change(prefix, (before) => rotated(before, { secret, graceMs, now: clock.now() }));
      return { key: await shown(made), secret };
    },

    async revoke(prefix) {
      if (!isPrefix(prefix)) refuseUnknown();
      // revoked twice is revoked when it first was
      return shown(await change(prefix, (before) => ({ ...before, key: { revokedAt: clock.now(), ...before.key } })));
    },

    async principalOf(secret) {
      const prefix = prefixOf(secret);
      // what cannot be a key is looked up and compared like one, so that the time tells nothing
      const found = await stored(prefix ?? '--------');
      const digest = digestOf(secret);
      const isCurrent = sameDigest(digest, found?.digest ?? NO_DIGEST);
      const isBefore = sameDigest(digest, found?.before ?? NO_DIGEST);
      const now = clock.now();
      if (found === undefined || !isLive(found.key, now)) return undefined;
      if (!isCurrent && !(isBefore && (found.key.graceUntil ?? 0) > now)) return undefined;
      uses.note(found.key.prefix, now);
      return principalFor(found.key);
    },

    ...existence(store, clock),
  };
}

function existence(store: Store, clock: Clock): Pick<ApiKeys, 'any' | 'anyLive'> {
  return {
    async any() {
      // keys that have ended stay where they are
      return (await store.query({ ...PLACE, limit: 1 })).records.length > 0;
    },

    async anyLive() {
      for await (const { key } of allKeys(store)) if (isLive(key, clock.now())) return true;
      return false;
    },
  };
}

async function* allKeys(store: Store, tenant?: string): AsyncGenerator<StoredKey> {
  const where = tenant === undefined ? {} : { where: { tenant } };
  for (let cursor: string | undefined; ; ) {
    const page = await store.query({ ...PLACE, ...where, ...(cursor === undefined ? {} : { cursor }) });
    for (const { value } of page.records) yield value as StoredKey;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}

function newKey(asked: NewKey, { prefix, now }: { readonly prefix: string; readonly now: number }): ApiKey {
  const { expiresAt } = asked;
  if (expiresAt !== undefined && !(Number.isSafeInteger(expiresAt) && expiresAt > now))
    throw new ConfigError('The expiration date of a key must be in the future.');
  const name = checkedLabel('name of a key', asked.name);
  return {
    prefix,
    name,
    tenant: checkedTenant(asked.tenant),
    subject: checkedSubject(asked.subject ?? name),
    scopes: checkedScopes(asked.scopes),
    limits: checkedLimits(asked.limits ?? {}),
    ...(asked.account === undefined ? {} : { account: asked.account }),
    ...(asked.makers === undefined ? {} : { makers: asked.makers }),
    ...(asked.madeBy === undefined ? {} : { madeBy: asked.madeBy }),
    createdAt: now,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function checkedLimits({ requestsPerMinute, costUsdPerDay }: Limits): Limits {
  if (requestsPerMinute !== undefined && !(requestsPerMinute >= 1 && requestsPerMinute <= 1e6))
    throw new ConfigError('The limit of a key must be 1 to 1,000,000 requests per minute.');
  if (costUsdPerDay !== undefined && !(costUsdPerDay >= 0 && costUsdPerDay <= 1e9))
    throw new ConfigError('The cost limit of a key must be 0 or more US dollars per day.');
  return {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(costUsdPerDay === undefined ? {} : { costUsdPerDay }),
  };
}

function rotated(
  { key, tenant, digest }: StoredKey,
  { secret, graceMs, now }: { readonly secret: string; readonly graceMs: number; readonly now: number },
): StoredKey {
  if (!isLive(key, now)) throw new ConfigError('The key was revoked or has expired. Create a new one.');
  const { graceUntil: _, ...rest } = key;
  const grace = graceMs === 0 ? {} : { graceUntil: now + graceMs };
  return {
    key: { ...rest, rotatedAt: now, ...grace },
    tenant,
    digest: digestOf(secret),
    ...(graceMs === 0 ? {} : { before: digest }), // one step back at most: the secret before that is gone now
  };
}

function principalFor(key: Omit<ApiKey, 'lastUsedAt'>): Principal {
  const { prefix, tenant, subject, scopes, limits, account, makers, expiresAt } = key;
  return {
    ...{ id: `key:${prefix}`, kind: 'key', tenant, subject, scopes, limits },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(account === undefined ? {} : { account }),
    ...(makers === undefined ? {} : { makers }),
  };
}

function refuseUnknown(): never {
  throw new FlyballError('INPUT_INVALID', 'There is no key with this prefix. List the keys to find it.');
}
