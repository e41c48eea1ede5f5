import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ConfigError } from 'flyball';
import type { WorkspaceMaker } from 'flyball/internal';

/** One time for all files, so that a listing is the same wherever and whenever it is made. */
const MADE_AT = new Date('2025-01-01T00:00:00Z');
/** Files written at one time. */
const WIDTH = 32;

/** Makes workspaces in a folder, the system's temporary one where none is named. What is still open is removed at exit. */
export function workspaceFolder(under: string = tmpdir()): WorkspaceMaker {
  if (!isAbsolute(under)) throw new ConfigError(`A workspace needs an absolute path, got ${under}.`);
  const open = new Set<string>();
  let watched = false;
  return async (files) => {
    const wrong = [...files.keys()].find((name) => !/^[^/\0]+$/.test(name) || name === '.' || name === '..');
    if (wrong !== undefined)
      throw new ConfigError(`${JSON.stringify(wrong)} is not a valid name for a file in a workspace.`);
    await mkdir(under, { recursive: true });
    const path = await realpath(await mkdtemp(join(under, 'flyball-workspace-')));
    open.add(path);
    if (!watched) process.once('exit', () => removeAll(open));
    watched = true;
    await fill(path, [...files]);
    return {
      path,
      async close() {
        open.delete(path);
        await rm(path, { recursive: true, force: true });
      },
    };
  };
}

async function fill(path: string, files: readonly (readonly [string, string])[]): Promise<void> {
  for (let from = 0; from < files.length; from += WIDTH)
    await Promise.all(
      files.slice(from, from + WIDTH).map(async ([name, text]) => {
        await writeFile(join(path, name), text);
        await utimes(join(path, name), MADE_AT, MADE_AT);
      }),
    );
}

function removeAll(paths: ReadonlySet<string>): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}
