import { ConfigError } from 'flyball';
import type { Rows } from './connection.js';
import { LinkError } from './errors.js';
import type { Settings } from './options.js';

type Ask = (text: string) => Promise<Rows>;
const OLDEST = 140_000;

/** What a connection leads to has to be the database that was opened, and to take writes. */
export class Identity {
  private readonly schema: string;
  private id: string | undefined;

  constructor(schema: string) {
    this.schema = schema;
  }

  async check(ask: Ask): Promise<void> {
    const [row] = await ask('SHOW transaction_read_only');
    if (row?.['transaction_read_only'] === 'on') throw new LinkError('NOT_PRIMARY', 'transaction_read_only is on');
    if (this.id === undefined) return;
    const found = await ask(`SELECT value FROM ${this.schema}.flyball_meta WHERE key = 'id'`).catch(
      (error: unknown) => {
        if ((error as { code?: string }).code === '42P01') return [];
        throw error;
      },
    );
    if (found[0]?.['value'] === this.id) return;
    throw new LinkError(
      'REPLACED',
      `Another database answers at this address than the one that was opened (schema ${this.schema}). Nothing was written to it. Open the engine again if that is meant.`,
    );
  }

  /** From here on no other database will do. */
  async remember(ask: Ask): Promise<void> {
    const [row] = await ask(`SELECT value FROM ${this.schema}.flyball_meta WHERE key = 'id'`);
    this.id = row?.['value'] as string;
  }
}

/** What is asked once, when the engine is opened. */
export async function checkServer(ask: Ask, settings: Settings): Promise<void> {
  const [version] = await ask('SHOW server_version_num');
  const number = Number(version?.['server_version_num'] ?? OLDEST);
  if (number < OLDEST)
    throw new ConfigError(
      `PostgreSQL 14 or later is needed; this is ${Math.floor(number / 10_000)}. Upgrade the server.`,
    );
  if (settings.synchronousCommit === 'off')
    settings.onNotice(
      'synchronous_commit is off: if PostgreSQL or its machine crashes, what was confirmed in the last 0.6 seconds is lost, and what runs did in that time is done again.',
    );
  if (settings.replicated) await checkReplica(ask, settings);
}

/** A replica that commits do not wait for lacks confirmed records when it takes over: acts would be made twice. */
async function checkReplica(ask: Ask, { synchronousCommit }: Settings): Promise<void> {
  const next = 'Set synchronous_standby_names on the primary, and start the standby, before this engine is opened.';
  if (synchronousCommit === 'off')
    throw new ConfigError('A replica may take over, so commits have to wait for it: leave synchronousCommit on.');
  const [names] = await ask('SHOW synchronous_standby_names');
  if (`${names?.['synchronous_standby_names'] ?? ''}`.trim() === '')
    throw new ConfigError(
      `There is a replica, and no commit waits for it: synchronous_standby_names is empty. A fail-over would lose confirmed records and repeat acts. ${next}`,
    );
  const standbys = await ask('SELECT sync_state FROM pg_stat_replication');
  const isHidden = standbys.some((row) => row['sync_state'] === null); // the user may not see it
  if (isHidden || standbys.some((row) => /^(sync|quorum)$/.test(`${row['sync_state']}`))) return;
  throw new ConfigError(`There is a replica, and no synchronous standby is connected. ${next}`);
}
