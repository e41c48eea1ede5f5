import { FlyballError } from '../../core/errors.js';
import { isStorable, type Row, type SqlValue } from './database.js';
import type { Shorthand } from './shorthand.js';

/** Reads columns as the types the schema gives them; anything else means that the file is damaged. */

export function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : unexpected(column, value);
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' ? value : unexpected(column, value);
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
  const value = row[column];
  if (typeof value === 'string') return value;
  const bytes = bytesOf(value);
  return bytes === undefined ? unexpected(column, value) : bytes.toString('utf16le');
}

/** As `storedText`, shortened. Verbatim bytes stand for what cannot be. */
export function shortText(text: string, shorthand: Shorthand): SqlValue {
  const short = isStorable(text) ? shorthand.shorten(text) : undefined;
  return short ?? Buffer.from(text, 'utf16le');
}

export function expandedText(row: Row, column: string, shorthand: Shorthand): string {
  const stored = content(row, column);
  return typeof row[column] === 'string' ? shorthand.expand(stored) : stored;
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
  const value = row[column];
  if (typeof value === 'string') return value;
  const bytes = bytesOf(value);
  return bytes === undefined ? unexpected(column, value) : bytes.toString('base64url').slice(0, 22);
}

function bytesOf(value: unknown): Buffer | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}

function unexpected(column: string, value: unknown): never {
  throw new FlyballError(
    'JOURNAL_CORRUPT',
    `Column ${column} holds ${value === undefined ? 'nothing' : typeof value} where the schema has something else. The file is damaged; restore a backup.`,
  );
}
