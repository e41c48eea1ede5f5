import { existsSync } from 'node:fs';
import { contentId, referencesIn } from '../../core/codec.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { brokenOperation } from '../../core/operations.js';
import type { Database, DriverName, Row } from './database.js';
import { openDatabase } from './driver.js';
import { EntryChain } from './entry-chain.js';
import { MESSAGE_COLUMNS, messageOf } from './inbox-rows.js';
import { hasLog } from './open.js';
import { Operations } from './operations.js';
import { asContent, asNumbers, content, hashId, integer, text } from './row.js';
import { isSound, RUN_COLUMNS, recordOf } from './run-rows.js';
import { schemaVersion } from './schema.js';
import { changedDefinitions } from './schema-text.js';
import { storageError } from './storage-errors.js';
import { checkVersions } from './store.js';
import { holdsRecords, lossIn, TailGuard, tailOf, unguarded } from './tail-guard.js';
import { NOTHING, type Tip } from './tip-slots.js';

/** Options of `checkDatabase`. */
export interface CheckOptions {
  readonly path: string;
  readonly driver?: DriverName;
  /** Told how many of how many runs were looked at. */
  readonly onProgress?: (done: number, of: number) => void;
}

/** One thing that is not as it was written. */
export interface Damage {
  readonly what: 'file' | 'run' | 'content' | 'record' | 'operations';
  /** The run, the hash of a content, the key of a record. */
  readonly id: string;
  readonly why: string;
}

/** The result of checking a database. */
export interface CheckReport {
  readonly path: string;
  readonly runs: number;
  readonly entries: number;
  readonly contents: number;
  readonly records: number;
  readonly operations: number;
  readonly damage: readonly Damage[];
  /** Runs that cannot go on, each once. */
  readonly damagedRuns: readonly string[];
  /** What could not be checked, and why. */
  readonly notes: readonly string[];
}

/** More is told as a number. */
const MOST_TOLD = 10_000;

/**
 * Looks at everything in a database and changes nothing: the file as SQLite sees it, every checksum and chain, every
 * content by its hash, and whether what was confirmed is all there. It reads one snapshot, beside whoever writes.
 */
export async function checkDatabase({ path, driver, onProgress }: CheckOptions): Promise<CheckReport> {
  if (!existsSync(path))
    throw new ConfigError(`There is no database ${path}. Set the database with --db or FLYBALL_DB.`);
  const tip = tipBeside(path); // before the tables: see TailGuard
  const hadLog = hasLog(path);
  const found: Damage[] = [];
  try {
    const database = await openDatabase(path, driver, { readOnly: true });
    try {
      const version = schemaVersion(database, path);
      const definitions = await changedDefinitions(database, { version, driver: database.driver });
      database.exec('BEGIN');
      const tail = tailOf(database);
      const loss = lossIn(path, tip, tail);
      const whys = [...(loss === undefined ? [] : [loss.message]), ...definitions];
      found.push(...whys.map((why) => ({ what: 'file' as const, id: path, why })));
      const notes = hadLog && tip.state === 'blank' && holdsRecords(tail) ? [unguarded(path)] : [];
      const report = { path, notes, ...looked(database, path, found, onProgress ?? (() => undefined)) };
      database.exec('ROLLBACK'); // libsql closes when it likes: the lock must not last until then
      return report;
    } finally {
      database.close();
    }
  } catch (error) {
    const failure = storageError(error, path);
    if (!(failure instanceof FlyballError) || failure.code !== 'JOURNAL_CORRUPT') throw failure;
    found.push({ what: 'file', id: path, why: failure.message });
    const none = { runs: 0, entries: 0, contents: 0, records: 0, operations: 0 };
    return { path, ...none, damage: found, damagedRuns: [], notes: [] };
  }
}

function tipBeside(path: string): Tip {
  return existsSync(`${path}.tip`) ? TailGuard.read(`${path}.tip`) : { tail: NOTHING, state: 'blank' };
}

function looked(
  database: Database,
  path: string,
  found: Damage[],
  onProgress: (done: number, of: number) => void,
): Omit<CheckReport, 'path' | 'notes'> {
  const tell = (damage: Damage): void => {
    if (found.length < MOST_TOLD) found.push(damage);
  };
  for (const row of database.all('PRAGMA integrity_check')) {
    const says = String(row['integrity_check']);
    if (says !== 'ok') tell({ what: 'file', id: path, why: says });
  }
  const contents = checkContents(database, tell);
  const { runs, entries } = checkRuns(database, contents, tell, onProgress);
  const records = checkVersions(database, ({ collection, key, version }) =>
    tell({ what: 'record', id: `${collection}/${key}`, why: `version ${version} is not what was committed` }),
  );
  const operations = checkOperations(database, tell);
  const damagedRuns = [...new Set(found.flatMap(({ what, id }) => (what === 'run' ? [id] : [])))];
  return { runs, entries, contents: contents.size, records, operations, damage: found, damagedRuns };
}

type Tell = (damage: Damage) => void;

/** Every content by its hash, and every link by what it refers to. Answers those that are sound, with their tenants. */
function checkContents(database: Database, tell: Tell): ReadonlySet<string> {
  const sound = new Set<string>();
  for (const row of rowsOf(database, 'blobs', `${asNumbers('n', 'tenant')}, ${asContent('hash', 'body')}`)) {
    const hash = attempt(() => hashId(row, 'hash'));
    const isIts = attempt(() => contentId(content(row, 'body')) === hash);
    if (hash !== undefined && isIts === true) sound.add(`${String(row['tenant'])}/${hash}`);
    else tell({ what: 'content', id: hash ?? `number ${String(row['n'])}`, why: 'it is not what its hash says' });
  }
  const dangling = database.all(`SELECT ${asContent('links.id')} FROM links
    LEFT JOIN links AS parents ON parents.n = links.parent LEFT JOIN blobs ON blobs.n = links.blob
    WHERE (links.parent <> 0 AND parents.n IS NULL) OR (links.blob IS NOT NULL AND blobs.n IS NULL)`);
  for (const row of dangling)
    tell({ what: 'content', id: attempt(() => hashId(row, 'id')) ?? '?', why: 'a link refers to what is not there' });
  return sound;
}

function checkRuns(
  database: Database,
  contents: ReadonlySet<string>,
  tell: Tell,
  onProgress: (done: number, of: number) => void,
): { readonly runs: number; readonly entries: number } {
  const chain = new EntryChain(database);
  const rows = database.all(`SELECT ${RUN_COLUMNS} FROM runs ORDER BY n`);
  let entries = 0;
  for (const [index, row] of rows.entries()) {
    const { id } = recordOf(row);
    const why = (reason: string): void => tell({ what: 'run', id, why: reason });
    if (!isSound(row)) why('its record is not what was written');
    try {
      const has = (hash: string): boolean => contents.has(`${tenantOf(database, row)}/${hash}`);
      entries += checkRun(database, chain, { id, n: integer(row, 'n') }, has, why);
    } catch (error) {
      why(error instanceof Error ? error.message : String(error));
    }
    onProgress(index + 1, rows.length);
  }
  return { runs: rows.length, entries };
}

function checkRun(
  database: Database,
  chain: EntryChain,
  { id, n }: { readonly id: string; readonly n: number },
  hasContent: (hash: string) => boolean,
  why: (reason: string) => void,
): number {
  const generations = database.all(
    'SELECT DISTINCT CAST(gen AS REAL) AS gen FROM events WHERE run = ? ORDER BY gen',
    n,
  );
  let entries = 0;
  for (const generation of generations.map((row) => integer(row, 'gen'))) {
    for (const { seq, body } of chain.read(id, { generation, from: 0, to: Number.MAX_SAFE_INTEGER })) {
      entries++;
      const missing = referencesIn(body).find((hash) => !hasContent(hash));
      if (missing !== undefined)
        why(`entry ${seq} of generation ${generation} refers to content ${missing}, which is damaged or missing`);
    }
  }
  if (entries === 0) why('its journal is empty');
  for (const row of database.all(`SELECT ${MESSAGE_COLUMNS} FROM inbox WHERE run = ?`, n)) messageOf(id, row);
  return entries;
}

function tenantOf(database: Database, run: Row): string {
  const row = database.get(`SELECT ${asNumbers('n')} FROM tenants WHERE name = ?`, text(run, 'tenant'));
  return String(row?.['n']);
}

function checkOperations(database: Database, tell: Tell): number {
  const operations = attempt(() => new Operations(database).all());
  const broken = operations === undefined ? 1 : brokenOperation(operations);
  if (broken !== undefined)
    tell({
      what: 'operations',
      id: String(broken),
      why: 'the log of operations was changed here, or something was taken out',
    });
  return operations?.length ?? 0;
}

function* rowsOf(database: Database, table: 'blobs', columns: string): Generator<Row> {
  for (let last = -1; ; ) {
    const rows = database.all(
      `SELECT ${columns} FROM ${table} WHERE ${table}.n > ? ORDER BY ${table}.n LIMIT 500`,
      last,
    );
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined) return;
    last = integer(end, 'n');
  }
}

/** What cannot be read is damage like any other. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
