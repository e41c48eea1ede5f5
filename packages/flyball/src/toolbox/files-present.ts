import { hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type FileAccess, failed, lstatOrNothing, openFile, type Target, withFolder } from './files-access.js';
import type { HeldFolder } from './files-held.js';

const CHUNK_BYTES = 64 * 1024;

/** A file at one moment; absence is undefined. */
export interface FileState {
  readonly sha256: string;
  readonly size: number;
  readonly mode: number;
}

/** A file as it is now, with its bytes and the marks by which a later look knows that nobody has touched it. */
export interface Present {
  readonly bytes: Buffer;
  readonly state: FileState;
  readonly stats: Stats;
}

/** Undefined where there is no such file. */
export async function presentAt(access: FileAccess, target: Target): Promise<Present | undefined> {
  if (target.missing.length > 0) return undefined;
  return withFolder(access, target, (folder) => presentIn(access, folder, target.name));
}

export async function presentIn(access: FileAccess, folder: HeldFolder, name: string): Promise<Present | undefined> {
  const opened = await openFile(access, folder, name);
  if (opened === undefined) return undefined;
  const { handle, stats } = opened;
  try {
    const bytes = await readBounded(handle, access.maxBytes);
    return { bytes, state: { ...stateOf(bytes), mode: stats.mode & 0o777 }, stats };
  } finally {
    await handle.close();
  }
}

/** A file can grow while it is read; its size at the beginning binds nobody. */
export async function readBounded(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let size = 0; ; ) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES) });
    if (bytesRead === 0) return Buffer.concat(chunks);
    size += bytesRead;
    if (size > maxBytes) throw failed(`The file grew beyond ${maxBytes} bytes while it was read.`, '');
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

export function stateOf(bytes: Buffer): Omit<FileState, 'mode'> {
  return { sha256: hash('sha256', bytes, 'hex'), size: bytes.length };
}

export function isSame(now: FileState | undefined, then: FileState | undefined): boolean {
  return now?.sha256 === then?.sha256;
}

/** Between reading a file and replacing it somebody else may have written it: their work is not overwritten. */
export async function assertUntouched(folder: HeldFolder, target: Target, before: Present | undefined): Promise<void> {
  const now = await lstatOrNothing(folder.at(target.name));
  if (before === undefined) {
    if (now === undefined) return;
    throw failed(`"${target.path}" appeared while it was being written; look at it first.`, target.path);
  }
  const { stats } = before;
  const isSameFile = now?.ino === stats.ino && now.dev === stats.dev;
  if (!isSameFile || now.size !== stats.size || now.mtimeMs !== stats.mtimeMs)
    throw failed(`"${target.path}" was changed by somebody else in the meantime; read it again.`, target.path);
}
