import { ConfigError, FlyballError } from 'flyball';
import type { Rows } from './connection.js';
import { LinkError, replaced } from './errors.js';
import type { Settings } from './options.js';

type Ask = (text: string) => Promise<Rows>;
const OLDEST = 140_000;

/** What a connection leads to has to be the database that was opened, and to take writes. */
export class Identity {
  private readonly schema: string;
  private id: string | undefined;
  private settings: readonly string[] = [];

  constructor(schema: string) {
    this.schema = schema;
  }

  async check(ask: Ask): Promise<void> {
    const [row] = await ask('SHOW transaction_read_only');
    if (row?.['transaction_read_only'] === 'on') throw new LinkError('NOT_PRIMARY', 'transaction_read_only is on');
    for (const text of this.settings) await ask(text);
    if (this.id === undefined) return;
    const found = await ask(`SELECT value FROM ${this.schema}.flyball_meta WHERE key = 'id'`).catch(
      (error: unknown) => {
        if ((error as { code?: string }).code === '42P01') return [];
        throw error;
      },
    );
    if (found[0]?.['value'] === this.id) return;
    throw replaced(this.schema);
  }

  /**
   * This value, and nothing in any other database. A connection stays open while its schema is exchanged for another one,
   * so what takes a run, makes one or announces a worker asks as it writes: a column that must not be empty would be.
   */
  only(value: string): string {
    return `CASE WHEN (SELECT m.value FROM ${this.schema}.flyball_meta m WHERE m.key = 'id') = '${this.id ?? ''}' THEN ${value} END`;
  }

  /** From here on no other database will do. */
  async remember(ask: Ask): Promise<void> {
    this.settings = settingsFor(await productOf(ask));
    const [row] = await ask(`SELECT value FROM ${this.schema}.flyball_meta WHERE key = 'id'`);
    this.id = row?.['value'] as string;
  }
}

/** `PostgreSQL 15.4 on x86_64…`, `PostgreSQL 11.2-YB-2.20 on …`, `CockroachDB CCL v24.1 (…)`. */
async function productOf(ask: Ask): Promise<string> {
  const [row] = await ask('SELECT version() AS product');
  return `${row?.['product'] ?? ''}`;
}

/** These follow versions of their own, and claim to be an older PostgreSQL than they are compatible with. */
const isCompatible = (product: string): boolean => !product.startsWith('PostgreSQL') || /-YB-/.test(product);

/** What has to be set on each connection. */
function settingsFor(product: string): readonly string[] {
  // a batch closes some waits and opens others in one statement; they are never the same rows
  return product.startsWith('CockroachDB') ? ['SET enable_multiple_modifications_of_table = on'] : [];
}

async function checkVersion(ask: Ask): Promise<void> {
  const [version] = await ask('SHOW server_version_num');
  const number = Number(version?.['server_version_num'] ?? OLDEST);
  if (number < OLDEST)
    throw new ConfigError(
      `PostgreSQL 14 or later is required; this server is version ${Math.floor(number / 10_000)}. Upgrade the server.`,
    );
}

/** Any text can come from a model or a person. SQL_ASCII keeps bytes as they are. */
async function checkEncoding(ask: Ask): Promise<void> {
  const [row] = await ask('SHOW server_encoding');
  const encoding = String(row?.['server_encoding'] ?? 'UTF8').toUpperCase();
  if (['UTF8', 'UTF-8', 'SQL_ASCII'].includes(encoding)) return;
  throw new ConfigError(
    `The encoding of this database is ${encoding}, which cannot store all text. Create a database with ENCODING 'UTF8' and use that.`,
  );
}

/** What is asked once, when the engine is opened. */
export async function checkServer(ask: Ask, settings: Settings): Promise<void> {
  const product = await productOf(ask);
  if (isCompatible(product))
    settings.onNotice(
      `${product.replace(/ on .*| \(.*/, '')} is compatible with PostgreSQL. Flyball has not been tested on it.`,
    );
  else await checkVersion(ask);
  await checkEncoding(ask);
  if (settings.synchronousCommit === 'off')
    settings.onNotice(
      `synchronous_commit is off: if PostgreSQL or its machine crashes, writes confirmed in the last ${await secondsAtRisk(ask)} seconds are lost, and effects from that time are repeated.`,
    );
  if (settings.replicated) await checkReplica(ask, settings);
}

/** What every run needs, and every worker. */
const RIGHTS: Readonly<Record<string, string>> = {
  runs: 'INSERT, UPDATE',
  events: 'INSERT',
  blobs: 'INSERT',
  links: 'INSERT',
  inbox: 'INSERT, UPDATE',
  waits: 'INSERT, DELETE',
  workers: 'INSERT, UPDATE',
  operations: 'INSERT',
  store_records: 'INSERT, UPDATE',
  store_versions: 'INSERT',
  store_proposals: 'INSERT, DELETE',
};

/**
 * Refuses a user who may read the tables and not write to them: each run, and each look of a worker, would fail with it.
 */
export async function checkRights(ask: Ask, schema: string): Promise<void> {
  const wanted = Object.entries(RIGHTS).flatMap(([table, rights]) =>
    rights.split(', ').map((right) => `('${table}', '${right}')`),
  );
  const missing = await ask(
    `SELECT "table", "right", quote_ident(current_user) AS me FROM (VALUES ${wanted.join(', ')}) wanted ("table", "right")
      WHERE NOT has_table_privilege('${schema}.' || "table", "right")`,
  );
  if (missing.length === 0) return;
  const me = `${missing[0]?.['me']}`;
  const which = missing.map((row) => `${row['right']} on ${row['table']}`).join(', ');
  throw new FlyballError(
    'STORAGE_READ_ONLY',
    `The database user ${me} may not write to the schema ${schema} (missing: ${which}). An administrator can run GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${me}, or make the user the owner of the schema and of each table in it (ALTER SCHEMA ${schema} OWNER TO ${me}, ALTER TABLE … OWNER TO ${me}).`,
  );
}

/** PostgreSQL promises three times the delay of its writer. */
async function secondsAtRisk(ask: Ask): Promise<number> {
  const [row] = await ask("SELECT setting::float8 AS ms FROM pg_settings WHERE name = 'wal_writer_delay'");
  return (3 * Number(row?.['ms'] ?? 200)) / 1_000;
}

/** A replica that commits do not wait for lacks confirmed records when it takes over: acts would be made twice. */
async function checkReplica(ask: Ask, { synchronousCommit }: Settings): Promise<void> {
  if (synchronousCommit === 'off')
    throw new ConfigError(
      'replicated needs commits that wait for the standby, and synchronousCommit is off. Set synchronousCommit to on.',
    );
  const problem = await missingStandby(ask);
  if (problem !== undefined) throw new LinkError('NO_STANDBY', problem); // it may come: during a fail-over there is none for a while
}

/** Why commits wait for no replica; undefined where they do. */
async function missingStandby(ask: Ask): Promise<string | undefined> {
  const [names] = await ask('SHOW synchronous_standby_names');
  if (`${names?.['synchronous_standby_names'] ?? ''}`.trim() === '')
    return 'Commits do not wait for a replica: synchronous_standby_names is empty.';
  const standbys = await ask('SELECT sync_state FROM pg_stat_replication');
  const isHidden = standbys.some((row) => row['sync_state'] === null); // the user may not see it
  if (isHidden || standbys.some((row) => /^(sync|quorum)$/.test(`${row['sync_state']}`))) return undefined;
  return 'No synchronous standby is connected.';
}

/** After a fail-over, commits may wait for nobody: runs go on, and the operator is told, once each time it begins. */
export class StandbyWatch {
  private readonly settings: Settings;
  private isTold = false;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  async check(ask: Ask): Promise<void> {
    if (!this.settings.replicated) return;
    const problem = await missingStandby(ask);
    if (problem !== undefined && !this.isTold)
      this.settings.onNotice(
        `${problem} Runs continue, but until a synchronous standby is connected, another fail-over can lose confirmed records and repeat effects.`,
      );
    this.isTold = problem !== undefined;
  }
}
