import { existsSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { commitOn } from './commit-branch.js';
import { type FixRun, makeFixFolder, removeFixFolder, removeOrphans, treeIn } from './fix-folder.js';
import { changedFiles, git, SHARED_MODULES } from './git.js';
import { type TestCommand, testCommandIn } from './test-command.js';
import { testFilesOf } from './test-files.js';

/** A copy of a repository's last commit to work in, with the definition of the loop that works there. */
export interface WorkTree {
  readonly folder: string;
  /** The commit loop as a file, so that a run that waits can be resumed later. It says how the tree is removed. */
  readonly definition: string;
  /** The commit that it was made of. */
  readonly head: string;
  /** Files of the repository that are not as in that commit: nobody works on those. */
  readonly uncommitted: number;
  readonly removeCommand: string;
  /** For a tree in which no run was started. */
  remove(): Promise<void>;
}

export interface WorkTreeOptions {
  readonly branch: string;
  /** The run that it is made for. */
  readonly for: FixRun;
  readonly test?: string;
  readonly format?: string;
  readonly model?: string;
  readonly price?: { readonly input: number; readonly output: number };
  readonly allowTests?: boolean;
  readonly unsandboxed?: boolean;
}

export async function openWorkTree(repository: string, options: WorkTreeOptions): Promise<WorkTree> {
  const root = await rootOf(repository);
  await removeOrphans(root);
  const head = await headOf(root);
  const taken = await commitOn(root, options.branch);
  if (taken !== undefined)
    throw new ConfigError(
      `Branch ${options.branch} already exists in ${root}, at ${taken.slice(0, 12)}. Choose another name with --branch, or delete it.`,
    );
  const tests = testCommandIn(root, options);
  const base = makeFixFolder(root, options.for);
  const folder = treeIn(base);
  const remove = (): Promise<void> => removeFixFolder(root, base);
  try {
    await git(root, ['worktree', 'add', '--detach', folder, head]);
    const read = shareModules(root, folder);
    const definition = join(base, 'fix.yaml');
    writeFileSync(definition, JSON.stringify(definitionOf(options, { ...tests, read }, root), null, 2)); // JSON is YAML
    const removeCommand = `git -C ${JSON.stringify(root)} worktree remove --force ${JSON.stringify(folder)}`;
    const uncommitted = (await changedFiles(root)).length;
    return { folder, definition, head, uncommitted, removeCommand, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function rootOf(repository: string): Promise<string> {
  const given = resolve(repository);
  if (!existsSync(given)) throw new ConfigError(`There is no ${given}.`);
  const found = await git(given, ['rev-parse', '--show-toplevel']).catch((error: unknown) => {
    if (!String(error).includes('not a git repository')) throw error;
    throw new ConfigError(`${given} is not a git repository. Run git init there and commit its files first.`);
  });
  return found.trimEnd();
}

async function headOf(root: string): Promise<string> {
  try {
    return (await git(root, ['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
  } catch (error) {
    const branch = await unbornBranch(root);
    if (branch !== undefined)
      throw new ConfigError(`Branch ${branch} of ${root} has no commit yet. Commit its files first.`);
    throw new ConfigError(
      `The last commit of ${root} cannot be read. Run git status and git fsck there to see what is damaged. ${(error as Error).message}`,
    );
  }
}

/** The branch that the first commit would make. Of a damaged one git says something else than that it is not there. */
async function unbornBranch(root: string): Promise<string | undefined> {
  try {
    const ref = (await git(root, ['symbolic-ref', 'HEAD'])).trim();
    const found = await git(root, ['for-each-ref', '--format=%(objectname)', ref]);
    return found.trim() === '' ? ref.replace('refs/heads/', '') : undefined;
  } catch {
    return undefined; // it is damaged, and whoever asked says so
  }
}

/** Installed packages are in no commit. They are shared, and can only be read. */
function shareModules(root: string, folder: string): readonly string[] {
  const place = join(folder, SHARED_MODULES);
  if (!existsSync(join(root, SHARED_MODULES)) || existsSync(place)) return [];
  const installed = realpathSync(join(root, SHARED_MODULES));
  symlinkSync(installed, place);
  return [installed];
}

function definitionOf(
  { branch, model, price, allowTests, unsandboxed }: WorkTreeOptions,
  { named, ...test }: TestCommand & { readonly read: readonly string[] },
  root: string,
) {
  return {
    kind: 'commit-loop',
    name: 'fix',
    description: 'Fixes an issue in a repository.',
    ...(model === undefined ? {} : { model }),
    ...(price === undefined ? {} : { price }),
    autonomy: 'autonomous', // everything it can change is this work tree
    workspace: 'tree',
    workTreeOf: root,
    tests: [{ level: 'unit', ...test }],
    ...(allowTests === true ? {} : { protect: testFilesOf(root, named), protectTests: true }),
    sandbox: unsandboxed === true ? 'if-available' : 'required',
    exit: { novelty: 1 }, // every issue is new
    whenUnsure: 'fail', // whoever reads the branch decides about it
    branch,
  };
}
