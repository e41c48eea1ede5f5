import { existsSync, statSync } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, FlyballError } from 'flyball';
import { makeFolder, quoted } from 'flyball/internal';
import type { Checkpoint, Condition } from '../experiment/experiment.js';
import { DEFAULT_SETTINGS, type ExperimentSettings, readSettings } from '../experiment/settings.js';
import { readResultsFile, resultsFile } from '../files/results-file.js';
import type { Results } from '../results/simulation-record.js';

const SETTINGS = 'experiment.json';
const RESULTS = 'results.json';

/** What is kept beside the results, so that the experiment goes on with the same words. */
export interface Kept {
  readonly settings: ExperimentSettings;
  /** Where its data were; absent for what ships with the package. */
  readonly data?: string;
}

/** The folder of an experiment: its settings, its journal, and a results file for each condition. */
export class ExperimentFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  get journal(): string {
    return join(this.path, 'journal.db');
  }

  /** Who works in it now. */
  get lock(): string {
    return join(this.path, 'running');
  }

  get exists(): boolean {
    return existsSync(join(this.path, SETTINGS));
  }

  /** Refuses to begin where one was begun. */
  requireNew(): void {
    if (this.exists)
      throw new FlyballError(
        'CONFIG_INVALID',
        `${this.path} already contains an experiment. Continue it with flyball evals resume ${quoted(this.path)}, or name another folder with --out.`,
      );
    makeFolder(this.path);
  }

  async begin(kept: Kept): Promise<void> {
    const part = join(this.path, `${SETTINGS}.part`);
    await writeFile(part, `${JSON.stringify(kept, null, 2)}\n`);
    await rename(part, join(this.path, SETTINGS));
  }

  async kept(): Promise<Kept> {
    const file = join(this.path, SETTINGS);
    if (!this.exists)
      throw new ConfigError(
        `There is no experiment in ${this.path}: it has no ${SETTINGS}. Start one with: flyball evals run --out ${quoted(this.path)}`,
      );
    const { settings, data } = keptIn(await readFile(file, 'utf8'), file);
    return {
      settings: { ...DEFAULT_SETTINGS, ...readSettings(settings, () => file) },
      ...(data === undefined ? {} : { data }),
    };
  }

  checkpoint(condition: Condition): Checkpoint {
    return resultsFile(join(this.path, condition.name, RESULTS));
  }
}

function keptIn(text: string, file: string): { readonly settings?: unknown; readonly data?: string } {
  try {
    return Object(JSON.parse(text)) as { settings?: unknown; data?: string };
  } catch (error) {
    throw new ConfigError(`${file} is not valid JSON: ${(error as Error).message}. Start again in another folder.`);
  }
}

/** Results files under paths: a file, a folder of a condition, or a folder of an experiment with several. */
export async function resultsFilesUnder(paths: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(paths.map(filesUnder))).flat();
}

/** What the experiment that a results file belongs to began with; undefined for a file that lies alone. */
export async function keptBeside(file: string): Promise<Kept | undefined> {
  const folders = [dirname(file), dirname(dirname(file))].map((path) => new ExperimentFolder(path));
  return folders.find(({ exists }) => exists)?.kept();
}

export async function resultsUnder(
  paths: readonly string[],
): Promise<readonly { readonly file: string; readonly results: Results }[]> {
  const files = await resultsFilesUnder(paths);
  return Promise.all(files.map(async (file) => ({ file, results: await readable(file) })));
}

async function readable(file: string): Promise<Results> {
  try {
    return await readResultsFile(file);
  } catch (error) {
    if (!(error instanceof FlyballError)) throw error;
    const why = error.message.startsWith(file) ? error.message : `${file}: ${error.message}`;
    throw new FlyballError(error.code, `${why} Name a results.json of this command or of tau2-bench.`, {
      cause: error,
    });
  }
}

async function filesUnder(path: string): Promise<readonly string[]> {
  if (path.endsWith('.json') && existsSync(path)) return [path];
  if (existsSync(join(path, RESULTS))) return [join(path, RESULTS)];
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const names = isFolder ? (await readdir(path)).sort() : [];
  const found = names.map((name) => join(path, name, RESULTS)).filter((file) => existsSync(file));
  if (found.length > 0) return found;
  throw new ConfigError(
    `There is no ${RESULTS} in ${path}. Name a results file, or the folder of an experiment (flyball evals run --out <folder>).`,
  );
}
