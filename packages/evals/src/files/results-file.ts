import { randomUUID } from 'node:crypto';
import { constants, readdirSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Checkpoint } from '../experiment/experiment.js';
import { readResults, resultsPieces } from '../results/results-text.js';
import type { Results } from '../results/simulation-record.js';

/** Reads a results file, or a folder in the directory form: `results.json` and one file for each simulation. */
export async function readResultsFile(path: string): Promise<Results> {
  const file = (await stat(path)).isDirectory() ? join(path, 'results.json') : path;
  const folder = join(dirname(file), 'simulations');
  const text = (id: string): string | undefined => {
    if (basename(id) !== id) return undefined; // an id is a name, never a way out of the folder
    return ifThere(() => readFileSync(join(folder, `${id}.json`), 'utf8'));
  };
  const names = ifThere(() => readdirSync(folder)) ?? [];
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  return readResults(await readFile(file, 'utf8'), file, { ids: ids.sort(), text });
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the whole file beside its place and puts it there in one step: a reader, or a crash, never sees a part of it. */
export async function writeResultsFile(path: string, results: Results): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${randomUUID()}.part`;
  try {
    const file = await open(beside, 'wx');
    try {
      for (const piece of resultsPieces(results)) await file.appendFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** The results of one condition in one file. */
export function resultsFile(path: string): Checkpoint {
  return {
    load: async () => {
      await dropParts(path);
      try {
        return await readResultsFile(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    save: (results) => writeResultsFile(path, results),
  };
}

/** What a killed process left half written. One process at a time writes a file. */
async function dropParts(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => []);
  const parts = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.part'));
  for (const part of parts) await rm(join(dirname(path), part), { force: true });
}

/** A rename is durable once its folder is; a system that cannot sync folders keeps its own promise about them. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
