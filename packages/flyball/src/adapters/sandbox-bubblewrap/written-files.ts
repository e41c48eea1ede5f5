import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Something below a folder that a job could write. */
export interface Found {
  readonly path: string;
  readonly entry: Dirent;
}

/** Everything below these folders, without following links. What disappears meanwhile is left out. */
export async function* entriesBelow(
  folders: readonly string[],
  isEntered: (path: string) => boolean = () => true,
): AsyncGenerator<{ readonly folder: string; readonly found: readonly Found[] }> {
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await unlessGone(readdir(folder, { withFileTypes: true }));
    if (entries === undefined) continue;
    const from = folder;
    const found = entries.map((entry) => ({ path: join(from, entry.name), entry }));
    yield { folder, found };
    for (const { path, entry } of found) if (entry.isDirectory() && isEntered(path)) waiting.push(path);
  }
}

/** The kernel sets this time, and no program can set it back. */
export async function changedSince(path: string, since: number): Promise<BigIntStats | undefined> {
  const stats = await unlessGone(lstat(path, { bigint: true }));
  return stats !== undefined && stats.ctimeMs >= BigInt(Math.floor(since)) ? stats : undefined;
}

/** Bytes on the disk of all files that changed since then, each counted once however many names it has. */
export async function writtenBytes(folders: readonly string[], since: number): Promise<number> {
  const seen = new Set<bigint>();
  let bytes = 0;
  for await (const { found } of entriesBelow(folders))
    for (const { path, entry } of found) {
      const stats = entry.isFile() ? await changedSince(path, since) : undefined;
      if (stats === undefined || seen.has(stats.ino)) continue;
      seen.add(stats.ino);
      bytes += Number(stats.blocks) * 512;
    }
  return bytes;
}

/** A folder that cannot be read by us, or is not there any more, holds nothing that we could count. */
export async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}
