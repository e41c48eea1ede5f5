import { hash } from 'node:crypto';
import { type Row, type SqlValue, storedBytes } from './database.js';

/**
 * What tells a row that was written from one that a disk, a copy or a stray write has changed since. Eight bytes: enough
 * against chance. Against somebody who can write the file nothing in it helps; for that there is the audit export.
 */
export type Checksum = Buffer;

export const NO_CHECKSUM: Checksum = Buffer.alloc(0);

/** Each part is written with its length, so that no two lists of parts read the same. */
export function checksumOf(before: Checksum, ...parts: readonly SqlValue[]): Checksum {
  let text = before.toString('latin1');
  for (const part of parts) {
    const written = part instanceof Uint8Array ? `b${Buffer.from(part).toString('latin1')}` : `${part}`;
    text += `\n${written.length}:${written}`;
  }
  return hash('sha256', text, 'buffer').subarray(0, 8);
}

export function checksumIn(row: Row, column: string): Checksum {
  return storedBytes(row[column]) ?? NO_CHECKSUM;
}
