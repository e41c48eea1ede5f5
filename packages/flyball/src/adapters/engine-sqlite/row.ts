import { isUtf8 } from 'node:buffer';
import { FlyballError } from '../../core/errors.js';
import { isStorable, type Row, type SqlValue, storedBytes } from './database.js';
import type { Shorthand } from './shorthand.js';

/**
 * Reads columns as the types the schema gives them; anything else means that the file is damaged. A damaged row may hold
 * any value of any type in any column, and drivers do not take that well: libsql ends the process over text that is no
 * UTF-8, node:sqlite refuses integers that are too large. So text is asked for as bytes, and numbers as floating point.
 */

/** For a list of columns after SELECT. */
export function asBytes(...columns: readonly string[]): string {
  return columns.map((column) => `CAST(${column} AS BLOB) AS ${lastPart(column)}`).join(', ');
}

export function asNumbers(...columns: readonly string[]): string {
  return columns.map((column) => `CAST(${column} AS REAL) AS ${lastPart(column)}`).join(', ');
}

/** What `content`, `expandedText` and `hashId` read: bytes, and what they stand for. */
export function asContent(...columns: readonly string[]): string {
  const typed = (column: string) => `${asBytes(column)}, typeof(${column}) AS ${lastPart(column)}_type`;
  return columns.map(typed).join(', ');
}

function lastPart(column: string): string {
  return column.slice(column.indexOf('.') + 1);
}

export function text(row: Row, column: string): string {
  return utf8(column, storedBytes(row[column]));
}

function utf8(column: string, bytes: Buffer | undefined): string {
  return bytes !== undefined && isUtf8(bytes) ? bytes.toString('utf8') : unexpected(column, bytes);
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' && Number.isFinite(value) ? value : unexpected(column, value);
}

export function optionalInteger(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integer(row, column);
}

export function json<T>(row: Row, column: string): T {
  const body = text(row, column);
  try {
    return JSON.parse(body) as T; // written by this adapter and by nobody else
  } catch {
    return unexpected(column, body);
  }
}

/**
 * Opaque contents as they are stored: UTF-8 text, or their UTF-16 bytes where text would not come back the same
 * (NUL, lone surrogates: a model can say anything).
 */
export function storedText(content: string): SqlValue {
  return isStorable(content) ? content : Buffer.from(content, 'utf16le');
}

export function content(row: Row, column: string): string {
  const stored = storedValue(row, column);
  return typeof stored === 'string' ? stored : stored.toString('utf16le');
}

/** A content as it was bound when it was written: what checksums are taken over. */
export function storedValue(row: Row, column: string): string | Buffer {
  const bytes = storedBytes(row[column]);
  if (row[`${column}_type`] === 'text') return utf8(column, bytes);
  return bytes === undefined || row[`${column}_type`] !== 'blob' ? unexpected(column, row[column]) : bytes;
}

/** As `storedText`, shortened. Verbatim bytes stand for what cannot be. */
export function shortText(text: string, shorthand: Shorthand): SqlValue {
  const short = isStorable(text) ? shorthand.shorten(text) : undefined;
  return short ?? Buffer.from(text, 'utf16le');
}

export function expandedText(row: Row, column: string, shorthand: Shorthand): string {
  const stored = storedValue(row, column);
  return typeof stored === 'string' ? shorthand.expand(stored) : stored.toString('utf16le');
}

const HASH_ID = /^[\w-]{22}$/;

/**
 * Ids of links and blobs: 22 base64url characters are kept as the 17 bytes they decode to (132 bits), which halves the
 * index; any other id is kept as it is.
 */
export function storedId(id: string): SqlValue {
  return HASH_ID.test(id) ? Buffer.from(`${id}A`, 'base64url') : id;
}

export function hashId(row: Row, column: string): string {
  const stored = storedValue(row, column);
  return typeof stored === 'string' ? stored : stored.toString('base64url').slice(0, 22);
}

function unexpected(column: string, value: unknown): never {
  throw new FlyballError(
    'JOURNAL_CORRUPT',
    `Column ${column} holds ${value === undefined || value === null ? 'nothing' : 'something'} that the schema has no place for. The file is damaged; restore a backup.`,
  );
}
