import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { failureOf } from '../../core/errors.js';

/** What belongs to a skill folder, by path with `/`. */
export interface Listing {
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** Every folder, the skill's own as ''. What a watcher watches. */
  readonly folders: readonly string[];
  readonly problems: readonly {
    readonly level: 'error' | 'warning';
    readonly path: string;
    readonly message: string;
  }[];
}

/** Left behind by other programs: no part of a skill, and changed by using it. */
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', '__pycache__', '.DS_Store']);
const MOST_FILES = 1000;
const MOST_BYTES = 50_000_000;
const DEEPEST = 8;

export async function listFiles(folder: string): Promise<Listing> {
  const walk = new Walk(folder, await realpath(folder));
  await walk.into('', 0);
  return walk.listing();
}

class Walk {
  private readonly root: string;
  private readonly real: string;
  private readonly files: { path: string; bytes: number }[] = [];
  private readonly folders: string[] = [];
  private readonly problems: Listing['problems'][number][] = [];
  private bytes = 0;

  constructor(root: string, real: string) {
    this.root = root;
    this.real = real;
  }

  listing(): Listing {
    const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1);
    return { files: this.files.sort(byPath), folders: this.folders, problems: this.problems };
  }

  async into(path: string, depth: number): Promise<void> {
    if (depth > DEEPEST) return this.wrong(path, `Folders are nested more than ${DEEPEST} deep. Flatten them.`);
    this.folders.push(path);
    for (const name of (await readdir(join(this.root, path))).sort()) {
      if (PASSED_OVER.has(name)) continue;
      if (this.files.length >= MOST_FILES)
        return this.wrong(path, `The skill has more than ${MOST_FILES} files. Keep what is needed.`);
      await this.entry(path === '' ? name : `${path}/${name}`, depth);
    }
  }

  private async entry(path: string, depth: number): Promise<void> {
    const found = await lstat(join(this.root, path)).catch((error: unknown) => this.gone(path, error));
    if (found === undefined) return;
    if (found.isDirectory()) return this.into(path, depth + 1);
    if (found.isSymbolicLink()) return this.link(path);
    if (found.isFile()) this.add(path, found.size);
    else this.wrong(path, 'It is neither a file nor a folder. Remove it.');
  }

  /** A link inside the folder counts as the file it leads to; one that leads out is a mistake or an attack. */
  private async link(path: string): Promise<void> {
    const target = await realpath(join(this.root, path)).catch((error: unknown) => this.gone(path, error));
    if (target === undefined) return;
    if (!target.startsWith(this.real + sep))
      return this.wrong(path, 'The link leads out of the skill. Put the file itself into the folder.');
    const found = await stat(target);
    if (found.isFile()) this.add(path, found.size);
    else
      this.problems.push({
        level: 'warning',
        path,
        message: 'A link to a folder is not followed. Name the files by their own folder.',
      });
  }

  private add(path: string, bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > MOST_BYTES && this.bytes - bytes <= MOST_BYTES)
      this.wrong(path, `The files of the skill have more than ${MOST_BYTES} bytes together. Keep what is needed.`);
    this.files.push({ path, bytes });
  }

  private gone(path: string, error: unknown): undefined {
    return this.wrong(path, `It cannot be read: ${failureOf(error).message}. Remove or fix it.`);
  }

  private wrong(path: string, message: string): undefined {
    this.problems.push({ level: 'error', path, message });
    return undefined;
  }
}
