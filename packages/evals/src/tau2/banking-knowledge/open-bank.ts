import type { Tables } from '../../world/database.js';
import type { PyValue } from '../python/value.js';
import type { Bank, Fields, Row, TableName } from './bank.js';
import { keyOf } from './operations.js';

/** A bank over its own copy of the database. */
export class OpenBank implements Bank {
  /** Replaced as a whole when an environment is set up with a task's data. */
  tables: Tables;
  readonly unlocked = new Set<string>();
  readonly loggedReads: ReadonlySet<string>;

  constructor(tables: Tables, loggedReads: ReadonlySet<string>) {
    this.tables = tables;
    this.loggedReads = loggedReads;
  }

  records(table: TableName): ReadonlyMap<string, Row> {
    return this.tables.records(table);
  }

  find(table: TableName, id: PyValue): Row | undefined {
    const key = keyOf(id);
    return key === undefined ? undefined : this.tables.get(table, key);
  }

  add(table: TableName, id: string, record: Fields): boolean {
    return this.tables.add(table, id, record);
  }

  put(table: TableName, id: string, record: Fields): void {
    this.tables.put(table, id, record);
  }

  update(table: TableName, id: PyValue, fields: Fields): boolean {
    const key = keyOf(id);
    return key !== undefined && this.tables.update(table, key, fields);
  }

  list(table: TableName, filterJson: string): string {
    return this.tables.printQuery(table, filterJson);
  }
}
