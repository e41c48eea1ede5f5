import {
  BoundReachedError,
  type Clock,
  done,
  FlyballError,
  memoryStore,
  type Outcome,
  type Run,
  type Store,
  systemClock,
} from 'flyball';
import type { CommitResult } from 'flyball/loops';
import { memory } from 'flyball/memory';
import { scriptedModel } from 'flyball/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson, sha256 } from '../../packages/flyball/src/core/canonical.js';
import type { Mark } from '../../packages/flyball/src/core/mark.js';
import type { TaskSpec } from '../../packages/flyball/src/core/work.js';
import { type Life, moving, RUN, Stage } from '../runtime/stage.js';
import {
  courseOf,
  criticized,
  judging,
  loopWith,
  notesOf,
  ROOMY,
  resultOf,
  runCommit,
  SMOOTH,
  say,
  TASK,
} from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const COMMITS = { tenant: 'default', owner: 'anonymous', collection: 'commits' };
const LESSONS = { tenant: 'default', owner: 'anonymous', collection: 'commit-lessons' };

type Rates = Readonly<Record<string, Readonly<Record<string, { readonly tried: number }>>>>;

/** The stored result as another version would have written and sealed it, with members that this one does not know. */
async function rewrite(store: Store, protocol: { readonly major: number; readonly minor: number }): Promise<void> {
  const [record] = (await store.query(COMMITS)).records;
  if (record === undefined) throw new Error('nothing was committed');
  const before = record.value as CommitResult;
  const { hash: _hash, ...known } = before.provenance;
  const provenance = { ...known, protocol, weather: 'fair' };
  const { seal: _seal, ...rest } = before;
  const sealed = { ...rest, provenance: { ...provenance, hash: sha256(canonicalJson(provenance)) }, color: 'blue' };
  const value = { ...sealed, seal: sha256(canonicalJson(sealed)) };
  const at = { ...COMMITS, key: record.key };
  await store.propose(at, { id: 'rewrite', over: record.version, value, now: 1 });
  await store.commit(at, 'rewrite', 1);
}

/** A store that is busy after it has written the first result: durable, and nobody was told. */
function onceBusy(store: Store): Store {
  let tries = 0;
  return {
    ...store,
    commit: async (at, id, now) => {
      const record = await store.commit(at, id, now);
      if (at.collection === COMMITS.collection && ++tries === 1)
        throw new FlyballError('STORAGE_BUSY', 'Not now.', { retryable: true });
      return record;
    },
  };
}

describe('a stored result', () => {
  it('is found under a key that names no version, so that one of another version is seen at all [R8-DOCS-CLAIMS]', async () => {
    const store = memoryStore();
    const { taskHash } = resultOf(await runCommit({}, { store })).provenance;
    const [record] = (await store.query(COMMITS)).records;
    expect(record?.key).toBe(taskHash);
    expect(taskHash).toBe(sha256(canonicalJson({ loop: 'explainer', task: TASK })));
  });

  it('of another major version is refused instead of being misread [R4-LOOP-CONTRACTS]', async () => {
    const store = memoryStore();
    await runCommit({}, { store });
    await rewrite(store, { major: 2, minor: 0 });
    const { outcome, model } = await runCommit({}, { store });
    expect(outcome).toMatchObject({
      stop: 'failed',
      because: expect.stringMatching(/protocol 2\.0, this is 1\.\d+\. Submit the task under another id/) as string,
    });
    expect(model.requests).toEqual([]);
  });

  it('of another minor version is read: additions are left alone [R4-LOOP-CONTRACTS]', async () => {
    const store = memoryStore();
    await runCommit({}, { store });
    await rewrite(store, { major: 1, minor: 9 });
    const { outcome, model } = await runCommit({}, { store });
    expect(outcome).toMatchObject({ stop: 'done', value: { resubmitted: true } });
    expect(model.requests).toEqual([]);
  });
});

describe('a committed result', () => {
  it('is promoted to episodic memory, where a later run finds it [R4-COMMIT-MEMORY]', async () => {
    const shelf = memoryStore();
    const run = await runCommit({}, { memory: memory({ store: shelf }) });
    const { provenance } = resultOf(run);
    const later = moving().open(async (on: Run) =>
      done(
        await memory({ store: shelf }).recall(on, { query: 'why do tides turn', kinds: ['episodic'], level: 'full' }),
      ),
    );
    expect(await later.start()).toMatchObject({
      value: {
        items: [
          {
            kind: 'episodic',
            title: TASK.goal,
            content: expect.stringContaining('Because of the moon.') as string,
            tags: ['commit', 'explanation'],
            metadata: { task: TASK.id, status: 'committed', provenance: provenance.hash },
          },
        ],
      },
    });
  });

  it('is nothing that a failed loop leaves behind [R4-COMMIT-MEMORY]', async () => {
    const shelf = memoryStore();
    const script = { judge: judging(() => ({ completeness: 0 })), critic: () => criticized({ description: 'empty' }) };
    const { outcome } = await runCommit(script, {
      memory: memory({ store: shelf }),
      controller: { noise: 0.9 },
      expectedError: 0,
    });
    expect(outcome.stop).toBe('failed');
    const later = moving().open(async (on: Run) => done(await memory({ store: shelf }).list(on, 'episodic')));
    expect(await later.start()).toMatchObject({ value: { items: [] } });
  });

  it('is never reached where a run breaks what holds at every boundary [R4-LOOP-INVARIANTS]', async () => {
    const call = { effect: '/act-3#0', tool: 'look', ok: true };
    const loop = loopWith(scriptedModel(SMOOTH));
    // a run that tells of one call twice, as no runtime does
    const lying = (run: Run): Run =>
      new Proxy(run, {
        get: (target, name) => {
          if (name === 'calls') return () => [call, call];
          if (name === 'enter')
            return (mark: Mark, body: (inside: Run) => Promise<unknown>) =>
              target.enter(mark, (inside) => body(lying(inside)));
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open((run, input) => loop(lying(run), input as TaskSpec));
    expect(await life.start(TASK, ROOMY)).toMatchObject({ stop: 'failed', failure: { code: 'INVARIANT_BROKEN' } });
    expect(await courseOf(stage)).toEqual(['PLAN planned DECOMPOSE']);
  });

  it('is refused when a part changes it behind the back of whoever verified it [R4-LOOP-INVARIANTS]', async () => {
    let reads = 0;
    const slippery = {
      name: 'answer',
      get text() {
        return `Because of the moon, ${reads++}.`;
      },
    };
    const store = memoryStore();
    const workpiece = { collect: async () => [slippery], write: async () => undefined };
    const { outcome } = await runCommit({}, { workpiece, store });
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'INVARIANT_BROKEN' } });
    expect((await store.query(COMMITS)).records).toEqual([]);
  });

  it('stays committed when what comes after fails: that is noted, and nothing more [R4-COMMIT-MEMORY] [R4-COMMIT-IDEMPOTENT]', async () => {
    const down = new FlyballError('STORAGE_FAILED', 'The memory is down.');
    const bound = new BoundReachedError({ bound: 'modelCalls', limit: 3, spent: 3, node: '/' });
    for (const error of [down, bound]) {
      const store = memoryStore();
      const broken = { ...memory({ store: memoryStore() }), remember: () => Promise.reject(error) };
      const { outcome, stage } = await runCommit({}, { store, memory: broken });
      expect(outcome.stop).toBe('done');
      expect(await notesOf(stage, 'after-commit-failed')).toMatchObject([{ what: 'memory', code: error.code }]);
      expect((await store.query(COMMITS)).records).toHaveLength(1);
    }
    const unlearned = memoryStore();
    const forgetful: Store = {
      ...unlearned,
      propose: (at, proposal) =>
        at.collection === LESSONS.collection ? Promise.reject(down) : unlearned.propose(at, proposal),
    };
    const run = await runCommit({}, { store: forgetful });
    expect(run.outcome.stop).toBe('done');
    expect(await notesOf(run.stage, 'after-commit-failed')).toMatchObject([{ what: 'lesson' }]);
    const failing = { judge: judging(() => ({ completeness: 0 })), critic: () => criticized({ description: 'empty' }) };
    const failed = await runCommit(failing, { store: forgetful, task: { ...TASK, id: 'other' } });
    expect(failed.outcome).toMatchObject({ failure: { code: 'QUALITY_NOT_REACHED' } }); // its own failure, not the store's
  });

  it('stays what it is when another run commits the same task later: that one answers with it [R4-COMMIT-IDEMPOTENT]', async () => {
    const store = memoryStore();
    const shelf = memory({ store: memoryStore() });
    const task = { ...TASK, requiresApproval: true };
    const first = await runCommit({}, { store, task });
    const second = await runCommit({ worker: () => 'Another text.' }, { store, task, memory: shelf });
    const part = await runCommit(
      { judge: judging(() => ({ completeness: 0.5 })), critic: () => criticized({ description: 'short' }) },
      { store, task, controller: { noise: 0.9 }, expectedError: 0 },
    );
    const ended = [];
    for (const { life, outcome } of [first, second, part]) {
      await say(life, outcome, 'ada', { verdict: 'approve', reason: 'It will do.' });
      ended.push(resultOf({ outcome: (await life.resume()) as Outcome<CommitResult> }));
    }
    const [one, other, less] = ended;
    expect(one).toMatchObject({ status: 'committed', outputs: { artefacts: [{ text: 'Because of the moon.' }] } });
    expect(other).toEqual({ ...one, resubmitted: true });
    expect(less).toEqual({ ...one, resubmitted: true });
    expect(resultOf(await runCommit({}, { store, task }))).toEqual({ ...one, resubmitted: true });
    expect(await notesOf(second.stage, 'after-commit-failed')).toEqual([]);
    const recalled = moving().open(async (on: Run) => done(await shelf.list(on, 'episodic')));
    expect(await recalled.start()).toMatchObject({ value: { items: [] } }); // nothing of what was not committed
  });

  it('is refused when it was altered since, and nothing is done in its name [R4-COMMIT-RECORD] [R4-COMMIT-IDEMPOTENT]', async () => {
    const store = memoryStore();
    await runCommit({}, { store });
    const [record] = (await store.query(COMMITS)).records;
    const value = record?.value as CommitResult;
    const forged = { ...value, outputs: { ...value.outputs, artefacts: [{ name: 'answer', text: 'Forged.' }] } };
    const at = { ...COMMITS, key: record?.key ?? '' };
    await store.propose(at, { id: 'forge', over: record?.version ?? 0, value: forged, now: 1 });
    await store.commit(at, 'forge', 1);
    const { outcome, model } = await runCommit({}, { store });
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'INVARIANT_BROKEN' } });
    expect(model.requests).toEqual([]);
  });

  it('is taken back whole when a cancellation follows, whichever try has written it [R4-COMMIT-IDEMPOTENT]', async () => {
    const store = memoryStore();
    const shaky = onceBusy(store);
    let life: Life | undefined;
    const loop = loopWith(scriptedModel(SMOOTH), {
      store: {
        ...shaky,
        propose: async (at, proposal) => {
          if (at.collection === LESSONS.collection) await life?.runtime.cancel(RUN, { by: 'ada', why: 'too late' });
          return shaky.propose(at, proposal);
        },
      },
    });
    const stage = moving();
    life = stage.open((run, input) => loop(run, input as TaskSpec), { options: { suspendAfterMs: 1e9 } });
    expect(await life.start(TASK, ROOMY)).toMatchObject({ stop: 'cancelled', rollback: { success: true } });
    expect(await courseOf(stage)).toContain('COMMIT retry COMMIT');
    expect((await store.query(COMMITS)).records).toEqual([]);
  });

  it('is stored and learned from once, although COMMIT had to be repeated [R4-COMMIT-IDEMPOTENT] [R4-LOOP-RETRY]', async () => {
    const store = memoryStore();
    const shaky = onceBusy(store);
    const stage = moving();
    const script = {
      worker: () => 'Because it is so.',
      judge: judging((shown) => ({ correctness: shown.includes('of the moon') ? 1 : 0.6 })),
      critic: () => criticized({ description: 'the moon is not named', line: 1 }),
    };
    const run = await runCommit(script, { store: shaky, stage, stays: true });
    expect((await courseOf(stage)).slice(-2)).toEqual(['COMMIT retry COMMIT', 'COMMIT committed COMMIT']);
    const repairs = await notesOf(stage, 'repair');
    const [lesson] = (await store.query(LESSONS)).records;
    expect(lesson?.value).toMatchObject({ seen: { length: 1 }, outcomes: { length: 1 }, lessons: { length: 1 } });
    const rates = (lesson?.value as Readonly<Record<'rates', Rates>> | undefined)?.rates ?? {};
    const tried = Object.values(rates).flatMap((row) => Object.values(row).map((count) => count.tried));
    expect(tried.reduce((sum, n) => sum + n, 0)).toBe(repairs.length);
    expect((await store.query(COMMITS)).records).toHaveLength(1);
    expect(resultOf(run)).not.toHaveProperty('resubmitted');
    expect(resultOf(run).audit.transitions.at(-1)).toMatchObject({ from: 'COMMIT', event: 'retry' });
  });
});
