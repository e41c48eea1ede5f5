import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

/** A results file below the folder, as it was found. */
export interface ResultsAt {
  readonly path: string;
  readonly file: string;
  readonly bytes: number;
  readonly changedAt: number;
}

const RESULTS = 'results.json';
/** Read while others wait for answers. */
export const MOST_BYTES = 48 * 1024 * 1024;
const MOST_FILES = 200;
const MOST_NAMES = 2_000;

/** Results in a folder, in its folders and in theirs. Links that lead out of it are not followed. */
export async function resultsBelow(root: string): Promise<readonly ResultsAt[]> {
  const found: ResultsAt[] = [];
  const look = async (folder: string, depth: number): Promise<void> => {
    if (found.length >= MOST_FILES) return;
    const own = await resultsAt(root, folder);
    if (own !== undefined) found.push(own);
    if (depth === 0) return;
    for (const name of await foldersIn(folder)) await look(join(folder, name), depth - 1);
  };
  await look(root, 2);
  return found;
}

async function resultsAt(root: string, folder: string): Promise<ResultsAt | undefined> {
  const path = await unlessMissing(() => realpath(join(folder, RESULTS)));
  if (path === undefined || !path.startsWith(`${root}${sep}`)) return undefined;
  const about = await unlessMissing(() => stat(path));
  if (about?.isFile() !== true) return undefined;
  const file = relative(root, join(folder, RESULTS)).split(sep).join('/');
  return { path, file, bytes: about.size, changedAt: Math.round(about.mtimeMs) };
}

/** Newest names last in the alphabet, as experiments are named by their time: those come first. */
async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries: readonly Dirent[] = (await unlessMissing(() => readdir(folder, { withFileTypes: true }))) ?? [];
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  return names.sort().reverse().slice(0, MOST_NAMES);
}

/** Of the directory form: one file for each simulation. */
export async function bytesBeside(path: string): Promise<number> {
  const folder = join(dirname(path), 'simulations');
  const names = (await unlessMissing(() => readdir(folder))) ?? [];
  let bytes = 0;
  for (const name of names.slice(0, MOST_NAMES))
    bytes += (await unlessMissing(() => stat(join(folder, name))))?.size ?? 0;
  return names.length > MOST_NAMES ? MOST_BYTES + bytes : bytes;
}

export async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
