import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import Libsql from 'libsql';

/** The driver that the engine uses on this Node, with nothing around it. */
export interface BareDriver {
  readonly name: string;
  exec(sql: string): void;
  all(sql: string): readonly Row[];
  /** Prepared once; answers how to run it. */
  statement(sql: string): (values: readonly unknown[]) => void;
  close(): void;
}
type Row = Readonly<Record<string, unknown>>;

/** The part of `node:sqlite` used here: the types of the oldest supported Node do not have it. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): { run(...values: readonly unknown[]): unknown; all(): readonly Row[] };
    close(): void;
  };
}

export function openBare(path: string): BareDriver {
  const builtin = process.getBuiltinModule?.('node:sqlite') as unknown as NodeSqlite | undefined;
  return builtin === undefined ? openLibsql(path) : openNodeSqlite(path, builtin);
}

function openLibsql(path: string): BareDriver {
  const database = new Libsql(path);
  return {
    name: 'libsql',
    exec: (sql) => void database.exec(sql),
    all: (sql) => database.prepare<unknown[]>(sql).all([]) as Row[],
    statement(sql) {
      const prepared = database.prepare<unknown[]>(sql);
      return (values) => void prepared.run([...values]);
    },
    close: () => void database.close(),
  };
}

function openNodeSqlite(path: string, { DatabaseSync }: NodeSqlite): BareDriver {
  const database = new DatabaseSync(path);
  return {
    name: 'node:sqlite',
    exec: (sql) => database.exec(sql),
    all: (sql) => database.prepare(sql).all(),
    statement(sql) {
      const prepared = database.prepare(sql);
      return (values) => void prepared.run(...values);
    },
    close: () => database.close(),
  };
}

/** Everything an engine left in its file that a bare driver has to write again. */
export interface Left {
  readonly ddl: readonly string[];
  readonly events: readonly (readonly unknown[])[];
  readonly blobs: readonly (readonly unknown[])[];
  readonly bytes: number;
}

export function readLeft(path: string): Left {
  const driver = openBare(path);
  const ddl = driver
    .all('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid')
    .map(({ sql }) => `${sql}`);
  const events = driver
    .all('SELECT run, gen, seq, at, active, checksum, body FROM events ORDER BY pos')
    .map((row) => Object.values(row).map(bindable));
  const blobs = driver
    .all('SELECT tenant, hash, body FROM blobs ORDER BY n')
    .map((row) => Object.values(row).map(bindable));
  driver.close();
  return { ddl, events, blobs, bytes: events.reduce((total, row) => total + `${row.at(-1)}`.length, 0) };
}

/** libsql reads blobs as ArrayBuffer, and does not take them back. */
function bindable(value: unknown): unknown {
  return value instanceof ArrayBuffer ? Buffer.from(value) : value;
}

const SETTINGS = [
  'page_size = 16384',
  'busy_timeout = 0',
  'journal_mode = WAL',
  'synchronous = FULL',
  'secure_delete = ON',
];

function openTables(path: string, left: Left) {
  const driver = openBare(path);
  for (const setting of SETTINGS) driver.all(`PRAGMA ${setting}`);
  for (const statement of left.ddl) driver.exec(statement);
  return {
    driver,
    insertEvent: driver.statement(
      'INSERT INTO events (run, gen, seq, at, active, checksum, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    insertBlob: driver.statement(
      'INSERT INTO blobs (tenant, hash, body) VALUES (?, ?, ?) ON CONFLICT (tenant, hash) DO NOTHING',
    ),
  };
}

/**
 * Writes the same rows into the same tables as concurrent writers have to: each writer appends the two records of an
 * effect and waits until they are durable before it goes on, and all that is appended in one turn is one commit.
 * Answers the milliseconds.
 */
export async function awaitBare(path: string, left: Left): Promise<number> {
  const { driver, insertEvent, insertBlob } = openTables(path, left);
  const byRun = new Map<unknown, (readonly unknown[])[]>();
  for (const row of left.events) byRun.set(row[0], [...(byRun.get(row[0]) ?? []), row]);
  let appended: { readonly rows: readonly (readonly unknown[])[]; readonly resolve: () => void }[] = [];
  let written = 0;
  let blob = 0;
  const flush = (): void => {
    const batch = appended;
    appended = [];
    driver.exec('BEGIN IMMEDIATE');
    for (const { rows } of batch) {
      for (const row of rows) insertEvent(row);
      written += rows.length;
    }
    const blobs = Math.round((written / left.events.length) * left.blobs.length);
    for (; blob < blobs; blob++) insertBlob(left.blobs[blob] ?? []);
    driver.exec('COMMIT');
    for (const { resolve } of batch) resolve();
  };
  const append = (rows: readonly (readonly unknown[])[]): Promise<void> =>
    new Promise((resolve) => {
      if (appended.push({ rows, resolve }) === 1) setImmediate(flush);
    });
  const began = performance.now();
  await Promise.all(
    [...byRun.values()].map(async (rows) => {
      for (let at = 0; at < rows.length; at += 2) await append(rows.slice(at, at + 2));
    }),
  );
  const ms = performance.now() - began;
  driver.close();
  return ms;
}

/** Writes the same rows into the same tables, in commits of the same sizes, in one loop; answers the milliseconds. */
export function replayBare(path: string, left: Left, commits: readonly number[]): number {
  const { driver, insertEvent, insertBlob } = openTables(path, left);
  let event = 0;
  let blob = 0;
  const began = performance.now();
  for (const entries of commits) {
    if (entries === 0) continue; // a claim or a release: no record
    driver.exec('BEGIN IMMEDIATE');
    for (const end = event + entries; event < end; event++) insertEvent(left.events[event] ?? []);
    const blobs = Math.round((event / left.events.length) * left.blobs.length); // spread as the events are
    for (; blob < blobs; blob++) insertBlob(left.blobs[blob] ?? []);
    driver.exec('COMMIT');
  }
  const ms = performance.now() - began;
  driver.close();
  if (event !== left.events.length) throw new Error(`Replayed ${event} of ${left.events.length} records.`);
  return ms;
}

/** Appends bodies to a plain file with one fdatasync each; answers the milliseconds. */
export function syncEach(path: string, bodies: readonly string[]): number {
  const file = openSync(path, 'w');
  const began = performance.now();
  for (const body of bodies) {
    writeSync(file, `${body}\n`);
    fdatasyncSync(file);
  }
  const ms = performance.now() - began;
  closeSync(file);
  return ms;
}
