import { canonicalJson } from '../../core/canonical.js';
import { proposalUnknown, recordDamaged, recordOvertaken } from '../../core/engine-errors.js';
import { hasFields } from '../../core/record-fields.js';
import type { RecordKey, Store, StoreQuery, StoreRecord } from '../../ports/store.js';
import { type Checksum, checksumIn, checksumOf, NO_CHECKSUM } from './checksum.js';
import { type Database, type Row, type SqlValue, storedBytes } from './database.js';
import { asBytes, asContent, asNumbers, content, integer, storedText, storedValue, text } from './row.js';
import type { TailGuard } from './tail-guard.js';

/** How the store reaches the file: the engine's commits and its patience with locks. */
export interface StoreAccess {
  readonly database: Database;
  readonly guard: TailGuard;
  read<T>(work: () => T): Promise<T>;
  write<T>(work: () => T): Promise<T>;
}

/** Records on the database of the engine. Committed versions are only added; erasing empties them. */
export function sqliteStore({ database, guard, read, write }: StoreAccess): Store {
  const rows = new RecordRows(database);
  return {
    get: (at) =>
      read(() => {
        const row = database.get(CURRENT, at.tenant, at.owner, at.collection, at.key);
        return row === undefined ? undefined : recordOf(at, row);
      }),

    query: (query) => read(() => page(database, query)),

    propose(at, { id, over, value }) {
      const encoded = storedText(canonicalJson(value));
      return write(() => propose(rows, at, { id, over, value: encoded }));
    },

    commit: (at, proposal, now) =>
      write(() => {
        const { record, row } = commit(rows, at, proposal, now);
        if (row !== undefined) guard.note('records', row);
        return record;
      }),

    drop: (at, proposal) =>
      write(() => {
        const found = rows.record(at);
        if (found === undefined) return;
        database.run('DELETE FROM store_proposals WHERE record = ? AND proposal = ?', integer(found, 'n'), proposal);
      }),

    async erase(at, now) {
      await write(() => {
        const found = rows.record(at);
        if (found === undefined) return;
        const record = integer(found, 'n');
        database.run('UPDATE store_versions SET value = NULL, checksum = NULL WHERE record = ?', record);
        database.run('DELETE FROM store_proposals WHERE record = ?', record);
        database.run('UPDATE store_records SET erased_at = ? WHERE n = ?', now, record);
      });
      // the contents are still in the write-ahead log until it is emptied; a reader in the way delays that, no more
      await read(() => database.all('PRAGMA wal_checkpoint(TRUNCATE)'));
    },

    history: (at) =>
      read(() => {
        const found = rows.record(at);
        return found === undefined ? [] : rows.versions(integer(found, 'n')).map((row) => recordOf(at, row));
      }),
  };
}

/** The rows that a record consists of. */
class RecordRows {
  readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  record({ tenant, owner, collection, key }: RecordKey): Row | undefined {
    return this.database.get(
      `SELECT ${asNumbers('n', 'version', 'erased_at')} FROM store_records WHERE tenant = ? AND owner = ? AND collection = ? AND key = ?`,
      tenant,
      owner,
      collection,
      key,
    );
  }

  /** The number of a record without a version. */
  add({ tenant, owner, collection, key }: RecordKey): number {
    return this.database.run(
      'INSERT INTO store_records (tenant, owner, collection, key) VALUES (?, ?, ?, ?)',
      tenant,
      owner,
      collection,
      key,
    ).lastInsertRowid;
  }

  version(record: number, proposal: string): Row | undefined {
    return this.database.get(
      `SELECT ${VERSION} FROM store_versions WHERE record = ? AND proposal = ?`,
      record,
      proposal,
    );
  }

  versions(record: number): readonly Row[] {
    return this.database.all(`SELECT ${VERSION} FROM store_versions WHERE record = ? ORDER BY version`, record);
  }

  proposal(record: number, proposal: string): Row | undefined {
    return this.database.get(
      `SELECT ${asNumbers('n', 'version')}, ${asContent('value')} FROM store_proposals WHERE record = ? AND proposal = ?`,
      record,
      proposal,
    );
  }
}

function propose(
  rows: RecordRows,
  at: RecordKey,
  { id, over, value }: { readonly id: string; readonly over: number; readonly value: SqlValue },
): { readonly version: number } {
  const found = rows.record(at);
  const known = found === undefined ? undefined : integer(found, 'n');
  const earlier = known === undefined ? undefined : (rows.version(known, id) ?? rows.proposal(known, id));
  if (earlier !== undefined) return { version: integer(earlier, 'version') };
  const current = found === undefined || found['erased_at'] !== null ? 0 : integer(found, 'version');
  if (over !== current) throw recordOvertaken(at, over, current);
  const version = (found === undefined ? 0 : integer(found, 'version')) + 1;
  rows.database.run(
    'INSERT INTO store_proposals (record, version, proposal, value) VALUES (?, ?, ?, ?)',
    known ?? rows.add(at),
    version,
    id,
    value,
  );
  return { version };
}

/** `row` is that of the version, where it was not committed before. */
function commit(
  rows: RecordRows,
  at: RecordKey,
  proposal: string,
  now: number,
): { readonly record: StoreRecord; readonly row?: number } {
  const { database } = rows;
  const found = rows.record(at);
  if (found === undefined) throw proposalUnknown(at, proposal);
  const record = integer(found, 'n');
  const committed = rows.version(record, proposal);
  if (committed !== undefined) return { record: recordOf(at, committed) };
  const proposed = rows.proposal(record, proposal);
  if (proposed === undefined) throw proposalUnknown(at, proposal);
  const version = integer(proposed, 'version');
  if (version !== integer(found, 'version') + 1) throw recordOvertaken(at, version - 1, integer(found, 'version'));
  const value = storedValue(proposed, 'value');
  const checksum = recordChecksum(at, { version, at: now, value });
  const { lastInsertRowid } = database.run(
    'INSERT INTO store_versions (record, version, proposal, at, value, checksum) VALUES (?, ?, ?, ?, ?, ?)',
    record,
    version,
    proposal,
    now,
    value,
    checksum,
  );
  database.run('DELETE FROM store_proposals WHERE n = ?', integer(proposed, 'n'));
  database.run('UPDATE store_records SET version = ?, erased_at = NULL WHERE n = ?', version, record);
  return { record: recordOf(at, { ...proposed, version, at: now, checksum }), row: lastInsertRowid };
}

const VERSION = `${asNumbers('store_versions.version', 'store_versions.at', 'store_versions.checksum')}, ${asContent('store_versions.value')}`;
const COMMITTED = `FROM store_records JOIN store_versions
  ON store_versions.record = store_records.n AND store_versions.version = store_records.version
  WHERE tenant = ? AND owner = ? AND collection = ? AND erased_at IS NULL`;
const CURRENT = `SELECT ${VERSION} ${COMMITTED} AND key = ?`;
const AFTER = `SELECT ${asBytes('key')}, ${VERSION} ${COMMITTED}
  AND key >= ? AND key IS NOT ? ORDER BY key LIMIT ?`;

/** Records read at a time while looking for those that match. */
const CHUNK = 200;

function page(
  database: Database,
  query: StoreQuery,
): { readonly records: readonly StoreRecord[]; readonly cursor?: string } {
  const { tenant, owner, collection, prefix = '', where = {}, limit = 100 } = query;
  const records: StoreRecord[] = [];
  for (let cursor = query.cursor; ; ) {
    const rows = database.all(AFTER, tenant, owner, collection, cursor ?? prefix, cursor ?? null, CHUNK);
    for (const row of rows) {
      cursor = text(row, 'key');
      if (!cursor.startsWith(prefix)) return { records }; // in key order, so no later one can match
      const record = recordOf({ tenant, owner, collection, key: cursor }, row);
      if (!hasFields(record.value, where)) continue;
      if (records.length === limit) return { records, cursor: records.at(-1)?.key ?? '' };
      records.push(record);
    }
    if (rows.length < CHUNK) return { records };
  }
}

function recordChecksum(
  { tenant, owner, collection, key }: RecordKey,
  written: { readonly version: number; readonly at: number; readonly value: SqlValue },
): Checksum {
  return checksumOf(NO_CHECKSUM, tenant, owner, collection, key, written.version, written.at, written.value);
}

/** Throws JOURNAL_CORRUPT for a value that is not what was committed. */
function recordOf(of: RecordKey, row: Row): StoreRecord {
  const base = { key: of.key, version: integer(row, 'version'), at: integer(row, 'at') };
  const checksum = checksumIn(row, 'checksum');
  if (row['value'] === null && checksum === NO_CHECKSUM) return { ...base, value: undefined, erased: true };
  const value = storedValue(row, 'value');
  if (recordChecksum(of, { ...base, value }) !== checksum) throw recordDamaged(of, base.version);
  return { ...base, value: JSON.parse(content(row, 'value')) as unknown };
}

/** Looks at every committed version; tells of those that are not what was committed, and answers how many there are. */
export function checkVersions(
  database: Database,
  tell: (damaged: { readonly collection: string; readonly key: string; readonly version: number }) => void,
): number {
  const rows = database.all(
    `SELECT ${asBytes('tenant', 'owner', 'collection', 'key')}, ${VERSION} FROM store_versions JOIN store_records ON store_records.n = store_versions.record`,
  );
  for (const row of rows) {
    const part = (column: string): string => storedBytes(row[column])?.toString('utf8') ?? '';
    const at = { tenant: part('tenant'), owner: part('owner'), collection: part('collection'), key: part('key') };
    try {
      recordOf(at, row);
    } catch {
      tell({
        collection: at.collection,
        key: at.key,
        version: typeof row['version'] === 'number' ? row['version'] : 0,
      });
    }
  }
  return rows.length;
}
