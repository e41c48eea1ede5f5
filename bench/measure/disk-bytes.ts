import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What the disk gives up for a file or a folder, as `du` counts. */
export function diskBytes(path: string): number {
  const { blocks, size } = lstatSync(path);
  const own = blocks === undefined ? size : blocks * 512;
  if (!lstatSync(path).isDirectory()) return own;
  return readdirSync(path).reduce((total, name) => total + diskBytes(join(path, name)), own);
}

/** The most that `npm i flyball` may take, without the SQLite driver that only Node 20 needs. */
export const SIZE_LIMIT = 5 * 1_048_576;
