import { lstatSync } from 'node:fs';
import { lchown } from 'node:fs/promises';
import { changedSince, entriesBelow } from './written-files.js';

/**
 * Run by root in the folder of somebody else, a job leaves files of root's there, which their owner could not remove:
 * they are given to the owner of the folder.
 */
export async function giveToOwner(folders: readonly string[], since: number): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const top of folders) {
    const { uid, gid } = lstatSync(top);
    if (uid === 0) continue;
    for await (const { found } of entriesBelow([top]))
      for (const { path } of found) {
        const stats = await changedSince(path, since);
        if (stats?.uid === 0n) await lchown(path, uid, gid);
      }
  }
}
