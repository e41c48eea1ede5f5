import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { FlyballError } from '../core/errors.js';
import { codeOf, type HeldFolder } from './files-held.js';

export interface Replacement {
  readonly name: string;
  readonly bytes: Buffer;
  /** Names the temporary file: the same for every attempt of one effect, so that a crash leaves at most one behind. */
  readonly id: string;
  /** What the umask leaves of 0666 where it is absent. */
  readonly mode?: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** The last look before the point of no return; throwing leaves everything as it was. */
  readonly beforeRename?: () => Promise<void>;
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Whoever reads the file sees the old bytes or the new ones, never a part; and a power cut changes nothing about that. */
export async function replaceFile(folder: HeldFolder, replacement: Replacement): Promise<void> {
  const temporary = temporaryName(replacement.id);
  const handle = await createTemporary(folder, temporary);
  try {
    try {
      await fill(handle, replacement);
    } finally {
      await handle.close();
    }
    await folder.assertHeld();
    await replacement.beforeRename?.();
    await rename(folder.at(temporary), folder.at(replacement.name));
  } catch (error) {
    await rm(folder.at(temporary), { force: true });
    throw error;
  }
  await syncChanged(folder);
}

/** The change is made, only not safely: a failure here must not pass for a change that did not happen. */
export async function syncChanged(...folders: readonly HeldFolder[]): Promise<void> {
  try {
    for (const folder of folders) await folder.sync();
  } catch (error) {
    const message = `The change is made, but the disk did not confirm it: ${(error as Error).message}.`;
    throw Object.assign(new FlyballError('EFFECT_FAILED', message, { cause: error }), { inDoubt: true });
  }
}

function temporaryName(id: string): string {
  return `.flyball-${id}.tmp`;
}

async function createTemporary(folder: HeldFolder, name: string): Promise<FileHandle> {
  try {
    return await open(folder.at(name), CREATE, 0o666);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    await rm(folder.at(name)); // left by an attempt of the same effect that crashed
    return open(folder.at(name), CREATE, 0o666);
  }
}

async function fill(handle: FileHandle, { bytes, mode, owner }: Replacement): Promise<void> {
  await handle.writeFile(bytes);
  if (owner !== undefined) await keepOwner(handle, owner);
  if (mode !== undefined) await handle.chmod(mode & 0o777); // after chown, which clears bits; set-id bits never survive
  await handle.sync();
}

/** A root process that edits somebody's file leaves it theirs; anybody else owns what they write. */
async function keepOwner(handle: FileHandle, owner: { readonly uid: number; readonly gid: number }): Promise<void> {
  const mine = await handle.stat();
  if (mine.uid === owner.uid && mine.gid === owner.gid) return;
  try {
    await handle.chown(owner.uid, owner.gid);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
  }
}
