import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, EventOf, Outcome } from 'flyball';
import { type CommitResult, verifyCommit } from 'flyball/loops';
import { describe, expect, it } from 'vitest';
import { root as home } from '../../scripts/files.mjs';
import { LATER_MS } from '../programs/process-agents.js';
import { TESTS } from '../programs/repository-agent.js';
import type { RepositoryJob } from '../programs/repository-process.js';
import { eventsOf } from '../runtime/stage.js';
import { type Bed, repositoryBed, type Tree } from './repository-bed.js';

const PROGRAM = join(home, 'dist-programs/repository-process.js');

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly said?: { readonly outcome: Outcome<CommitResult>; readonly entries: readonly Entry[] };
}

async function processIn(
  { base, root, undoFolder }: Bed,
  given: Pick<RepositoryJob, 'way' | 'dieAt' | 'aheadMs'>,
): Promise<Ended> {
  if (!existsSync(PROGRAM))
    throw new Error('The test programs are not built. Run `npm test`, or `node scripts/ensure.mjs` first.');
  mkdirSync(join(base, 'state'), { recursive: true });
  const job: RepositoryJob = { path: join(base, 'state/runs.db'), root, undoFolder, ...given };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, JSON.stringify(job)], {
    env: { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined }, // the runner's own are not for this one
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { signal, ...(out === '' ? {} : { said: JSON.parse(out) as NonNullable<Ended['said']> }) };
}

/** Effects that changed a file, by their ids, as often as the journal says that they took place. */
function changesIn(entries: readonly Entry[]): readonly string[] {
  const isChange = ({ of, undo }: EventOf<'intent'>): boolean => of === 'call' && undo === true;
  const ids = new Set(
    eventsOf(entries, 'intent')
      .filter(isChange)
      .map(({ id }) => id),
  );
  return eventsOf(entries, 'complete').flatMap(({ id }) => (ids.has(id) ? [id] : []));
}

function passes({ root }: Bed): boolean {
  try {
    execFileSync(process.execPath, ['--test', ...TESTS], { cwd: root, stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

interface Reference {
  readonly tree: Tree;
  readonly changes: readonly string[];
  readonly content: string;
}

async function reference(): Promise<Reference> {
  const bed = repositoryBed();
  const { said } = await processIn(bed, { way: 'breaking' });
  if (said?.outcome.stop !== 'done') throw new Error(`It ended ${JSON.stringify(said?.outcome)}`);
  return { tree: bed.tree(), changes: changesIn(said.entries), content: said.outcome.value.contentHash };
}

/** Before the file is touched, after it was touched and before that is known, and when it is known. */
const MOMENTS = [
  { entry: 'intent', when: 'before' },
  { entry: 'intent', when: 'after' },
  { entry: 'complete', when: 'before' },
  { entry: 'complete', when: 'after' },
] as const;

const DEATHS = [
  ...MOMENTS.slice(1, 3).map((moment) => ({ ...moment, scope: '/act-', name: 'write_file' })),
  ...MOMENTS.map((moment) => ({ ...moment, scope: '/act-', name: 'edit_file' })),
  ...MOMENTS.map((moment) => ({ ...moment, scope: '/repair-6', name: 'edit_file' })),
  ...MOMENTS.slice(1, 3).map((moment) => ({ ...moment, scope: '/repair-9', name: 'edit_file' })),
];

describe('a repository whose mending is killed', () => {
  it('is mended by another process to the same tree, and no edit is made twice [R4-SHOW-REPOSITORY] [R4-SHOW-CRASH]', async () => {
    const calm = await reference();
    expect(calm.changes.length).toBe(5); // three of the action, two repairs
    for (const dieAt of DEATHS) {
      const where = JSON.stringify(dieAt);
      const bed = repositoryBed();
      expect((await processIn(bed, { way: 'breaking', dieAt })).signal, where).toBe('SIGKILL');
      const { said } = await processIn(bed, { way: 'breaking', aheadMs: LATER_MS });
      expect(said?.outcome, where).toMatchObject({ stop: 'done', value: { contentHash: calm.content } });
      if (said?.outcome.stop !== 'done') throw new Error('it is done');
      expect(bed.tree(), where).toEqual(calm.tree);
      expect(changesIn(said.entries), where).toEqual(calm.changes);
      expect(readdirSync(bed.undoFolder).length, where).toBe(calm.changes.length);
      expect(verifyCommit(said.outcome.value), where).toBe(true);
      expect(eventsOf(said.entries, 'attempt-start').map(({ why }) => why)).toContain('takeover');
    }
  });

  it('is restored byte for byte by another process where it cannot be mended [R4-SHOW-REPOSITORY]', async () => {
    const dieAt = { scope: '/repair-6', name: 'edit_file', entry: 'complete', when: 'before' } as const;
    const bed = repositoryBed();
    const before = bed.tree();
    expect((await processIn(bed, { way: 'hopeless', dieAt })).signal).toBe('SIGKILL');
    expect(bed.tree()).not.toEqual(before);
    const { said } = await processIn(bed, { way: 'hopeless', aheadMs: LATER_MS });
    expect(said?.outcome).toMatchObject({ stop: 'failed', rollback: { success: true } });
    expect(bed.tree()).toEqual(before);
    expect(passes(bed)).toBe(false); // as it was, faults included
  });
});
