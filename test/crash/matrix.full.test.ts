import { type Engine, memoryEngine } from 'flyball';
import { afterAll, describe, expect, it } from 'vitest';
import {
  availableDrivers,
  temporaryFile,
} from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';
import { batchCrash } from '../../packages/flyball/src/testing/batch-crash.js';
import { mortalReads } from '../../packages/flyball/src/testing/crash-points.js';
import { mortal } from '../../packages/flyball/src/testing/mortal.js';
import { calmRun, crashedAt, ENDINGS, immortal, nameOf } from './matrix.js';
import { expectAlike } from './mixed-check.js';
import { type Doomed, mixedRuns } from './mixed-run.js';

describe('an agent that mixes everything, crashed before and after every journal write', () => {
  it.each(ENDINGS)(
    'ends like the run that never crashed: %s [R2-SHOW-CRASH-MATRIX] [R2-SHOW-CRASH-ROLLBACK] [R2-SHOW-ONCE]',
    async (ending) => {
      const { calm, points } = await calmRun(ending, memoryEngine(), 'run');
      expect(calm.runs[0]?.outcome.stop).toBe(ending === 'done' ? 'done' : ending === 'fails' ? 'failed' : 'cancelled');
      expect(points.length).toBeGreaterThan(60);
      for (const point of points) {
        const crashed = await crashedAt(point, ending, memoryEngine(), 'run').catch((cause: unknown) => {
          throw new Error(`crashed ${nameOf(point)}`, { cause });
        });
        expect(crashed.lives, `crashed ${nameOf(point)}`).toBe(2);
        expectAlike(crashed, calm);
      }
      const inRollback = points.filter(({ entries }) => entries?.some((type) => type.startsWith('rollback')));
      if (ending !== 'done') expect(inRollback.length).toBeGreaterThan(2);
    },
  );

  it('undoes what can be undone, and says what cannot [R2-SHOW-CRASH-ROLLBACK] [R2-SAGA-IRREVERSIBLE]', async () => {
    const { calm } = await calmRun('fails', memoryEngine(), 'run');
    expect(calm.world.left()).toEqual(['pay', 'save']);
    expect(calm.runs[0]?.outcome).toMatchObject({
      rollback: {
        attention: 'requires manual intervention',
        entries: expect.arrayContaining([expect.objectContaining({ name: 'pay', status: 'CANNOT_ROLLBACK' })]),
      },
    });
  });
});

describe('three runs that share their commits, with a crash in the middle of every group commit', () => {
  const runIds = ['one', 'two', 'three'];
  it.each(ENDINGS)('all end like runs that never crashed: %s [R2-SHOW-CRASH-GROUP] [R2-SHOW-ONCE]', async (ending) => {
    const process = batchCrash(memoryEngine(), () => false);
    const calm = await mixedRuns({ runIds, ending }, () => process);
    const shared = process.groups.filter(({ appends }) => new Set(appends.map(({ runId }) => runId)).size > 1);
    expect(shared.length).toBeGreaterThan(1);
    for (const { n } of process.groups) {
      const engine = memoryEngine();
      const crashed = await mixedRuns({ runIds, ending, patienceMs: 5_000 }, (life) =>
        life === 0 ? batchCrash(engine, { at: n }) : immortal(engine),
      );
      expect(crashed.lives, `group ${n}`).toBe(2);
      expectAlike(crashed, calm);
    }
  });
});

describe.each(await availableDrivers())('the same on a file with %s', (driver) => {
  const file = temporaryFile(driver);
  afterAll(() => file.remove());

  it.each(ENDINGS)(
    'a sample of the crash points: %s [R2-SHOW-CRASH-MATRIX] [R2-SHOW-CRASH-ROLLBACK]',
    async (ending) => {
      const engine = await file.open();
      const { calm, points } = await calmRun(ending, engine, `${ending}-calm`.replaceAll(' ', '-'));
      const sample = points.filter((_point, index) => index % 4 === ENDINGS.indexOf(ending)); // every ending takes others
      for (const point of sample)
        expectAlike(
          await crashedAt(point, ending, engine, `${ending}-${point.n}-${point.when}`.replaceAll(' ', '-')),
          calm,
        );
      await engine.close();
    },
  );

  it('a commit that fails in its middle loses the whole group and nothing else [R2-SHOW-CRASH-GROUP]', async () => {
    const runIds = ['one', 'two'];
    let commits = 0;
    const calmFile = temporaryFile(driver);
    const counting = await calmFile.open({ hooks: { beforeCommit: (n) => (commits = n) } });
    const calm = await mixedRuns({ runIds, ending: 'fails', patienceMs: 20_000 }, () => immortal(counting));
    await counting.close();
    calmFile.remove();
    for (let fatal = 2; fatal <= commits; fatal += 5) {
      const own = temporaryFile(driver);
      const crashed = await mixedRuns({ runIds, ending: 'fails', patienceMs: 20_000 }, async (life) => {
        if (life > 0) return immortal(await own.open());
        return dyingInCommit((beforeCommit) => own.open({ hooks: { beforeCommit } }), fatal);
      });
      expect(crashed.lives, `commit ${fatal}`).toBe(2);
      expectAlike(crashed, calm);
      own.remove();
    }
  });
});

/** A process that dies inside a transaction of the database itself, before it is committed. */
async function dyingInCommit(
  open: (beforeCommit: (n: number) => void) => Promise<Engine>,
  fatal: number,
): Promise<Doomed> {
  const life = mortal<string>();
  const inner = await open((n) => {
    if (n !== fatal) return;
    life.die('in the middle of a commit');
    throw new Error('the transaction is never committed');
  });
  const engine: Engine = {
    ...mortalReads(inner, life),
    create: (run) => life.whileAlive(() => inner.create(run)),
    claim: (runId, by) => life.whileAlive(() => inner.claim(runId, by)),
    take: (query, by) => life.whileAlive(() => inner.take(query, by)),
    append: (claim, batch) => life.whileAlive(() => inner.append(claim, batch)),
    renew: (signs, by) => life.whileAlive(() => inner.renew(signs, by)),
    release: (claim, rest) => life.whileAlive(() => inner.release(claim, rest)),
    post: (runId, message) => life.whileAlive(() => inner.post(runId, message)),
    requeue: (runId) => life.whileAlive(() => inner.requeue(runId)),
  };
  return { ...life, engine };
}
