import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { FlyballError } from '../../core/errors.js';
import { resourcePath } from '../../skills/resource-path.js';

/**
 * Opens a file of a folder and gives its bytes. The text of the path may not lead out, nor may any link on the way:
 * after opening, the place where the path really leads has to lie inside the folder and be the very file that is open.
 */
export async function readInside(folder: string, given: string, maxBytes: number): Promise<Uint8Array> {
  const checked = resourcePath(given);
  if (!checked.ok) throw refused(given, checked.why);
  const path = join(folder, ...checked.path.split('/'));
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw refused(given, reason(error), error);
  });
  try {
    const { size } = await insideOf(file, folder, path, given);
    if (size > maxBytes) throw refused(given, `It has ${size} bytes, and at most ${maxBytes} are read.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function insideOf(
  file: FileHandle,
  folder: string,
  path: string,
  given: string,
): Promise<{ readonly size: number }> {
  const opened = await file.stat();
  if (!opened.isFile()) throw refused(given, 'It is not a file.');
  const [root, real] = await Promise.all([realpath(folder), realpath(path)]).catch((error: unknown) => {
    throw refused(given, reason(error), error);
  });
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
    throw refused(given, 'A link in it leads out of the folder of the skill.');
  const there = await stat(real).catch((error: unknown) => {
    throw refused(given, reason(error), error);
  });
  // opened through a link that was changed since: what is open lies somewhere else
  if (there.dev !== opened.dev || there.ino !== opened.ino)
    throw refused(given, 'It was exchanged while it was opened.');
  return opened;
}

function reason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR'
    ? 'There is no such file.'
    : `The system says ${code ?? String(error)}.`;
}

function refused(given: string, why: string, cause?: unknown): FlyballError {
  return new FlyballError('INPUT_INVALID', `${given.slice(0, 200)} cannot be read from the skill. ${why}`, { cause });
}
