import { constants, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, stat } from 'node:fs/promises';
import { basename, posix } from 'node:path';
import { FlyballError } from '../core/errors.js';

/**
 * A folder held open. Names are looked up in the folder itself and not along its path, so nobody can lead an access
 * elsewhere by swapping a parent for a link between the check and the use.
 */
export interface HeldFolder {
  readonly real: string;
  /** A path to something in this folder, for the calls that follow. */
  at(name: string): string;
  /** Throws where the folder cannot be held and its path leads somewhere else by now. */
  assertHeld(): Promise<void>;
  /** Makes what was created, renamed and removed in it survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const DESCRIPTORS = '/proc/self/fd';

/**
 * `by-descriptor` is Linux: a path below /proc/self/fd starts at the open folder, which closes the race for good.
 * `by-path` is everywhere else: the path is compared with the open folder again after each use, which narrows it.
 */
export type Holding = 'by-descriptor' | 'by-path';

export function holdingHere(): Holding {
  return existsSync(DESCRIPTORS) ? 'by-descriptor' : 'by-path';
}

/** Opens `names` below `base`, one at a time and never through a link. Missing ones are made where `make` says so. */
export async function holdFolder(at: {
  readonly base: string;
  readonly names: readonly string[];
  readonly make?: boolean;
  readonly holding: Holding;
}): Promise<HeldFolder> {
  let held = heldFolder(await openFolder(at.base, at.base), at.base, at.holding);
  for (const name of at.names) {
    const next = await holdBelow(held, name, at).finally(() => held.close());
    held = next;
  }
  return held;
}

export async function holdBelow(
  parent: HeldFolder,
  name: string,
  how: { readonly make?: boolean; readonly holding: Holding },
): Promise<HeldFolder> {
  const real = posix.join(parent.real, name);
  if (how.make === true) await makeFolder(parent.at(name));
  const held = heldFolder(await openFolder(parent.at(name), real), real, how.holding);
  try {
    await held.assertHeld();
  } catch (error) {
    await held.close();
    throw error;
  }
  return held;
}

async function makeFolder(path: string): Promise<void> {
  try {
    // kept versions hold what files held, so they are nobody else's to read
    await mkdir(path, basename(path) === '.flyball' ? 0o700 : 0o777);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

async function openFolder(path: string, real: string): Promise<FileHandle> {
  try {
    return await open(path, FOLDER_FLAGS);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTDIR' || code === 'ELOOP') throw swapped(real);
    throw error;
  }
}

function heldFolder(handle: FileHandle, real: string, holding: Holding): HeldFolder {
  const base = holding === 'by-descriptor' ? `${DESCRIPTORS}/${handle.fd}` : real;
  return {
    real,
    at: (name) => `${base}/${name}`,
    async assertHeld() {
      if (holding === 'by-descriptor') return;
      const [mine, theirs, resolved] = await Promise.all([
        handle.stat(),
        stat(real).catch(() => undefined),
        realpath(real).catch(() => undefined),
      ]);
      if (resolved !== real || theirs?.ino !== mine.ino || theirs.dev !== mine.dev) throw swapped(real);
    },
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

export function swapped(path: string): FlyballError {
  return new FlyballError('DENIED', `"${posix.basename(path)}" became a link or something else while it was opened.`, {
    detail: { path },
  });
}

export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
