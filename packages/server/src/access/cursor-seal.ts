import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import type { Clock, RecordKey, Store } from 'flyball';
import { cursorUnknown } from 'flyball/internal';
import { SERVER_TENANT } from './names.js';
import { changeRecord } from './records.js';

/**
 * An engine pages through the runs of all tenants, and its cursor is a position among them. Who is given one could count
 * the runs of others, so it leaves the server encrypted, for one tenant.
 */
export interface CursorSeal {
  seal(cursor: string, tenant: string): Promise<string>;
  /** Rejects with INPUT_INVALID for what was not sealed for this tenant. */
  open(sealed: string, tenant: string): Promise<string>;
}

const AT: RecordKey = { tenant: SERVER_TENANT, owner: 'access', collection: 'cursor-key', key: '1' };
const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
/** Longer ones would tell how long they are. */
const PADDED = 32;

/** With a key in the store: a page of one server is followed on another, and after a restart. */
export function cursorSeal(store: Store, clock: Clock): CursorSeal {
  let found: Promise<Buffer> | undefined;
  const key = (): Promise<Buffer> => {
    found ??= sharedKey(store, clock).catch((error: unknown) => {
      found = undefined; // asked for again by whoever comes next
      throw error;
    });
    return found;
  };
  return {
    async seal(cursor, tenant) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(CIPHER, await key(), nonce).setAAD(Buffer.from(tenant));
      const text = cursor.padEnd(Math.ceil(cursor.length / PADDED) * PADDED);
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return sealed.toString('hex'); // letters of base64url could look like a key, and would be taken out of the answer
    },
    async open(sealed, tenant) {
      const bytes = Buffer.from(sealed, 'hex');
      if (bytes.length < NONCE + TAG + PADDED) throw cursorUnknown(sealed);
      const cipher = createDecipheriv(CIPHER, await key(), bytes.subarray(0, NONCE))
        .setAAD(Buffer.from(tenant))
        .setAuthTag(bytes.subarray(-TAG));
      try {
        const text = cipher.update(bytes.subarray(NONCE, -TAG));
        return Buffer.concat([text, cipher.final()]).toString().trimEnd();
      } catch {
        throw cursorUnknown(sealed); // made by somebody else, or for somebody else
      }
    },
  };
}

async function sharedKey(store: Store, clock: Clock): Promise<Buffer> {
  const known = (await store.get(AT))?.value;
  if (typeof known === 'string') return Buffer.from(known, 'base64url');
  const made = randomBytes(32).toString('base64url');
  const change = { id: randomUUID(), now: clock.now() };
  const { value } = await changeRecord(store, AT, { ...change, make: (current) => current?.value ?? made });
  return Buffer.from(value as string, 'base64url');
}
