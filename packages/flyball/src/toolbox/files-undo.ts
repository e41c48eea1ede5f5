import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { FlyballError } from '../core/errors.js';
import { codeOf, type HeldFolder, type Holding, holdFolder } from './files-held.js';
import type { FileState } from './files-present.js';
import { replaceFile } from './files-replace.js';

/** Absence is undefined. */
export interface FileChange {
  readonly real: string;
  readonly before?: FileState;
  readonly after?: FileState;
}

/**
 * What is known about one change before it is made, so that it can be verified and undone whatever happens after:
 * the previous bytes are kept beside the project and not in the journal, because a crash can come before the journal
 * holds anything.
 */
export interface UndoRecord<R = unknown> {
  readonly version: 1;
  readonly key: string;
  /** A moved file is moved back; all others get their bytes back. */
  readonly kind: 'replace' | 'move';
  readonly changes: readonly FileChange[];
  /** Folders made on the way, outermost first. */
  readonly madeFolders: readonly string[];
  readonly result: R;
}

export interface UndoFolder {
  save(record: UndoRecord, contents: readonly Buffer[]): Promise<void>;
  /** Undefined where nothing was kept under this key. Contents are those of the changes with a `before`, in order. */
  load(key: string): Promise<{ readonly record: UndoRecord; readonly contents: readonly Buffer[] } | undefined>;
}

const KEPT_RECORDS = 2000;
const PRUNE_EVERY = 100;

/** `names` below `base` are walked without following links: `base` is the user's, what lies below an agent may reach. */
export function undoFolder(at: {
  readonly base: string;
  readonly names: readonly string[];
  readonly holding: Holding;
  readonly keep?: number;
}): UndoFolder {
  let saves = 0;
  const within = async <T>(use: (folder: HeldFolder) => Promise<T>): Promise<T> => {
    if (at.names.length === 0) await mkdir(at.base, { recursive: true });
    const folder = await holdFolder({ ...at, base: await realpath(at.base), make: true });
    try {
      return await use(folder);
    } finally {
      await folder.close();
    }
  };
  return {
    save: (record, contents) =>
      within(async (folder) => {
        const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(record)}\n`), ...contents]);
        await replaceFile(folder, { name: fileOf(record.key), bytes, id: undoId(record.key), mode: 0o600 });
        if (saves++ % PRUNE_EVERY === 0) await prune(folder, at.keep ?? KEPT_RECORDS);
      }),
    load: (key) => within((folder) => read(folder, key)),
  };
}

/** The name of what belongs to an effect: keys hold characters that file names do not. */
export function undoId(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, 22);
}

function fileOf(key: string): string {
  return `${undoId(key)}.undo`;
}

async function read(folder: HeldFolder, key: string): ReturnType<UndoFolder['load']> {
  const bytes = await readFile(folder.at(fileOf(key)), { flag: constants.O_RDONLY | constants.O_NOFOLLOW }).catch(
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    },
  );
  if (bytes === undefined) return undefined;
  const end = bytes.indexOf('\n');
  const record = JSON.parse(bytes.toString('utf8', 0, end)) as UndoRecord;
  if (record.version !== 1 || record.key !== key)
    throw new FlyballError(
      'EFFECT_FAILED',
      `${folder.real}/${fileOf(key)} is not a record of ${key}; check it manually.`,
    );
  let from = end + 1;
  const contents = record.changes.flatMap(({ before }) => {
    if (before === undefined || record.kind === 'move') return [];
    from += before.size;
    return [bytes.subarray(from - before.size, from)];
  });
  return { record, contents };
}

/** The oldest go first: a run that old has long ended. */
async function prune(folder: HeldFolder, keep: number): Promise<void> {
  const names = (await readdir(folder.at('.'))).filter((name) => name.endsWith('.undo'));
  if (names.length <= keep) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(folder.at(name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  aged.sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length - keep)) await rm(folder.at(name), { force: true });
}
