import { existsSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { git, SHARED_MODULES } from './git.js';

export interface BranchCommit {
  readonly branch: string;
  readonly commit: string;
}

/** Files as they would be committed, on top of a commit. Nothing refers to them yet. */
export interface MadeTree {
  readonly tree: string;
  readonly parent: string;
  readonly files: readonly string[];
}

/**
 * These files of a work tree, as they are, on top of its last commit. Index and checked-out files stay as they are, in
 * this work tree and in every other.
 */
export function makeTree(folder: string, files: readonly string[], scratch: string): Promise<MadeTree> {
  if (files.length === 0) throw new ConfigError('Nothing was changed, so there is nothing to commit.');
  return withIndex(scratch, async (own) => {
    const parent = (await git(folder, ['rev-parse', 'HEAD'])).trim();
    await git(folder, ['read-tree', parent], own);
    await git(folder, ['add', '--all', '--', ...files], { ...own, GIT_LITERAL_PATHSPECS: '1' });
    return { tree: (await git(folder, ['write-tree'], own)).trim(), parent, files };
  });
}

/** The whole tree as files in a folder, with nothing beside that is not committed. */
export async function checkOut(folder: string, tree: string, into: string): Promise<void> {
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  const top = (await git(folder, ['rev-parse', '--show-toplevel'])).trimEnd();
  await withIndex(dirname(into), async (own) => {
    await git(top, ['read-tree', tree], own);
    await git(top, ['checkout-index', '--all', `--prefix=${into}/`], own);
  });
  const modules = join(top, SHARED_MODULES); // installed packages are in no commit
  if (existsSync(modules) && !existsSync(join(into, SHARED_MODULES)))
    await symlink(realpathSync(modules), join(into, SHARED_MODULES));
}

/** The tree as a commit under a new branch. Made twice, it answers the same commit. */
export async function commitToBranch(
  folder: string,
  { tree, parent }: Pick<MadeTree, 'tree' | 'parent'>,
  { branch, message }: { readonly branch: string; readonly message: string },
): Promise<BranchCommit> {
  const known = await commitOn(folder, branch);
  if (known !== undefined) {
    const [theirTree, theirParent] = (await git(folder, ['show', '-s', '--format=%T %P', known])).trim().split(' ');
    if (theirTree === tree && theirParent === parent) return { branch, commit: known };
    throw new ConfigError(`Branch ${branch} already exists with other commits. Choose another name.`);
  }
  const words = ['commit-tree', tree, '-p', parent, '-m', message];
  const commit = (await git(folder, words, await author(folder))).trim();
  await git(folder, ['update-ref', `refs/heads/${branch}`, commit, '0'.repeat(parent.length)]);
  return { branch, commit };
}

export async function commitOn(folder: string, branch: string): Promise<string | undefined> {
  const found = await git(folder, ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`]);
  return found.trim() === '' ? undefined : found.trim().split('\n')[0];
}

/** An index of our own: that of the work tree stays as it is. In a folder that goes with the run, should it be killed. */
async function withIndex<T>(folder: string, use: (own: Readonly<Record<string, string>>) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, 'index-'));
  try {
    return await use({ GIT_INDEX_FILE: join(scratch, 'index') });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Whoever runs this; a name of our own where git knows none. */
async function author(folder: string): Promise<Readonly<Record<string, string>>> {
  const isKnown = await git(folder, ['var', 'GIT_COMMITTER_IDENT']).then(
    () => true,
    () => false,
  );
  if (isKnown) return {};
  const name = 'Flyball';
  const email = 'flyball@localhost';
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}
