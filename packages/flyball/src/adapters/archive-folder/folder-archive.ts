import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FlyballError } from '../../core/errors.js';
import type { ArchiveStore } from '../../ports/archive.js';

/** Archives in a folder, made when the first one comes. A file appears under its name when all of it is on the disk. */
export function folderArchive(folder: string): ArchiveStore {
  const root = resolve(folder);
  const pathOf = (key: string): string => join(root, ...key.split('/'));
  return {
    place: root,
    put: (key, content) => telling(root, () => write(pathOf(key), content)),
    get: (key) =>
      telling(root, async () => {
        try {
          return await readFile(pathOf(key));
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      }),
    async *list(prefix) {
      for (const key of await telling(root, () => keysIn(root))) if (key.startsWith(prefix)) yield key;
    },
  };
}

async function write(path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), 'r'); // the name is as durable as the content
  await folder.sync().finally(() => folder.close());
}

async function keysIn(root: string): Promise<readonly string[]> {
  try {
    const files = await readdir(root, { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile() && !file.name.endsWith('.tmp'));
    return paths
      .map((file) =>
        join(file.parentPath, file.name)
          .slice(root.length + 1)
          .replaceAll('\\', '/'),
      )
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ENOENT';
}

async function telling<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code = '', message } = cause as { readonly code?: string; readonly message: string };
    const isFull = ['ENOSPC', 'EDQUOT'].includes(code);
    throw new FlyballError(
      isFull ? 'STORAGE_FULL' : 'STORAGE_FAILED',
      `The archive ${root} cannot be used (${message}). No run was removed from the database that is not in the archive. ${isFull ? 'Free some space' : 'Check the folder'}, and run the command again.`,
      { cause, retryable: isFull },
    );
  }
}
