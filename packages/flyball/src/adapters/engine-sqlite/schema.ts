import { ConfigError, FlyballError } from '../../core/errors.js';
import { type Database, rollBack } from './database.js';
import { asBytes, asNumbers, integer, text } from './row.js';

/** Entry n takes a file from version n to n + 1. Released ones are never edited. */
type Migrations = readonly string[];

/**
 * The file's layout. Version history: 1 (first release).
 *
 * 1. `events` is append-only and keyed by position, with the place of an entry in a unique index beside it: clustering
 *    on the place is two to four times slower, because every run then writes to pages of its own.
 * 2. `due_at` and `ready` follow from the other columns, so no statement can forget to keep them.
 * 3. A checksum covers everything in a row that decides what a run does; see `checksum.ts`.
 * 4. The tail guard counts on numbers that rise in `events`, `inbox`, `runs` and `store_versions`. Rows of a run that is
 *    removed go, and the highest number stays taken: by a row of no run, or for `runs` by a note in `flyball_meta`.
 */
export const MIGRATIONS: Migrations = [
  `
  CREATE TABLE runs (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    version TEXT NOT NULL,
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    source TEXT,
    fork TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    generation INTEGER NOT NULL,
    fence INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    lease_until INTEGER,
    alive_at INTEGER, -- when its owner last gave a sign of life, and how long the run had been at work by then
    active INTEGER NOT NULL DEFAULT 0,
    wake_at INTEGER,
    waiting TEXT NOT NULL DEFAULT '[]',
    attention TEXT,
    code TEXT,
    hold TEXT,
    tip_gen INTEGER, -- the last entry when the run was last claimed or given back, with its checksum
    tip_seq INTEGER,
    tip INTEGER,
    checksum INTEGER, -- of the columns above and below
    signalled INTEGER NOT NULL DEFAULT 0, -- since the last claim: 0 nothing, 1 messages, 2 one that wakes a paused run
    ready INTEGER AS (status = 'pending' OR (status = 'suspended' AND signalled > 0) OR (status = 'paused' AND signalled > 1)),
    due_at INTEGER AS (CASE status
      WHEN 'pending' THEN updated_at
      WHEN 'suspended' THEN CASE WHEN signalled > 0 THEN updated_at ELSE wake_at END
      WHEN 'paused' THEN CASE WHEN signalled > 1 THEN updated_at END
      WHEN 'running' THEN lease_until END)
  );
  CREATE INDEX runs_due ON runs (ready, due_at, agent) WHERE due_at IS NOT NULL;
  CREATE INDEX runs_turns ON runs (ready, tenant, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX runs_owned ON runs (owner) WHERE owner IS NOT NULL;
  CREATE INDEX runs_open ON runs (status) WHERE status IN ('pending', 'running', 'suspended', 'paused', 'stalled', 'bounded');
  CREATE INDEX runs_held ON runs (n) WHERE hold IS NOT NULL;
  CREATE INDEX runs_forks ON runs (json_extract(fork, '$.run')) WHERE fork IS NOT NULL;

  CREATE TABLE workers (id TEXT PRIMARY KEY, until INTEGER NOT NULL, worker TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE events (
    pos INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    gen INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    active INTEGER NOT NULL,
    body NOT NULL,
    checksum INTEGER NOT NULL -- of this row, its run and the checksum of the entry before it
  );
  CREATE UNIQUE INDEX events_place ON events (run, gen, seq);

  CREATE TABLE tenants (n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

  CREATE TABLE blobs (n INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, hash NOT NULL, body NOT NULL, UNIQUE (tenant, hash));

  CREATE TABLE links (
    n INTEGER PRIMARY KEY,
    tenant INTEGER NOT NULL,
    id NOT NULL,
    parent INTEGER NOT NULL, -- 0 for the first link of a chain
    header NOT NULL,
    content,
    blob INTEGER,
    UNIQUE (tenant, id),
    CHECK (content IS NOT NULL OR blob IS NOT NULL)
  );

  CREATE TABLE inbox (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    sender TEXT NOT NULL,
    askers TEXT,
    at INTEGER NOT NULL,
    body NOT NULL,
    taken INTEGER NOT NULL DEFAULT 0,
    checksum INTEGER NOT NULL,
    UNIQUE (run, id)
  );
  CREATE INDEX inbox_waiting ON inbox (run) WHERE taken = 0;

  CREATE TABLE waits (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    token TEXT NOT NULL,
    gen INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    since INTEGER NOT NULL,
    UNIQUE (run, token)
  );
  CREATE INDEX waits_asked ON waits (since) WHERE asked = 1;

  CREATE TABLE operations (n INTEGER PRIMARY KEY, action TEXT NOT NULL, of TEXT NOT NULL, body TEXT NOT NULL);
  CREATE INDEX operations_of ON operations (of);
  CREATE INDEX operations_gone ON operations (n) WHERE action = 'owner-gone';

  CREATE TABLE store_records (
    n INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 0,
    erased_at INTEGER,
    UNIQUE (tenant, owner, collection, key)
  );
  CREATE TABLE store_versions (
    n INTEGER PRIMARY KEY,
    record INTEGER NOT NULL,
    version INTEGER NOT NULL,
    proposal TEXT NOT NULL,
    at INTEGER NOT NULL,
    value, -- null once erased, and the checksum with it
    checksum INTEGER,
    UNIQUE (record, version)
  );
  CREATE UNIQUE INDEX store_versions_proposal ON store_versions (record, proposal);
  CREATE TABLE store_proposals (
    n INTEGER PRIMARY KEY,
    record INTEGER NOT NULL,
    version INTEGER NOT NULL,
    proposal TEXT NOT NULL,
    value NOT NULL,
    UNIQUE (record, proposal)
  );
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Settings of a connection. The wait for a lock is ours, between turns: SQLite's own would block the thread. */
export function configure(database: Database, path: string): void {
  database.exec('PRAGMA busy_timeout = 0');
  // rows of about 1 KB leave a fifth of a 4 KB page unused; takes effect in a new file only
  database.exec('PRAGMA page_size = 16384');
  schemaVersion(database, path); // a file that is not ours must stay as it is, its journal mode included
  if (database.get('PRAGMA journal_mode = WAL')?.['journal_mode'] !== 'wal') throw new NotInWalMode(path);
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA secure_delete = ON'); // an erased record must not stay readable in a free page
}

/** Another process is just closing the file: for a moment it cannot be put into the mode that lets several share it. */
class NotInWalMode extends Error {
  /** As SQLite says that a file is locked. */
  readonly errcode = 5;
  constructor(path: string) {
    super(`${path} is locked: it cannot be opened with a write-ahead log.`);
  }
}

/** The version of the file: 0 for an empty one. Refuses files of newer versions and of other programs. */
export function schemaVersion(database: Database, path: string, known = SCHEMA_VERSION): number {
  const found = database.all(`SELECT ${asBytes('name')} FROM sqlite_master WHERE type = 'table'`);
  const tables = found.map((row) => text(row, 'name'));
  if (tables.length === 0) return 0;
  if (!tables.includes('flyball_meta')) {
    throw new ConfigError(`${path} is the database of another program. Choose another path.`);
  }
  const row = database.get(`SELECT ${asNumbers('value')} FROM flyball_meta WHERE key = 'schema'`);
  const version = row === undefined ? 0 : integer(row, 'value');
  if (version > known) {
    throw new FlyballError(
      'JOURNAL_NEWER',
      `${path} was written by a newer version (schema ${version}; this one knows ${known}). It was not changed. Upgrade flyball to open it.`,
      { detail: { path, version, known } },
    );
  }
  return version;
}

/** Brings the file up to date, all of it or nothing. The version is read again under the lock: another process may be first. */
export function migrate(database: Database, path: string, migrations: Migrations = MIGRATIONS): void {
  const latest = migrations.length;
  if (schemaVersion(database, path, latest) === latest) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const from = schemaVersion(database, path, latest);
    database.exec('CREATE TABLE IF NOT EXISTS flyball_meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID');
    for (const migration of migrations.slice(from)) database.exec(migration);
    database.run("INSERT OR REPLACE INTO flyball_meta (key, value) VALUES ('schema', ?)", latest);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}
