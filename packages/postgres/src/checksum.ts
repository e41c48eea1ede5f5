import { hash } from 'node:crypto';

/**
 * What tells a row that was written from one that a disk, a stray statement or a bad restore has changed since. Taken
 * over what is stored, before any of it is read. Eight bytes: enough against chance; whoever can write the tables can
 * write checksums too.
 */
export function checksumOf(...parts: readonly (string | number | null | undefined)[]): string {
  let text = '';
  for (const part of parts) {
    const written = typeof part === 'number' ? `n${part}` : typeof part === 'string' ? `t${part}` : '';
    text += `${written.length}:${written}\n`; // with its length, so that no two lists of parts read the same
  }
  return hash('sha256', text, 'base64url').slice(0, 11);
}
