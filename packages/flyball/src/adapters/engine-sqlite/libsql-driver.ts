import { pathToFileURL } from 'node:url';
import type Libsql from 'libsql';
import { FlyballError } from '../../core/errors.js';
import { type Database, PreparedOnce, type Row, refuseUnstorable } from './database.js';

export async function openLibsql(path: string, { readOnly } = { readOnly: false }): Promise<Database> {
  const LibsqlDatabase = await loadLibsql();
  // it has no option for it, but understands addresses
  const database = new LibsqlDatabase(readOnly ? `${pathToFileURL(path).href}?mode=ro` : path);
  const prepared = new PreparedOnce((sql) => database.prepare<unknown[]>(sql));
  return {
    driver: 'libsql',
    exec: (sql) => void database.exec(sql),
    // always one array: libsql takes a lone object for named parameters, a blob included
    run(sql, ...values) {
      const { changes, lastInsertRowid } = prepared.of(sql).run(refuseUnstorable(values));
      return { changes, lastInsertRowid: Number(lastInsertRowid) };
    },
    get: (sql, ...values) => prepared.of(sql).get(refuseUnstorable(values)) as Row | undefined,
    all: (sql, ...values) => prepared.of(sql).all(refuseUnstorable(values)) as readonly Row[],
    close() {
      prepared.clear(); // libsql lets go of the file once its statements are collected
      database.close();
    },
  };
}

async function loadLibsql(): Promise<typeof Libsql> {
  try {
    return (await import('libsql')).default;
  } catch (cause) {
    throw new FlyballError(
      'DRIVER_MISSING',
      `Node ${process.versions.node} needs the package libsql for SQLite. Run \`npm i libsql\`, or use Node >= 22.13.`,
      { cause },
    );
  }
}
