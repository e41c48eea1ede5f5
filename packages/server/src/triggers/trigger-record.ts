import { randomBytes } from 'node:crypto';
import type { RecordKey, Store } from 'flyball';
import { FlyballError } from 'flyball';
import { canonicalJson, sha256 } from 'flyball/internal';
import type { Trigger } from './trigger.js';

/** What servers on one database agree on about a trigger. */
export interface TriggerRecord {
  /** Makes the ids of its runs unguessable: nobody can take one beforehand, and so keep a run from being started. */
  readonly salt: string;
  /** Times up to here are dealt with. */
  readonly handled: number;
  /** A time that is to be started and may not be yet: whoever sees it starts it. */
  readonly claim?: number;
  readonly last?: number;
  readonly lastRun?: string;
  readonly missed: number;
  readonly lastMissed?: number;
  readonly failure?: string;
}

export interface KeptRecord {
  readonly version: number;
  readonly record: TriggerRecord;
}

export const TRIGGER_OWNER = 'flyball-triggers';

/** A record that several servers change: each change is over the version that was read, and the second one loses. */
export class RecordOfTrigger {
  private readonly store: Store;
  private readonly at: RecordKey;

  constructor(store: Store, { kind, name, tenant = 'default' }: Pick<Trigger, 'kind' | 'name' | 'tenant'>) {
    this.store = store;
    this.at = { tenant, owner: TRIGGER_OWNER, collection: 'triggers', key: `${kind}/${name}` };
  }

  /** As it is kept; made where there is none, so that times count from now on. */
  async read(now: number): Promise<KeptRecord> {
    for (;;) {
      const kept = await this.find();
      if (kept !== undefined) return kept;
      await this.write({ version: 0 }, { salt: randomBytes(16).toString('hex'), handled: now, missed: 0 }, now);
    }
  }

  async find(): Promise<KeptRecord | undefined> {
    const found = await this.store.get(this.at);
    return found === undefined ? undefined : { version: found.version, record: found.value as TriggerRecord };
  }

  /** False when somebody else was quicker: then it is read again. */
  async write(over: { readonly version: number }, record: TriggerRecord, now: number): Promise<boolean> {
    const id = randomBytes(12).toString('hex');
    try {
      await this.store.propose(this.at, { id, over: over.version, value: record, now });
      await this.store.commit(this.at, id, now);
      return true;
    } catch (error) {
      if (!(error instanceof FlyballError) || error.code !== 'RECORD_CONFLICT') throw error;
      await this.store.drop(this.at, id);
      return false;
    }
  }
}

/** The same for the same trigger and occasion, in every process. */
export function runIdOf({ salt }: Pick<TriggerRecord, 'salt'>, occasion: string | number): string {
  return `run_${sha256(canonicalJson([salt, occasion])).slice(0, 20)}`;
}
