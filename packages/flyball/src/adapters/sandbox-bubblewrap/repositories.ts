import { lstat, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Mount, SandboxJob } from '../../ports/sandbox.js';
import { entriesBelow, type Found, unlessGone } from './written-files.js';

/** Git repositories below some folders: where each is, and which one it is. */
export type Repositories = ReadonlyMap<string, string>;

/**
 * The settings of a repository name programs, and git on the host starts them. A job that is git itself is held to rules
 * about its arguments and makes repositories for a living; every other one must leave them alone.
 */
export function mayMakeRepositories({ stages }: SandboxJob): boolean {
  return stages.every(([program]) => program === 'git' || program === '/usr/bin/git');
}

/** Every `.git`, folder or file, and every folder that git would take for a bare repository. */
export async function repositoriesBelow(folders: readonly string[]): Promise<Repositories> {
  const known = new Map<string, string>();
  for await (const { folder, found } of entriesBelow(folders, (path) => !known.has(path))) {
    const here = isBare(found) ? [folder] : found.filter(({ entry }) => isGitName(entry.name)).map(({ path }) => path);
    for (const path of here) {
      const stats = await unlessGone(lstat(path, { bigint: true }));
      if (stats !== undefined) known.set(path, `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`);
    }
  }
  return known;
}

/** What there is of them becomes read-only, except where the job's own mounts say otherwise. */
export function keptRepositories(known: Repositories, mounts: readonly Mount[]): readonly Mount[] {
  return [...known.keys()]
    .filter((path) => isGitName(basename(path)) && !mounts.some((mount) => `${mount.path}/`.startsWith(`${path}/`)))
    .map((path) => ({ path, access: 'read-only' as const }));
}

/** Renames those that were not there before, so that git does not find them, and says what they are called now. */
export async function setAside(before: Repositories, folders: readonly string[]): Promise<readonly string[]> {
  const after = await repositoriesBelow(folders);
  const planted = [...after].filter(([path, id]) => before.get(path) !== id).map(([path]) => path);
  return Promise.all(planted.map((path) => hidden(path)));
}

async function hidden(path: string): Promise<string> {
  const head = join(path, 'HEAD'); // without it, git takes no folder for a repository
  await unlessGone(rename(head, `${head}.planted`));
  if (!isGitName(basename(path))) return path;
  const aside = join(dirname(path), `git-planted-${Date.now().toString(36)}`);
  await rename(path, aside);
  return aside;
}

/** Some disks do not tell letters of different case apart. */
function isGitName(name: string): boolean {
  return name.toLowerCase() === '.git';
}

function isBare(found: readonly Found[]): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => found.some(({ entry }) => entry.name === name));
}
