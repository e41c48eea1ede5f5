import { statSync } from 'node:fs';
import { refuseChanged, runKept } from '../../core/engine-errors.js';
import type { Operation, Tombstone } from '../../core/operations.js';
import type { Collected, HoldChange, RunCounts, RunStatus, StorageSize } from '../../ports/engine.js';
import type { Database, Row } from './database.js';
import type { Fences } from './fences.js';
import type { Operations } from './operations.js';
import { asBytes, asContent, asNumbers, expandedText, hashId, integer, optionalInteger, text } from './row.js';
import { isOver, RunRows, recordOf } from './run-rows.js';
import { entryShorthand } from './shorthand.js';

/** Entries looked at in one go. */
const CHUNK = 2_000;

/** What goes, what stays, and how much there is. */
export class Retention {
  private readonly database: Database;
  private readonly operations: Operations;
  private readonly fences: Fences;
  private readonly rows: RunRows;
  private readonly path: string;

  constructor(database: Database, operations: Operations, fences: Fences, path: string) {
    this.database = database;
    this.operations = operations;
    this.fences = fences;
    this.rows = new RunRows(database);
    this.path = path;
  }

  hold(runId: string, { hold, by, why, at }: HoldChange): void {
    const row = this.rows.known(runId);
    if ((row['hold'] !== null) === hold) return;
    const held = hold ? JSON.stringify({ by, at, ...(why === undefined ? {} : { why }) }) : null;
    const n = integer(row, 'n');
    this.rows.change(n, () => this.database.run('UPDATE runs SET hold = ? WHERE n = ?', held, n));
    const action = hold ? 'hold' : 'release';
    this.operations.add({ at, by, action, of: runId, ...(why === undefined ? {} : { why }) });
  }

  remove(runId: string, operation: Operation & { readonly tombstone: Tombstone }): void {
    const { database } = this;
    const row = this.rows.known(runId);
    const n = integer(row, 'n');
    this.refuseKept(runId, row);
    refuseChanged(recordOf(row), operation.tombstone);
    for (const [table, number, empty] of NUMBERED) {
      const top = integer(
        database.get(`SELECT CAST(ifnull(max(${number}), 0) AS REAL) AS top FROM ${table}`) ?? {},
        'top',
      );
      database.run(`DELETE FROM ${table} WHERE run = ?`, n);
      // the highest number stays taken, by a row of no run: the tail guard counts on numbers that rise
      if (database.get(`SELECT 1 FROM ${table} WHERE ${number} = ?`, top) === undefined && top > 0)
        database.run(empty, top, top);
      database.run(`DELETE FROM ${table} WHERE run = 0 AND ${number} < ?`, top);
    }
    database.run('DELETE FROM waits WHERE run = ?', n);
    database.run(
      "INSERT INTO flyball_meta (key, value) VALUES ('runs', ?1) ON CONFLICT (key) DO UPDATE SET value = max(value, ?1)",
      n,
    );
    database.run('DELETE FROM runs WHERE n = ?', n);
    this.operations.add(operation);
    this.fences.forget(runId);
  }

  private refuseKept(runId: string, row: Row): void {
    const { status, hold, tenant } = recordOf(row);
    if (hold !== undefined) throw runKept(runId, 'held', `${hold.by} has put it under a legal hold`);
    if (!isOver(row) && status !== 'bounded' && status !== 'stalled')
      throw runKept(runId, 'open', `it is ${status}. Cancel it first`);
    const fork = this.database.get(
      `SELECT ${asBytes('id')} FROM runs WHERE json_extract(fork, '$.run') = ? AND tenant = ? LIMIT 1`,
      runId,
      tenant,
    );
    if (fork !== undefined) throw runKept(runId, 'forked', `its fork ${text(fork, 'id')} needs it`);
  }

  count(): RunCounts {
    const rows = this.database.all(
      `SELECT ${asBytes('status')}, CAST(count(*) AS REAL) AS runs FROM runs WHERE status IN (${OPEN}) GROUP BY runs.status`,
    );
    const waits = this.database.get(
      'SELECT CAST(count(*) AS REAL) AS asked, CAST(min(since) AS REAL) AS since FROM waits WHERE asked = 1',
    );
    const held = this.database.get('SELECT CAST(count(*) AS REAL) AS held FROM runs WHERE hold IS NOT NULL');
    const oldestAsked = waits === undefined ? undefined : optionalInteger(waits, 'since');
    return {
      byStatus: Object.fromEntries(rows.map((row) => [text(row, 'status') as RunStatus, integer(row, 'runs')])),
      asked: waits === undefined ? 0 : integer(waits, 'asked'),
      held: held === undefined ? 0 : integer(held, 'held'),
      ...(oldestAsked === undefined ? {} : { oldestAsked }),
    };
  }

  size(): StorageSize {
    const pragma = (name: string): number => integer(this.database.get(`PRAGMA ${name}`) ?? {}, name);
    const bytes = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return {
      bytes: bytes(this.path),
      logBytes: bytes(`${this.path}-wal`),
      freeBytes: pragma('freelist_count') * pragma('page_size'),
    };
  }

  /** What entries up to this position refer to, with the number of their tenant: read without a lock, beside whoever writes. */
  *marks(referencesIn: (body: string) => Iterable<string>, marked: Set<string>, from = 0): Generator<number> {
    let last = from;
    for (;;) {
      const rows = this.database.all(
        `SELECT ${asNumbers('events.pos', 'tenants.n')}, ${asContent('events.body')} FROM events
         LEFT JOIN runs ON runs.n = events.run LEFT JOIN tenants ON tenants.name = runs.tenant
         WHERE events.pos > ? ORDER BY events.pos LIMIT ${CHUNK}`,
        last,
      );
      for (const row of rows) {
        last = integer(row, 'pos');
        const tenant = optionalInteger(row, 'n') ?? 0; // of a row of no run
        for (const id of referencesIn(expandedText(row, 'body', entryShorthand))) marked.add(`${tenant}/${id}`);
      }
      if (rows.length === 0) return;
      yield last;
    }
  }

  /** Inside a transaction: whatever is neither marked nor below something marked goes. */
  sweep(marked: ReadonlySet<string>): Collected {
    const links = this.database.all(
      `SELECT ${asNumbers('n', 'tenant', 'parent', 'blob')}, ${asContent('id')} FROM links`,
    );
    const byNumber = new Map(links.map((row) => [integer(row, 'n'), row]));
    const kept = new Set<number>();
    const contents = new Set<number>();
    const isMarked = (row: Row, column: string): boolean =>
      marked.has(`${integer(row, 'tenant')}/${hashId(row, column)}`);
    for (const row of links) if (isMarked(row, 'id')) keepChain(row, byNumber, kept, contents);
    const goneLinks = [...byNumber.keys()].filter((n) => !kept.has(n));
    for (const n of goneLinks) this.database.run('DELETE FROM links WHERE n = ?', n);
    const blobs = this.database.all(`SELECT ${asNumbers('n', 'tenant')}, ${asContent('hash')} FROM blobs`);
    const goneContents = blobs.filter((row) => !contents.has(integer(row, 'n')) && !isMarked(row, 'hash'));
    for (const row of goneContents) this.database.run('DELETE FROM blobs WHERE n = ?', integer(row, 'n'));
    return { contents: goneContents.length, links: goneLinks.length };
  }
}

const OPEN = "'pending', 'running', 'suspended', 'paused', 'stalled', 'bounded'";

/** Tables whose numbers only ever rise, and how their highest row is kept without its run. */
const NUMBERED = [
  [
    'events',
    'pos',
    "INSERT INTO events (pos, run, gen, seq, at, active, body, checksum) VALUES (?, 0, 0, ?, 0, 0, '', 0)",
  ],
  [
    'inbox',
    'n',
    "INSERT INTO inbox (n, run, id, kind, name, sender, at, body, taken, checksum) VALUES (?, 0, CAST(? AS TEXT), '', '', '', 0, '', 1, 0)",
  ],
] as const;

function keepChain(from: Row, byNumber: ReadonlyMap<number, Row>, kept: Set<number>, contents: Set<number>): void {
  for (let row: Row | undefined = from; row !== undefined; row = byNumber.get(integer(row, 'parent'))) {
    const n = integer(row, 'n');
    if (kept.has(n)) return;
    kept.add(n);
    const blob = optionalInteger(row, 'blob');
    if (blob !== undefined) contents.add(blob);
  }
}
