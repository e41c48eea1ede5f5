import type { Clock, MediaPart, Store } from 'flyball';
import { hashOf, isMediaPart } from 'flyball/internal';
import { SERVER_TENANT } from '../access/names.js';
import type { Principal } from '../access/principal.js';
import { changeRecord } from '../access/records.js';
import { sweeper } from '../access/sweeper.js';
import type { Log } from '../log.js';
import { Problem } from '../problem.js';

const COLLECTION = 'contents';
/** What no run has used by then is gone. A run that uses it has it in its journal. */
const KEPT_MS = 86_400_000;

interface Uploaded {
  readonly part: MediaPart;
  /** Who sent it. */
  readonly by: string;
  readonly until: number;
}

/** Images and files that a client has sent ahead, by the hash of their bytes. Each tenant sees its own. */
export interface Contents {
  keep(principal: Principal, part: MediaPart): Promise<{ readonly hash: string; readonly until: number }>;
  /** The input of a run with the bytes of what it only names by hash. Rejects with a 404 for what is not there. */
  filled(principal: Principal, input: unknown): Promise<unknown>;
}

export function openContents({ store, clock, log }: { store: Store; clock: Clock; log: Log }): Contents {
  const at = (tenant: string, hash: string) => ({
    tenant: SERVER_TENANT,
    owner: tenant,
    collection: COLLECTION,
    key: hash,
  });
  const isOver = (value: unknown): boolean => (value as Uploaded).until <= clock.now();
  const sweep = sweeper(store, clock, { collection: COLLECTION, log, isOver });
  const find = async ({ tenant }: Principal, hash: string): Promise<MediaPart> => {
    const found = (await store.get(at(tenant, hash)))?.value;
    if (found === undefined || isOver(found))
      throw new Problem(404, 'NOT_FOUND', `There is no content ${hash}.`, {
        next: 'Upload it with POST /v1/contents first. Uploads are kept for a day.',
      });
    return (found as Uploaded).part;
  };
  return {
    async keep(principal, part) {
      const hash = hashOf(part);
      const until = clock.now() + KEPT_MS;
      const value: Uploaded = { part, by: principal.subject, until };
      const id = `upload-${until}-${principal.subject}`;
      await changeRecord(store, at(principal.tenant, hash), { id, now: clock.now(), make: () => value });
      sweep(principal.tenant);
      return { hash, until };
    },
    filled: (principal, input) => fill(input, (hash) => find(principal, hash)),
  };
}

/** Deeper than this no input goes: bodies are bounded before. */
async function fill(value: unknown, find: (hash: string) => Promise<MediaPart>): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((one) => fill(one, find)));
  if (isReference(value)) {
    const { name, ...part } = await find(value.hash);
    const shown = value.name ?? name;
    return { ...part, ...(shown === undefined ? {} : { name: shown }) };
  }
  if (isMediaPart(value)) return value;
  const filled = await Promise.all(
    Object.entries(value).map(async ([key, member]) => [key, await fill(member, find)] as const),
  );
  return Object.fromEntries(filled);
}

interface Reference {
  readonly type: MediaPart['type'];
  readonly hash: string;
  readonly name?: string;
}

function isReference(value: object): value is Reference {
  const { type, hash, data, name } = value as Readonly<Record<string, unknown>>;
  const isMedia = type === 'image' || type === 'audio' || type === 'file';
  const isNamed = name === undefined || typeof name === 'string';
  return isMedia && isNamed && data === undefined && typeof hash === 'string' && /^[\w-]{22}$/.test(hash);
}
