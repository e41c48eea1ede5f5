import assert from 'node:assert/strict';
import type { RunFilter } from '../../ports/engine.js';
import { claimed, type DeclareTest, newRun, rested, START } from './engine-fixture.js';

export function listingContract(test: DeclareTest): void {
  test('finds nothing under names that nothing can have, or refuses them [R10-PG-ODD-NAMES]', async (engine) => {
    await engine.create(newRun('a'));
    for (const odd of ['\u0000', 'a\u0000b', '\ud800', '\u0001']) {
      const refused = (error: unknown): undefined => {
        assert.equal((error as { readonly code?: unknown }).code, 'INPUT_INVALID', String(error));
      };
      assert.equal(await engine.get(odd).catch(refused), undefined);
      for (const filter of [{ subject: odd }, { agent: odd }, { tenant: odd }, { code: odd }])
        assert.deepEqual((await engine.list(filter).catch(refused))?.runs ?? [], [], JSON.stringify(filter));
    }
  });

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
      assert.ok(page.runs.length <= 2, `a page of at most 2 runs has ${page.runs.length}`);
      cursor = page.cursor;
      await engine.create(newRun(`new-${pages}`));
      if (cursor === undefined) break;
    }
    assert.deepEqual(seen, ['e', 'd', 'c', 'b', 'a']);
    assert.equal(cursor, undefined);
  });

  test('gives out a cursor for as long as there are more, also where nobody says how many a page may have', async (engine) => {
    for (let n = 0; n < 120; n++) await engine.create(newRun(`run-${n}`));
    const seen = new Set<string>();
    let page = await engine.list({});
    for (let pages = 0; pages < 120; pages += 1) {
      for (const { id } of page.runs) seen.add(id);
      if (page.cursor === undefined) break;
      page = await engine.list({ cursor: page.cursor });
    }
    assert.equal(seen.size, 120, 'the pages that follow each other do not have all runs');
  });

  test('keeps to its filter on every page', async (engine) => {
    for (const n of [0, 1, 2, 3, 4, 5])
      for (const half of ['x', 'y']) {
        const given = { tenant: `t${half}`, subject: `s${half}`, agent: `a${half}`, createdAt: START + n };
        const claim = await claimed(engine, `${half}${n}`, given);
        const rest = half === 'x' ? { status: 'done' as const } : { status: 'failed' as const, code: 'MODEL_REJECTED' };
        await engine.release(claim, { ...rest, now: half === 'y' ? START + 100 : START + 200 });
      }
    const y: readonly RunFilter[] = [
      { tenant: 'ty' },
      { subject: 'sy' },
      { agent: 'ay' },
      { status: 'failed' },
      { code: 'MODEL_REJECTED' },
      { before: START + 150 },
    ];
    for (const filter of y) {
      const seen: string[] = [];
      let page = await engine.list({ ...filter, limit: 2 });
      for (let pages = 0; page.cursor !== undefined && pages < 12; pages += 1) {
        seen.push(...page.runs.map(({ id }) => id));
        page = await engine.list({ ...filter, limit: 2, cursor: page.cursor });
      }
      seen.push(...page.runs.map(({ id }) => id));
      const about = `the pages of ${JSON.stringify(filter)} are not the runs that it is true of`;
      assert.deepEqual(seen, ['y5', 'y4', 'y3', 'y2', 'y1', 'y0'], about);
    }
  });
}
