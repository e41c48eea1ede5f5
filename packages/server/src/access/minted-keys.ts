import type { ApiKey, ApiKeys } from './api-keys.js';

/** Keys that a key made over HTTP, and those that these made in turn, oldest first. They are all of its tenant. */
export async function mintedBy(keys: ApiKeys, { prefix, tenant }: ApiKey): Promise<readonly ApiKey[]> {
  const all = await keys.list(tenant);
  const makers = new Set([`key:${prefix}`]);
  for (let before = 0; before !== makers.size; ) {
    before = makers.size;
    for (const { madeBy, prefix: made } of all)
      if (madeBy !== undefined && makers.has(madeBy)) makers.add(`key:${made}`);
  }
  return all
    .filter(({ madeBy }) => madeBy !== undefined && makers.has(madeBy))
    .sort((a, b) => a.createdAt - b.createdAt);
}

/** Revokes a key and then what it made: nothing new comes after that, because a key that is revoked makes none. */
export async function revokeWithMinted(keys: ApiKeys, key: ApiKey): Promise<Revoked> {
  const revoked = await keys.revoke(key.prefix);
  const minted: ApiKey[] = [];
  for (;;) {
    const working = (await mintedBy(keys, key)).filter(({ revokedAt }) => revokedAt === undefined);
    if (working.length === 0) return { key: revoked, minted };
    for (const { prefix } of working) minted.push(await keys.revoke(prefix));
  }
}

export interface Revoked {
  readonly key: ApiKey;
  /** Those that were revoked with it. */
  readonly minted: readonly ApiKey[];
}
