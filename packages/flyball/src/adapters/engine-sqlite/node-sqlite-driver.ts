import { FlyballError } from '../../core/errors.js';
import { type Database, PreparedOnce, type Row, refuseUnstorable, type SqlValue } from './database.js';

/** The part of `node:sqlite` used here; the type definitions of the oldest supported Node do not have it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => NodeDatabase;
}
interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}
interface NodeStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number };
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
}

/** The module, or undefined where this Node has none (before 22.13). */
export function nodeSqlite(): NodeSqlite | undefined {
  const emitWarning = process.emitWarning;
  // it announces itself as experimental once per process, which is noise on the terminal of whoever runs an agent
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

export function openNodeSqlite(path: string, { readOnly } = { readOnly: false }): Database {
  const sqlite = nodeSqlite();
  if (sqlite === undefined) {
    throw new FlyballError(
      'DRIVER_MISSING',
      `Node ${process.versions.node} has no node:sqlite. Use Node >= 22.13, or run \`npm i libsql\` and choose the driver 'libsql'.`,
    );
  }
  const database = new sqlite.DatabaseSync(path, { readOnly });
  const prepared = new PreparedOnce((sql) => database.prepare(sql));
  return {
    driver: 'node:sqlite',
    exec: (sql) => database.exec(sql),
    run: (sql, ...values) => prepared.of(sql).run(...refuseUnstorable(values)),
    get: (sql, ...values) => prepared.of(sql).get(...refuseUnstorable(values)),
    all: (sql, ...values) => prepared.of(sql).all(...refuseUnstorable(values)),
    close: () => database.close(),
  };
}
