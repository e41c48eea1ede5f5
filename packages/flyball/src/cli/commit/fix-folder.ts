import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { nodeHost } from '../../adapters/host-node/node-host.js';
import { FlyballError } from '../../core/errors.js';
import type { Owner } from '../../core/events.js';
import { ENDED } from '../../operation/retention-plan.js';
import { isThere, openDatabase, recordedPlace } from '../database.js';
import { git } from './git.js';

/**
 * The folder that `flyball fix` makes for one run: the work tree, the definition of the loop, and who it is for. It goes
 * when the run has ended. One whose process died before that is removed by the next fix in the same repository, unless
 * its run can still go on in it.
 */
const PREFIX = 'flyball-fix-';
const TREE = 'tree';
const MADE_FOR = 'made-for.json';

export interface FixRun {
  readonly run: string;
  /** Where that run is, or will be. */
  readonly database: string;
}

interface MadeFor extends FixRun {
  readonly repository: string;
  readonly owner: Owner;
}

/** Says who it is for before git knows of it: whatever git knows can be told apart later. */
export function makeFixFolder(repository: string, fixRun: FixRun): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), PREFIX)));
  const made: MadeFor = { ...fixRun, repository, owner: nodeHost().owner() };
  writeFileSync(join(base, MADE_FOR), JSON.stringify(made));
  return base;
}

export function treeIn(base: string): string {
  return join(base, TREE);
}

export async function removeFixFolder(repository: string, base: string): Promise<void> {
  if ((await registered(repository)).includes(base))
    await git(repository, ['worktree', 'remove', '--force', treeIn(base)]);
  rmSync(base, { recursive: true, force: true });
}

/** Whether a run was started in such a folder that is there no more. */
export function isFixFolderGone(source: string): boolean {
  return basename(dirname(source)).startsWith(PREFIX) && basename(source) === 'fix.yaml' && !existsSync(source);
}

/** Removes what earlier fixes in this repository have left and nobody can use any more. */
export async function removeOrphans(repository: string): Promise<void> {
  const here = readdirSync(realpathSync(tmpdir()))
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(realpathSync(tmpdir()), name));
  const known = await registered(repository);
  for (const base of new Set([...known, ...here]))
    if (existsSync(base) ? await isOrphan(repository, base) : known.includes(base))
      await removeFixFolder(repository, base);
}

/** The folders around work trees that git has registered for a fix. */
async function registered(repository: string): Promise<readonly string[]> {
  const listed = await git(repository, ['worktree', 'list', '--porcelain']);
  return listed
    .split('\n')
    .flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []))
    .filter((path) => basename(path) === TREE && basename(dirname(path)).startsWith(PREFIX))
    .map((path) => dirname(path));
}

/** In doubt it stays. */
async function isOrphan(repository: string, base: string): Promise<boolean> {
  // a folder for temporary files is everybody's: what others wrote there is neither read nor removed
  if (lstatSync(base).uid !== process.getuid?.()) return false;
  const made = madeFor(base);
  if (made === undefined || made.repository !== repository || !nodeHost().isGone(made.owner)) return false;
  // a server that cannot be asked says nothing of the run, which opening it will show
  const isKept = await isThere(recordedPlace(made)).catch(() => true);
  return isKept ? hasEnded(made) : true;
}

function madeFor(base: string): MadeFor | undefined {
  try {
    return JSON.parse(readFileSync(join(base, MADE_FOR), 'utf8')) as MadeFor;
  } catch {
    return undefined; // not ours, or cut off while it was written: then there is no work tree either
  }
}

async function hasEnded({ run, database }: FixRun): Promise<boolean> {
  try {
    const engine = await openDatabase(recordedPlace({ database }));
    try {
      const record = await engine.get(run);
      return record === undefined || ENDED.includes(record.status);
    } finally {
      await engine.close();
    }
  } catch (error) {
    if (error instanceof FlyballError) return false; // a database that cannot be read: its run may be in it
    throw error;
  }
}
