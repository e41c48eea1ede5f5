import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { git } from './git.js';

export interface BranchCommit {
  readonly branch: string;
  readonly commit: string;
}

/**
 * Puts these files of a work tree, as they are, on top of its last commit under a new branch. Index and checked-out
 * files stay as they are, in this work tree and in every other. Made twice, it answers the same commit.
 */
export async function commitToBranch(
  folder: string,
  given: { readonly branch: string; readonly files: readonly string[]; readonly message: string },
): Promise<BranchCommit> {
  const { branch, files, message } = given;
  if (files.length === 0) throw new ConfigError('Nothing was changed, so there is nothing to commit.');
  const scratch = await mkdtemp(join(tmpdir(), 'flyball-index-'));
  try {
    const own = { GIT_INDEX_FILE: join(scratch, 'index'), GIT_LITERAL_PATHSPECS: '1' };
    const head = (await git(folder, ['rev-parse', 'HEAD'])).trim();
    await git(folder, ['read-tree', head], own);
    await git(folder, ['add', '--all', '--', ...files], own);
    const tree = (await git(folder, ['write-tree'], own)).trim();
    const known = await commitOn(folder, branch);
    if (known !== undefined) {
      const [theirTree, parent] = (await git(folder, ['show', '-s', '--format=%T %P', known])).trim().split(' ');
      if (theirTree === tree && parent === head) return { branch, commit: known };
      throw new ConfigError(`There is a branch ${branch} with something else on it. Choose another name.`);
    }
    const commit = (
      await git(folder, ['commit-tree', tree, '-p', head, '-m', message], { ...own, ...(await author(folder)) })
    ).trim();
    await git(folder, ['update-ref', `refs/heads/${branch}`, commit, '0'.repeat(head.length)]);
    return { branch, commit };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function commitOn(folder: string, branch: string): Promise<string | undefined> {
  const found = await git(folder, ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`]);
  return found.trim() === '' ? undefined : found.trim().split('\n')[0];
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
