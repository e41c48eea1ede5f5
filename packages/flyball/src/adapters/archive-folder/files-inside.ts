import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FlyballError } from '../../core/errors.js';
import { MOST_ARCHIVE_BYTES } from '../../ports/archive.js';
import { isCode } from './error-code.js';

/**
 * Files of an archive, by their keys. Others may have made what lies in its folder.
 *
 * 1. No link below the folder is followed. The folder itself may be one: whoever named it meant where it leads.
 * 2. A file that was opened is used once it is known to be the one at its place: a link that was there for a moment only
 *    opened another one.
 * 3. Folders that are made are for the owner alone, as the files in them are.
 */

// without it (Windows) the second rule finds the link
const NO_LINK = (constants.O_NOFOLLOW as number | undefined) ?? 0;
const READ = constants.O_RDONLY | NO_LINK | ((constants.O_NONBLOCK as number | undefined) ?? 0); // a pipe has no writer
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK;

/** Undefined where there is no such file. */
export async function readInside(root: string, key: string): Promise<Uint8Array | undefined> {
  try {
    const path = await placeOf(await realpath(root), key);
    const file = await open(path, READ).catch((error: unknown) => {
      throw isCode(error, 'ELOOP', 'EMLINK') ? linked(path) : error;
    });
    try {
      return await contentOf(file, path);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function contentOf(file: FileHandle, path: string): Promise<Uint8Array> {
  await assertThere(file, path);
  const { size } = await file.stat();
  if (size > MOST_ARCHIVE_BYTES) throw strange(path, `is larger than ${MOST_ARCHIVE_BYTES} bytes`);
  const content = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(content, filled, size - filled, filled);
    if (bytesRead === 0) break; // it was cut while it was read: its digest says so
    filled += bytesRead;
  }
  return content.subarray(0, filled);
}

export async function writeInside(root: string, key: string, content: Uint8Array): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const path = await placeOf(await realpath(root), key, { making: true });
  const temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    const file = await open(temporary, CREATE, 0o600);
    try {
      await assertThere(file, temporary);
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

/** Every folder on the way is one, and none is a link. */
async function placeOf(root: string, key: string, { making = false } = {}): Promise<string> {
  const parts = key.split('/');
  if (parts.some((part) => !/^[\w%-]+(\.[\w%-]+)*$/.test(part)))
    throw strange(join(root, key), 'has no name of an archive');
  let folder = root;
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    if (making)
      await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
        if (!isCode(error, 'EEXIST')) throw error;
      });
    const stats = await lstat(folder);
    if (stats.isSymbolicLink()) throw linked(folder);
    if (!stats.isDirectory()) throw strange(folder, 'is not a folder');
  }
  return join(root, ...parts);
}

/** The file that is open is an ordinary one, and the one that this path leads to without any link. */
async function assertThere(file: FileHandle, path: string): Promise<void> {
  const [opened, there] = [await file.stat({ bigint: true }), await lstat(path, { bigint: true })];
  if (there.isSymbolicLink() || (await realpath(path)) !== path || opened.ino !== there.ino || opened.dev !== there.dev)
    throw linked(path);
  if (!opened.isFile()) throw strange(path, 'is not a file');
}

function linked(path: string): FlyballError {
  return strange(path, 'is a link, or behind one. Links are not followed, because they lead out of the archive');
}

function strange(path: string, why: string): FlyballError {
  return new FlyballError(
    'STORAGE_FAILED',
    `In the archive, ${path} ${why}. It was neither read nor written. Check who else can write there, move it away, and run the command again.`,
    { detail: { path } },
  );
}
