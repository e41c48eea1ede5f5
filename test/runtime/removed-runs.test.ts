import { type Agent, budget, done, memoryStore, type Outcome, type Run } from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { removeRuns } from '../../packages/flyball/src/operation/removal.js';
import { planRetention, whyItStays } from '../../packages/flyball/src/operation/retention-plan.js';
import { removeRun } from './remove-run.js';
import { moving, RUN } from './stage.js';

const helper: Agent<string, string> = async (_run, name) => done(`${name} helped`);
const starter: Agent<null, unknown> = async (run: Run): Promise<Outcome<unknown>> => {
  const ref = await run.start('helper', 'tom', { slice: { modelCalls: 1 } });
  await run.wait({ name: 'go' });
  return run.join(ref).then(
    (outcome) => done(outcome),
    (error: unknown) => done(`${(error as { code: string }).code}: ${(error as Error).message}`),
  );
};
const agents = { agent: starter, helper } as never;

async function started() {
  const stage = moving();
  const { runtime } = stage.open(starter, { agents });
  await (await runtime.start('agent', null, { id: RUN, budget: budget({}) })).outcome();
  const child = (await runtime.list()).runs.find(({ agent }) => agent === 'helper')?.id ?? '';
  await turns(20);
  return { ...stage, engine: stage.engine, runtime, child };
}

const statuses = ['done'] as const;

describe('a run that another one has started and not joined yet', () => {
  it('stays while that one has not ended, unless it is erased [R18-KEPT-AWAITED]', async () => {
    const { engine, runtime, child } = await started();
    const plan = await planRetention(engine, { statuses });
    expect(plan.going).toEqual([]);
    expect(plan.staying.map(whyItStays)).toEqual([`needed by run ${RUN}, which has not ended`]);
    const erasing = await planRetention(engine, { statuses, evenAwaited: true });
    expect(erasing.going.map(({ run }) => run.id)).toEqual([child]);
    await runtime.signal(RUN, 'go', null);
    await (await runtime.wake(RUN)).finished();
    const later = await planRetention(engine, { statuses });
    expect(later.going.map(({ run }) => run.id).sort()).toEqual([RUN, child].sort());
  });

  it('stays while a fork that inherited the reference has not ended, and is joined by it [R19-KEPT-FOR-FORKS]', async () => {
    const { engine, runtime, child } = await started();
    for (const [of, id] of [
      [RUN, 'fork'],
      ['fork', 'fork-of-fork'],
    ] as const) {
      const at = (await runtime.entries(of)).at(-1)?.seq ?? 0;
      await (await runtime.fork(of, { at, id })).outcome();
    }
    const end = async (id: string) => {
      await runtime.signal(id, 'go', null);
      return (await runtime.wake(id)).finished();
    };
    for (const [id, waits] of [
      [RUN, 'fork'],
      ['fork', 'fork-of-fork'],
    ] as const) {
      await end(id);
      const { going, staying } = await planRetention(engine, { statuses });
      expect(going).toEqual([]);
      expect(staying.find(({ run }) => run.id === child)).toMatchObject({ because: 'awaited', by: waits });
      expect(staying.map(whyItStays)).toContain(`needed by run ${waits}, which has not ended`);
    }
    expect(await end('fork-of-fork')).toMatchObject({ stop: 'done', value: { stop: 'done', value: 'tom helped' } });
    expect((await planRetention(engine, { statuses })).going).toHaveLength(4);
  });

  it.each([
    ['erase', 'was erased on 2026-01-02'],
    ['archive', 'was archived as default/'],
    ['prune', 'was pruned on 2026-01-02'],
  ] as const)('says to the code that joins it what became of it: %s [R18-KEPT-AWAITED]', async (action, words) => {
    const { engine, runtime, child } = await started();
    await removeRun(engine, child, action);
    await runtime.signal(RUN, 'go', null);
    const outcome = await (await runtime.wake(RUN)).finished();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: expect.stringContaining(`RUN_NOT_FOUND: Run ${child} ${words}`),
    });
    await expect(runtime.get(child)).rejects.toMatchObject({ message: expect.stringContaining(words) });
    await expect(runtime.get('never')).rejects.toMatchObject({ message: expect.stringContaining('There is no run') });
  });
});

it('a run that went on after it was selected stays, with its result [R19-REMOVED-AS-SEEN]', async () => {
  const stage = moving();
  const agent: Agent<null, string> = async (run) => {
    for (const name of ['one', 'two']) await run.ask({ name, model: words, setup: '' }, name);
    return done('the result');
  };
  const words = scriptedModel({ one: () => 'one', two: () => 'two' });
  const { runtime } = stage.open(agent);
  const limits = { budget: budget({ modelCalls: 1 }) };
  for (const id of ['stays', 'goes']) await (await runtime.start('agent', null, { id, ...limits })).outcome();
  const { going } = await planRetention(stage.engine, { statuses: ['bounded'] });
  expect(going).toHaveLength(2);
  await (await runtime.resume('stays', { budget: { modelCalls: 2 } })).outcome();
  const parts = { engine: stage.engine, store: memoryStore(), runtime, clock: stage.clock };
  const records = going.map(({ run }) => run);
  const { removed, kept } = await removeRuns(parts, records, { action: 'prune', by: 'operator' });
  expect(removed).toEqual(['goes']);
  expect(kept).toEqual([{ id: 'stays', changed: true, why: expect.stringContaining('is now done') }]);
  expect(await runtime.handle('stays').finished()).toMatchObject({ stop: 'done', value: 'the result' });
  expect(await stage.engine.operations('stays')).toEqual([]);
  expect((await stage.engine.operations('goes'))[0]?.tombstone?.status).toBe('bounded');
});
