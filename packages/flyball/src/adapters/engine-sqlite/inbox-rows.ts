import { runDamaged } from '../../core/engine-errors.js';
import type { InboxMessage, StoredMessage } from '../../ports/engine.js';
import { type Checksum, checksumIn, checksumOf, NO_CHECKSUM } from './checksum.js';
import type { Database, Row, SqlValue } from './database.js';
import { asBytes, asContent, asNumbers, content, integer, json, storedValue, text } from './row.js';

/** Messages as rows. Whether one was taken is under its checksum too: a message must not come back, or be lost. */
export const MESSAGE_COLUMNS = `${asNumbers('n', 'at', 'taken', 'checksum')}, ${asBytes('id', 'kind', 'name', 'sender', 'askers')}, ${asContent('body')}`;
export const WAITING = `SELECT ${MESSAGE_COLUMNS} FROM inbox WHERE run = ? AND taken = 0 AND n > ? ORDER BY n`;
const ONE = `SELECT ${MESSAGE_COLUMNS} FROM inbox WHERE n = ? AND run = ?`;

export function messageChecksum(
  runId: string,
  { id, kind, name, from, askers, at }: Omit<InboxMessage, 'body'>,
  { body, taken }: { readonly body: SqlValue; readonly taken: number },
): Checksum {
  return checksumOf(NO_CHECKSUM, runId, id, kind, name, from, askersText(askers), at, body, taken);
}

export function askersText(askers: InboxMessage['askers']): string | null {
  return askers === undefined ? null : JSON.stringify(askers);
}

/** Throws JOURNAL_CORRUPT for a message that is not what was posted. */
export function messageOf(runId: string, row: Row): StoredMessage {
  const number = typeof row['n'] === 'number' ? row['n'] : 0;
  try {
    const message = {
      number: integer(row, 'n'),
      id: text(row, 'id'),
      kind: text(row, 'kind') as InboxMessage['kind'],
      name: text(row, 'name'),
      from: text(row, 'sender'),
      ...(row['askers'] === null ? {} : { askers: json<readonly string[]>(row, 'askers') }),
      at: integer(row, 'at'),
      body: content(row, 'body'),
    };
    const stored = { body: storedValue(row, 'body'), taken: integer(row, 'taken') };
    if (messageChecksum(runId, message, stored) === checksumIn(row, 'checksum')) return message;
  } catch {
    // a column that cannot be read is damage like any other
  }
  throw runDamaged(runId, `Message ${number}`, { message: number });
}

export function takeMessage(
  database: Database,
  at: { readonly runId: string; readonly run: number; readonly number: number },
): void {
  const row = database.get(ONE, at.number, at.run);
  if (row === undefined || row['taken'] === 1) return;
  const message = messageOf(at.runId, row);
  const checksum = messageChecksum(at.runId, message, { body: storedValue(row, 'body'), taken: 1 });
  database.run('UPDATE inbox SET taken = 1, checksum = ? WHERE n = ?', checksum, at.number);
}
