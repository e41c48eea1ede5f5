import { canonicalJson } from '../../core/canonical.js';
import { nextOperation, type Operation, type OperationAction, type StoredOperation } from '../../core/operations.js';
import type { Database, Row } from './database.js';
import { asBytes, json } from './row.js';

/** What operators did, as a chain. Rows are only added. */
export class Operations {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** Inside a transaction. */
  add(operation: Operation): void {
    const last = this.database.get(`SELECT ${asBytes('body')} FROM operations ORDER BY n DESC LIMIT 1`);
    const stored = nextOperation(last === undefined ? undefined : operationOf(last), operation);
    this.database.run(
      'INSERT INTO operations (n, action, of, body) VALUES (?, ?, ?, ?)',
      stored.n,
      stored.action,
      stored.of,
      canonicalJson(stored),
    );
  }

  all(of?: string): readonly StoredOperation[] {
    const rows =
      of === undefined
        ? this.database.all(`SELECT ${asBytes('body')} FROM operations ORDER BY n`)
        : this.database.all(`SELECT ${asBytes('body')} FROM operations WHERE of = ? ORDER BY n`, of);
    return rows.map(operationOf);
  }

  isRemoved(runId: string): boolean {
    return this.hasAny(runId, ['prune', 'erase', 'archive']);
  }

  /** Nothing brings it back. */
  isForGood(runId: string): boolean {
    return this.hasAny(runId, ['prune', 'erase']);
  }

  isDeclaredGone(owner: string): boolean {
    return this.hasAny(owner, ['owner-gone']);
  }

  private hasAny(of: string, actions: readonly OperationAction[]): boolean {
    const any = `SELECT 1 FROM operations WHERE of = ? AND action IN (${actions.map(() => '?').join(', ')}) LIMIT 1`;
    return this.database.get(any, of, ...actions) !== undefined;
  }

  goneOwners(): readonly string[] {
    const rows = this.database.all(`SELECT ${asBytes('body')} FROM operations WHERE action = 'owner-gone'`);
    return [...new Set(rows.map((row) => operationOf(row).of))];
  }
}

function operationOf(row: Row): StoredOperation {
  return json<StoredOperation>(row, 'body');
}
