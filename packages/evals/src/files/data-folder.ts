import { readdir, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { FlyballError } from 'flyball';
import type { DataFolder } from '../world/environment.js';

/** A domain's files in a folder on disk. Paths that lead out of it are refused, by name or by a link. */
export function dataFolder(folder: string): DataFolder {
  const place = resolve(folder);
  return {
    place,
    async read(path) {
      const found = await located(place, path);
      return found === undefined ? undefined : unlessMissing(() => readFile(found, 'utf8'));
    },
    async list(path) {
      const found = await located(place, path);
      const names = found === undefined ? undefined : await unlessMissing(() => readdir(found));
      return (names ?? []).sort(byCodePoint);
    },
  };
}

/** The real place of a path; undefined where there is nothing. */
async function located(place: string, path: string): Promise<string | undefined> {
  const wanted = resolve(place, path);
  if (isAbsolute(path) || !isInside(place, wanted)) throw outside(place, path);
  const [root, found] = [await unlessMissing(() => realpath(place)), await unlessMissing(() => realpath(wanted))];
  if (root === undefined || found === undefined) return undefined;
  if (!isInside(root, found)) throw outside(place, path);
  return found;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function outside(place: string, path: string): FlyballError {
  return new FlyballError('DENIED', `${path} leads out of the data folder ${place}.`, {
    detail: { path: join(place, path) },
  });
}

/** What is not there is no failure; everything else is: unreadable files, a file where a folder belongs. */
async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'ENOENT') return undefined;
    throw new FlyballError('STORAGE_FAILED', `The data folder cannot be read: ${error.message}.`, { cause: error });
  }
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
