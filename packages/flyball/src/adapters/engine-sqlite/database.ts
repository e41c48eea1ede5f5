import { FlyballError } from '../../core/errors.js';

/** The SQLite driver. */
export type DriverName = 'node:sqlite' | 'libsql';

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

/** All that the engine needs of a driver. Synchronous: a flush runs in the thread, in one turn. */
export interface Database {
  readonly driver: DriverName;
  exec(sql: string): void;
  run(sql: string, ...values: SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number };
  get(sql: string, ...values: SqlValue[]): Row | undefined;
  all(sql: string, ...values: SqlValue[]): readonly Row[];
  close(): void;
}

/** Ends a transaction that failed. What it failed with is what matters, so this never throws. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // no transaction is open: BEGIN was refused, or SQLite has rolled back by itself as it does on a full disk
  }
}

/** Statements are prepared once for each text; the texts are constants, so the map stays small. */
export class PreparedOnce<S> {
  private readonly statements = new Map<string, S>();
  private readonly prepare: (sql: string) => S;

  constructor(prepare: (sql: string) => S) {
    this.prepare = prepare;
  }

  of(sql: string): S {
    const found = this.statements.get(sql);
    if (found !== undefined) return found;
    const statement = this.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }

  clear(): void {
    this.statements.clear();
  }
}

/**
 * Refuses text that would come back as other text: SQLite keeps UTF-8, so lone surrogates become U+FFFD and two names
 * could meet, and libsql cuts text at NUL. Contents never get here: see `storedText`.
 */
export function refuseUnstorable(values: readonly SqlValue[]): readonly SqlValue[] {
  for (const value of values) {
    if (typeof value !== 'string' || isStorable(value)) continue;
    throw new FlyballError(
      'INPUT_INVALID',
      `${JSON.stringify(value.slice(0, 80))} holds NUL or half a surrogate pair. Names and ids must be well-formed text.`,
    );
  }
  return values;
}

/** The bytes of a blob, as either driver hands them out. */
export function storedBytes(value: unknown): Buffer | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}

export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && (text as WellFormed).isWellFormed();
}

/** In every Node this runs on, and newer than the library version it is compiled against. */
type WellFormed = string & { isWellFormed(): boolean };
