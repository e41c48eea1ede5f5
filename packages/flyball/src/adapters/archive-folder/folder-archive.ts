import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FlyballError } from '../../core/errors.js';
import { type ArchiveStore, MOST_ARCHIVE_KEYS } from '../../ports/archive.js';
import { isCode } from './error-code.js';
import { readInside, writeInside } from './files-inside.js';

/** Archives in a folder, made when the first one comes. A file appears under its name when all of it is on the disk. */
export function folderArchive(folder: string): ArchiveStore {
  const root = resolve(folder);
  return {
    place: root,
    put: (key, content) => telling(root, () => writeInside(root, key, content)),
    get: (key) => telling(root, () => readInside(root, key)),
    async *list(prefix) {
      for (const key of await telling(root, () => keysIn(root))) if (key.startsWith(prefix)) yield key;
    },
  };
}

/** Links are listed by their own name and not followed: whoever asks for what is behind one is refused. */
async function keysIn(root: string): Promise<readonly string[]> {
  const keys: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of await entriesOf(root, folder)) {
      const key = `${folder}${entry.name}`;
      if (entry.isDirectory()) folders.push(`${key}/`);
      else if (!entry.name.endsWith('.tmp')) keys.push(key);
      if (keys.length + folders.length > MOST_ARCHIVE_KEYS)
        throw new FlyballError(
          'STORAGE_FAILED',
          `The archive ${root} has more than ${MOST_ARCHIVE_KEYS} files. List a folder of it with other tools.`,
        );
    }
  return keys.sort();
}

async function entriesOf(root: string, folder: string) {
  try {
    return await readdir(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (folder === '' && isCode(error, 'ENOENT')) return []; // no archive was written yet
    throw error;
  }
}

async function telling<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof FlyballError) throw cause;
    const isFull = isCode(cause, 'ENOSPC', 'EDQUOT');
    throw new FlyballError(
      isFull ? 'STORAGE_FULL' : 'STORAGE_FAILED',
      `The archive ${root} cannot be used (${(cause as Error).message}). No run was removed from the database that is not in the archive. ${isFull ? 'Free some space' : 'Check the folder'}, and run the command again.`,
      { cause, retryable: isFull },
    );
  }
}
