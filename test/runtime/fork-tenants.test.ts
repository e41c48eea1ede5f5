import { budget, createRuntime, done, type Engine, memoryEngine, type Run } from 'flyball';
import type { ForkPoint } from 'flyball/adapters/engine-kit';
import { expect, it, vi } from 'vitest';
import { planRetention } from '../../packages/flyball/src/operation/retention-plan.js';

/** Rows of an engine in which somebody has written where a run was forked from. */
function rewritten(engine: Engine, forks: Readonly<Record<string, ForkPoint>>): Engine {
  const get: Engine['get'] = async (runId) => {
    const record = await engine.get(runId);
    const fork = forks[runId];
    return record === undefined || fork === undefined ? record : { ...record, fork };
  };
  const list: Engine['list'] = async (filter) => {
    const page = await engine.list(filter);
    const runs = await Promise.all(page.runs.map(async (run) => (await get(run.id)) ?? run));
    return { ...page, runs };
  };
  return { ...engine, get, list };
}

it.each([
  ['a run of another tenant', { mine: 'theirs' }, 'RUN_NOT_FOUND'],
  ['itself', { mine: 'mine' }, 'JOURNAL_CORRUPT'],
  ['a run that was forked from it', { mine: 'next', next: 'mine' }, 'JOURNAL_CORRUPT'],
])(
  'reads nothing of what a run says it was forked from, where that is %s [R10-ARCHIVE-FORGED]',
  async (_, says, code) => {
    const engine = memoryEngine();
    const agents = {
      agent: async (run: Run, input: unknown) => done(await run.step('keep', input, () => input, 'idempotent')),
    };
    const first = createRuntime({ engine, agents });
    for (const [id, tenant] of [
      ['theirs', 'beta'],
      ['mine', 'acme'],
      ['next', 'acme'],
    ] as const)
      await (await first.start('agent', `of ${tenant}`, { id, tenant, budget: budget() })).outcome();
    await first.close();

    const forks = Object.fromEntries(Object.entries(says).map(([id, run]) => [id, { run, generation: 0, seq: 3 }]));
    const reads = vi.spyOn(engine, 'read');
    const runtime = createRuntime({ engine: rewritten(engine, forks), agents });
    await expect(runtime.handle('mine').outcome()).rejects.toMatchObject({ code });
    await expect(runtime.fork('mine', { at: 0, by: 'mallory' })).rejects.toMatchObject({ code });
    expect(reads.mock.calls.map(([runId]) => runId)).not.toContain('theirs');
    const plan = await planRetention(rewritten(engine, forks), { statuses: ['done'], tenant: 'beta' });
    expect(plan).toMatchObject({ going: [{ run: { id: 'theirs' } }], staying: [] });
    await runtime.close();
  },
);
