import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Clock, memoryStore, type Outcome, type Sandbox, systemClock } from 'flyball';
import { bubblewrapSandbox, detectBubblewrap } from 'flyball/adapters/sandbox-bubblewrap';
import { processSandbox } from 'flyball/adapters/sandbox-process';
import { type CommitResult, verifyCommit } from 'flyball/loops';
import { describe, expect, it } from 'vitest';
import {
  FORMAT,
  HALF_UP,
  PRICE,
  type RepositoryLoop,
  repositoryLoop,
  TASK,
  TESTS,
  type Way,
} from '../programs/repository-agent.js';
import { RUN, Stage } from '../runtime/stage.js';
import { type Bed, repositoryBed } from './repository-bed.js';
import { phasesOf, ROOMY, withoutPatterns } from './stage-commit.js';

/** Runs the suite as a person would; the exit code decides. */
function passes({ root }: Bed): boolean {
  try {
    execFileSync(process.execPath, ['--test', ...TESTS], { cwd: root, stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

async function worked(bed: Bed, way: Way, given: Partial<RepositoryLoop> = {}) {
  const { root, undoFolder } = bed;
  const made = repositoryLoop({ root, undoFolder, store: memoryStore(), sandbox: processSandbox(), way, ...given });
  const stage = new Stage<Clock>(systemClock());
  const life = stage.open((run, input) => made.loop(run, input as typeof TASK));
  const outcome = (await life.start(TASK, ROOMY)) as Outcome<CommitResult>;
  return { ...made, outcome, stage, life };
}

const FIXED = PRICE.replace('lines.items', 'lines');
const FORMATTED = `import { halfUp } from './rounding/half-up.js';\n\n${FORMAT.replace('(cents / 100).toFixed(1)', 'halfUp(cents)')}`;

interface Reported {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly { readonly test: string }[];
  readonly regressions: readonly string[];
}

/** What each run of the test command reported, in order, with the scope it was run in. */
async function reportsIn(stage: Stage<Clock>): Promise<readonly (Reported & { readonly scope: string })[]> {
  const ends = new Map((await stage.events('complete')).map((event) => [event.id, event.result]));
  const begun = (await stage.events('intent')).filter(({ of, name }) => of === 'step' && name === 'tests:unit');
  return begun.map(({ id }) => ({ ...(ends.get(id) as Reported), scope: withoutPatterns(id).replace(/#.*$/, '') }));
}

/** Before anything is touched, after the step, and after the repair alone and as a whole. */
const MEASURED = [
  ['/act-3/baseline', 2, 2],
  ['/act-3/step-1-format/after', 3, 1],
  ['/verify-4', 3, 1],
  ['/repair-6/repair-1', 4, 0],
  ['/verify-7', 4, 0],
];

async function measured(stage: Stage<Clock>): Promise<unknown> {
  return (await reportsIn(stage)).map(({ scope, passed, failed }) => [scope, passed, failed]);
}

async function notesOf(stage: Stage<Clock>, kind: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await stage.events('note')).flatMap(({ event }) => (event.kind === kind ? [event] : []));
}

const FIRST = ['PLAN', 'DECOMPOSE', 'RETRIEVE', 'ACT', 'VERIFY'];
const REPAIRED = ['CRITIQUE', 'REPAIR', 'VERIFY'];

describe('a repository with failing tests', () => {
  it('is fixed by one action and one repair, tested for real, and committed [R4-SHOW-REPOSITORY]', async () => {
    const bed = repositoryBed();
    const before = bed.tree();
    expect(passes(bed)).toBe(false);
    const { outcome, stage } = await worked(bed, 'right');
    expect(outcome).toMatchObject({
      stop: 'done',
      value: {
        status: 'committed',
        provenance: {
          testPassRate: 1,
          repairs: [{ strategy: 'minimal-edit', cause: 'logic-error', resolved: true }],
        },
      },
    });
    if (outcome.stop !== 'done') throw new Error('it is done');
    expect(verifyCommit(outcome.value)).toBe(true);
    expect(await phasesOf(stage)).toEqual([...FIRST, ...REPAIRED, 'COMMIT', 'COMMIT']);
    expect(await measured(stage)).toEqual(MEASURED);

    expect(passes(bed)).toBe(true);
    expect(bed.get('src/price.js')).toBe(FIXED); // line breaks as they were, to the last one
    expect(bed.get('src/format.js')).toBe(FORMATTED); // and where there was none, there is none
    expect(bed.get('src/rounding/half-up.js')).toBe(HALF_UP);
    const after = bed.tree();
    const changed = Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path]);
    expect(changed.sort()).toEqual(['src/format.js', 'src/price.js', 'src/rounding', 'src/rounding/half-up.js']);
    const modeOf = (path: string) => [before, after].map((tree) => tree[path]?.split(' ')[0]);
    expect(modeOf('src/format.js')).toEqual(['640', '640']);
  });

  it('whose repair breaks what passed is not committed before that is mended too [R4-SHOW-REPOSITORY] [R4-VERIFY-REGRESSION]', async () => {
    const bed = repositoryBed();
    const { outcome, stage, model } = await worked(bed, 'breaking');
    const broken = (await reportsIn(stage)).find(({ scope }) => scope === '/verify-7');
    expect(broken).toMatchObject({ passed: 3, failed: 1, regressions: ['takes a discount off'] });
    expect(broken?.failures.map(({ test }) => test)).toEqual(['takes a discount off']); // the other one passes by now

    const [closed, open] = (await notesOf(stage, 'exit')).slice(1);
    expect(closed).toMatchObject({
      gates: expect.arrayContaining([
        expect.objectContaining({ gate: 'tests', score: 0.75, passed: false }),
      ]) as unknown,
    });
    expect(open).toMatchObject({ disposition: 'auto-commit', triggers: [] });
    expect(await phasesOf(stage)).toEqual([...FIRST, ...REPAIRED, ...REPAIRED, 'COMMIT', 'COMMIT']);

    const told = model.promptAt('repairer', 2);
    expect(told).toContain('The test passed before and fails now: takes a discount off');
    expect(told).toContain('"regression":true');
    expect(outcome).toMatchObject({
      stop: 'done',
      value: {
        status: 'committed',
        provenance: {
          testPassRate: 1,
          repairs: [
            { strategy: 'minimal-edit', resolved: true },
            {
              strategy: 'section-rewrite',
              resolved: true,
              description: expect.stringContaining('passed before') as string,
            },
          ],
        },
      },
    });
    expect(bed.get('src/price.js')).toBe(FIXED);
    expect(passes(bed)).toBe(true);
  });

  it('that cannot be fixed is as it was, byte for byte, when the loop has failed [R4-SHOW-REPOSITORY] [R4-EXIT-ARTEFACTS]', async () => {
    const bed = repositoryBed();
    const before = bed.tree();
    const { outcome, stage } = await worked(bed, 'hopeless');
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'QUALITY_NOT_REACHED' },
      rollback: { success: true },
    });
    const changes = (await stage.events('intent')).filter(({ of, undo }) => of === 'call' && undo === true);
    expect(changes.length).toBeGreaterThan(4); // three of the action, and repairs
    expect(bed.tree()).toEqual(before);
    expect(bed.get('src/price.js')).toBe(PRICE);
    const report = {
      diagnosis: expect.arrayContaining([
        expect.objectContaining({
          foundBy: 'test:unit',
          location: { artefact: 'src/price.js', line: 3, section: 'total' },
        }),
      ]) as unknown,
      repairs: expect.arrayContaining([expect.objectContaining({ resolved: false })]) as unknown,
      checkpoint: { run: RUN },
    };
    expect(outcome).toMatchObject({ failure: { detail: { report } } });
    const [told] = await notesOf(stage, 'failure-report');
    expect(told).toMatchObject({ repairs: report.repairs, checkpoint: report.checkpoint });
  });

  it('that a person does not want so is as it was, but for the undo records, where these are kept inside it [R4-SHOW-REPOSITORY]', async () => {
    const bed = repositoryBed();
    const before = bed.tree();
    const inside = { undoFolder: join(bed.root, '.flyball/undo'), more: { exit: { novelty: 0.5 } } };
    const { stage, life, loop, outcome } = await worked(bed, 'right', inside);
    expect(outcome).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
    expect(passes(bed)).toBe(true); // done, and not yet committed
    life.die();
    const next = stage.open((run, input) => loop(run, input as typeof TASK));
    const token = (await stage.events('wait-start')).at(-1)?.token ?? '';
    const no = { verdict: 'reject', reason: 'not in this release' };
    await next.runtime.signal(RUN, token, no, { from: 'ada', scopes: ['*'] });
    expect(await next.resume()).toMatchObject({ stop: 'failed', rollback: { success: true } });
    const after = Object.entries(bed.tree()).filter(([path]) => !path.startsWith('.flyball'));
    expect(Object.fromEntries(after)).toEqual(before);
  });
});

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped bubblewrap: ${found.why}.\n`);

describe.skipIf(!found.available)('a repository whose tests run inside bubblewrap', () => {
  it('is fixed and committed in the same way [R4-SHOW-REPOSITORY]', async () => {
    const bed = repositoryBed();
    const sandbox: Sandbox = await bubblewrapSandbox();
    const mounts = [bed.root, process.execPath].map((path) => ({ path, access: 'read-only' as const }));
    const { outcome, stage } = await worked(bed, 'right', { sandbox, mounts });
    expect(outcome).toMatchObject({ stop: 'done', value: { status: 'committed', provenance: { testPassRate: 1 } } });
    expect(await measured(stage)).toEqual(MEASURED);
    expect(bed.get('src/price.js')).toBe(FIXED);
    expect(passes(bed)).toBe(true);
  });
});
