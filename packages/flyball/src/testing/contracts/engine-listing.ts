import assert from 'node:assert/strict';
import type { RunFilter } from '../../ports/engine.js';
import { claimed, type DeclareTest, newRun, rested, START } from './engine-fixture.js';

export function listingContract(test: DeclareTest): void {
  test('lists runs newest first', async (engine) => {
    for (const [index, id] of ['a', 'b', 'c'].entries()) await engine.create(newRun(id, { createdAt: START + index }));
    const { runs, cursor } = await engine.list({});
    assert.deepEqual(
      runs.map(({ id }) => id),
      ['c', 'b', 'a'],
    );
    assert.equal(cursor, undefined);
    assert.deepEqual(runs[2], await engine.get('a'));
  });

  test('lists each run as it is got, whatever became of it', async (engine) => {
    await rested(engine, 'a', 'done');
    await engine.hold('a', { hold: true, by: 'counsel', why: 'case 7', at: START });
    await engine.create(newRun('fork', { fork: { run: 'a', generation: 0, seq: 0 }, source: './agent.js' }));
    await engine.release(await claimed(engine, 'b'), { status: 'bounded', code: 'BUDGET_EXCEEDED', now: START + 4 });
    await claimed(engine, 'held');
    const { runs } = await engine.list({});
    assert.deepEqual(runs, await Promise.all(['held', 'b', 'fork', 'a'].map((id) => engine.get(id))));
    assert.equal(runs[1]?.code, 'BUDGET_EXCEEDED');
  });

  test('filters by tenant, subject, agent and status, alone and together', async (engine) => {
    await engine.create(newRun('a', { tenant: 'x', subject: 'p' }));
    await engine.create(newRun('b', { tenant: 'x', subject: 'q', agent: 'other' }));
    await engine.create(newRun('c', { tenant: 'y', subject: 'p' }));
    await rested(engine, 'd', 'done');
    const listed = async (filter: RunFilter) => (await engine.list(filter)).runs.map(({ id }) => id).join('');
    assert.equal(await listed({ tenant: 'x' }), 'ba');
    assert.equal(await listed({ subject: 'p' }), 'ca');
    assert.equal(await listed({ agent: 'other' }), 'b');
    assert.equal(await listed({ status: 'done' }), 'd');
    assert.equal(await listed({ tenant: 'x', subject: 'p' }), 'a');
    assert.equal(await listed({ tenant: 'x', status: 'done' }), '');
  });

  test('pages through all runs once, in spite of new ones', async (engine) => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await engine.create(newRun(id));
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 5; pages += 1) {
      const page = await engine.list({ tenant: 'tenant', limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.runs.map(({ id }) => id));
      assert.ok(page.runs.length <= 2);
      cursor = page.cursor;
      await engine.create(newRun(`new-${pages}`));
      if (cursor === undefined) break;
    }
    assert.deepEqual(seen, ['e', 'd', 'c', 'b', 'a']);
    assert.equal(cursor, undefined);
  });
}
