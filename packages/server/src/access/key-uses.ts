import { randomUUID } from 'node:crypto';
import type { Clock, RecordKey, Store } from 'flyball';
import type { Log } from '../log.js';
import { SERVER_TENANT } from './names.js';
import { changeRecord } from './records.js';

const MINUTE = 60_000;
const MOST_NOTED = 10_000;

export interface KeyUses {
  /** Notes a use. Nobody waits for it. */
  note(prefix: string, now: number): void;
  last(prefix: string): Promise<number | undefined>;
}

/** When keys were last used, to the minute: apart from the keys, so that noting a use never meets a revocation. */
export function keyUses(store: Store, clock: Clock, log: Log): KeyUses {
  const noted = new Map<string, number>();
  const at = (prefix: string): RecordKey => ({
    tenant: SERVER_TENANT,
    owner: 'access',
    collection: 'api-key-uses',
    key: prefix,
  });
  const write = async (prefix: string, now: number): Promise<void> => {
    await changeRecord(store, at(prefix), {
      id: randomUUID(),
      now: clock.now(),
      make: (current) => Math.max(now, (current?.value as number | undefined) ?? 0), // another server may have noted a later one
    });
  };
  return {
    note(prefix, now) {
      if (now - (noted.get(prefix) ?? Number.NEGATIVE_INFINITY) < MINUTE) return;
      if (noted.size >= MOST_NOTED) noted.clear();
      noted.set(prefix, now);
      write(prefix, now).catch((error: unknown) =>
        log.error('the last use of a key was not recorded', error, { prefix }),
      );
    },
    async last(prefix) {
      return (await store.get(at(prefix)))?.value as number | undefined;
    },
  };
}
