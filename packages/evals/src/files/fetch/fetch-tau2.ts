import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from 'flyball';
import { dumpJson } from '../../tau2/python/json.js';
import { bankingToolData, mockToolData } from '../../tau2/python-source/toolkits.js';
import { archiveBytes, stopped } from './archive-bytes.js';
import { differencesFrom } from './differences.js';
import { type Manifest, TAU2 } from './manifest.js';
import { sha256Of, type TakenFiles, takeFiles } from './taken-files.js';

/** Options of downloading the benchmark. */
export interface FetchOptions {
  /** Address or file of the archive; where the revision is published, where absent. */
  readonly from?: string;
  readonly to: string;
  readonly signal?: AbortSignal;
  readonly onBytes?: (got: number, of: number | undefined) => void;
  /** What must be in it; the pinned revision where absent. */
  readonly manifest?: Manifest;
}

/** What was downloaded, and where to. */
export interface Fetched {
  readonly to: string;
  readonly revision: string;
  readonly files: number;
  readonly bytes: number;
  /** Everything was there already: nothing was fetched. */
  readonly wasThere: boolean;
}

/**
 * Fetches the benchmark's data into a folder of their own. What comes is checked as a whole before anything is written, and
 * the folder appears in one step, so that it holds the revision or is not there. A folder with something else is left alone.
 */
export async function fetchTau2(options: FetchOptions): Promise<Fetched> {
  const { manifest = TAU2, signal = new AbortController().signal, onBytes = () => undefined } = options;
  const to = resolve(options.to);
  const there = await filesThere(to);
  if (there !== undefined) return alreadyThere(to, there, manifest);
  const bytes = archiveBytes(options.from ?? manifest.url, { signal, onBytes });
  const data = checked(withTools(await takeFiles(bytes, manifest)), manifest);
  if (signal.aborted) throw stopped();
  await place(to, data);
  return { ...report(to, data, manifest), wasThere: false };
}

function report(to: string, data: ReadonlyMap<string, Uint8Array>, { revision }: Manifest): Omit<Fetched, 'wasThere'> {
  const bytes = [...data.values()].reduce((sum, content) => sum + content.length, 0);
  return { to, revision, files: data.size, bytes };
}

/** Undefined where there is no such folder, or nothing in it. */
async function filesThere(to: string): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const found = await stat(to).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  if (!found.isDirectory()) throw new ConfigError(`${to} is a file. Name a folder with --to.`);
  const entries = await readdir(to, { recursive: true, withFileTypes: true });
  if (entries.length === 0) return undefined;
  const files = new Map<string, Uint8Array>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(to.length + 1).replaceAll('\\', '/'), await readFile(path));
  }
  return files;
}

function alreadyThere(to: string, files: ReadonlyMap<string, Uint8Array>, manifest: Manifest): Fetched {
  const differences = differencesFrom(manifest, files);
  if (differences.length === 0) return { ...report(to, files, manifest), wasThere: true };
  throw new ConfigError(
    `${to} is there already and is not revision ${manifest.revision}: ${someOf(differences)}. ` +
      'Name another folder with --to, or remove that one first.',
  );
}

/** The descriptions of the tools are in the Python sources. */
function withTools({ data, sources }: TakenFiles): ReadonlyMap<string, Uint8Array> {
  const bank = sources.get('banking_knowledge');
  const mock = sources.get('mock');
  if (bank === undefined || mock === undefined)
    throw new ConfigError('The archive is not tau2-bench: it has no Python files of the two domains.');
  const policy = data.get('domains/mock/policy.md');
  return new Map<string, Uint8Array>([
    ...data,
    ['domains/banking_knowledge/tools.json', json(bankingToolData(bank))],
    ['domains/mock/tools.json', json(mockToolData(mock, sha256Of(policy ?? '')))],
  ]);
}

function json(value: Parameters<typeof dumpJson>[0]): Uint8Array {
  return Buffer.from(dumpJson(value, { indent: 1 }));
}

function checked(data: ReadonlyMap<string, Uint8Array>, manifest: Manifest): ReadonlyMap<string, Uint8Array> {
  const differences = differencesFrom(manifest, data);
  if (differences.length === 0) return data;
  throw new ConfigError(
    `The archive is not revision ${manifest.revision} of tau2-bench: ${someOf(differences)}. Nothing was written. ` +
      'Fetch it from where it is published, or from another mirror.',
  );
}

const MOST_NAMED = 5;

function someOf(differences: readonly string[]): string {
  const more = differences.length - MOST_NAMED;
  return [...differences.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

async function place(to: string, data: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const part = `${to}.${randomUUID()}.part`;
  try {
    for (const folder of new Set([...data.keys()].map((path) => dirname(path))))
      await mkdir(join(part, folder), { recursive: true });
    for (const [path, content] of data) await writeFile(join(part, path), content);
    await rename(part, to);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}
