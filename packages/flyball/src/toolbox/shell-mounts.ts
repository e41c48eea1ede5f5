import { realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Mount, SandboxJob } from '../ports/sandbox.js';
import type { CommandRules } from '../tools/rules/commands.js';
import { familyOf } from '../tools/rules/commands-launchers.js';

/**
 * The mounts, and read-only on top of those that can be written what says which programs run later: `.flyball` and
 * `.git`. Looked up for every command, as one of them may have come since.
 */
export function withKeptFolders({ cwd, mounts }: Omit<SandboxJob, 'stages'>, rules: CommandRules): readonly Mount[] {
  const names = ['.flyball', ...keptOfGit(rules)];
  const kept = mounts
    .filter(({ access }) => access === 'read-write')
    .flatMap(({ path }) =>
      foldersBetween(path, cwd).flatMap((folder) => names.flatMap((name) => existing(path, folder, name))),
    );
  const isNamed = (path: string) => mounts.some((mount) => mount.path === path);
  return [
    ...mounts,
    ...[...new Set(kept)].filter((path) => !isNamed(path)).map((path) => ({ path, access: 'read-only' as const })),
  ];
}

/** A git that may write needs its folder, but neither its settings nor its hooks: those name programs. */
function keptOfGit({ programs }: CommandRules): readonly string[] {
  const writing = Object.entries(programs).filter(([name, rule]) => familyOf(name) === 'git' && rule.readOnly !== true);
  if (writing.length === 0) return ['.git'];
  return writing.some(([, rule]) => rule.permit?.includes('config') === true)
    ? ['.git/hooks']
    : ['.git/hooks', '.git/config'];
}

/** The mounted folder, and every folder on the way from it to where commands run: git looks in all of them. */
function foldersBetween(top: string, cwd: string): string[] {
  if (!isInside(top, cwd)) return [top];
  const folders = [top];
  for (let folder = cwd; folder !== top && folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  return folders;
}

function existing(top: string, folder: string, name: string): string[] {
  try {
    const way = relative(realpathSync(top), realpathSync(join(folder, name)));
    const path = join(top, way);
    return isInside(top, path) ? [path] : [];
  } catch (error) {
    // not there, or its parent is a file: nothing to keep
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

function isInside(top: string, path: string): boolean {
  const way = relative(top, path);
  return way === '' || (way !== '..' && !way.startsWith('../'));
}
