import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { git } from './git.js';
import { testCommandIn } from './test-command.js';

/** A copy of a repository's last commit to work in, with the definition of the loop that works there. */
export interface WorkTree {
  readonly folder: string;
  /** The commit loop as a file, so that a run that waits can be resumed later. */
  readonly definition: string;
  /** The commit that it was made of. */
  readonly head: string;
  readonly removeCommand: string;
  remove(): Promise<void>;
}

export interface WorkTreeOptions {
  readonly branch: string;
  readonly test?: string;
  readonly format?: string;
  readonly model?: string;
  readonly price?: { readonly input: number; readonly output: number };
}

export async function openWorkTree(repository: string, options: WorkTreeOptions): Promise<WorkTree> {
  const root = await rootOf(repository);
  const head = (await git(root, ['rev-parse', '--verify', 'HEAD'])).trim();
  const tests = testCommandIn(root, options);
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-fix-')));
  const folder = join(base, 'tree');
  const remove = async (): Promise<void> => {
    if (existsSync(folder)) await git(root, ['worktree', 'remove', '--force', folder]);
    rmSync(base, { recursive: true, force: true });
  };
  try {
    await git(root, ['worktree', 'add', '--detach', folder, head]);
    const read = shareModules(root, folder);
    const definition = join(base, 'fix.yaml');
    writeFileSync(definition, JSON.stringify(definitionOf(options, { ...tests, read }), null, 2)); // JSON is YAML
    const removeCommand = `git -C ${JSON.stringify(root)} worktree remove --force ${JSON.stringify(folder)}`;
    return { folder, definition, head, removeCommand, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function rootOf(repository: string): Promise<string> {
  const given = resolve(repository);
  if (!existsSync(given)) throw new ConfigError(`There is no ${given}.`);
  return (await git(given, ['rev-parse', '--show-toplevel'])).trimEnd();
}

/** Installed packages are in no commit. They are shared, and can only be read. */
function shareModules(root: string, folder: string): readonly string[] {
  const installed = join(root, 'node_modules');
  const place = join(folder, 'node_modules');
  if (!existsSync(installed) || existsSync(place)) return [];
  symlinkSync(installed, place);
  return [installed];
}

function definitionOf(
  { branch, model, price }: WorkTreeOptions,
  test: { readonly command: readonly string[]; readonly format: string; readonly read: readonly string[] },
) {
  return {
    kind: 'commit-loop',
    name: 'fix',
    description: 'Fixes an issue in a repository.',
    ...(model === undefined ? {} : { model }),
    ...(price === undefined ? {} : { price }),
    autonomy: 'autonomous', // everything it can change is this work tree
    workspace: 'tree',
    tests: [{ level: 'unit', ...test }],
    exit: { novelty: 1 }, // every issue is new
    whenUnsure: 'fail', // whoever reads the branch decides about it
    branch,
  };
}
