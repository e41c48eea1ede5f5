import { describe, expect, it } from 'vitest';
import { claimBy, claimed, LEASE_MS, message, newRun, owner, START } from '../../testing/contracts/engine-fixture.js';
import { availableDrivers, temporaryFile } from './available-drivers.test-data.js';
import { openDatabase } from './driver.js';
import { NEXT, OVERDUE, OWNED, OWNERS, READY } from './due.js';
import type { SqliteEngine } from './engine.js';

/** How runs get in line, each before the ones after it. */
const LINES: readonly [string, (engine: SqliteEngine, id: string) => Promise<void>][] = [
  ['is new', (engine, id) => engine.create(newRun(id))],
  [
    'was sent something',
    async (engine, id) => {
      await engine.release(await claimed(engine, id), { status: 'suspended', waiting: [], now: START });
      await engine.post(id, message('m'));
    },
  ],
  [
    'has slept',
    async (engine, id) =>
      engine.release(await claimed(engine, id), { status: 'suspended', waiting: [], wakeAt: START, now: START }),
  ],
  [
    'lost its owner',
    async (engine, id) => {
      await engine.create(newRun(id));
      await claimBy(engine, id, 'gone');
    },
  ],
];

describe.each(await availableDrivers())('looking for due runs on %s', (driver) => {
  it('goes by index, so that waking one run does not scan those that wait [R2-SHOW-SUSPENDED-WAKE]', async () => {
    const file = temporaryFile(driver);
    await (await file.open()).close();
    const database = await openDatabase(file.path, driver);
    const planOf = (sql: string, ...values: (string | number)[]) =>
      database
        .all(`EXPLAIN QUERY PLAN ${sql}`, ...values)
        .map(({ detail }) => String(detail))
        .join('; ');
    const plans = [
      planOf(READY, '["a"]', 10),
      planOf(OVERDUE, 1, '["a"]', 10),
      planOf(NEXT, 1),
      planOf(OWNERS),
      planOf(OWNED, 'owner', '["a"]', 10),
    ];
    database.close();
    file.remove();
    expect(plans[0]).toMatch(/SEARCH runs USING INDEX runs_due \(ready=\?/);
    expect(plans[1]).toMatch(/SEARCH runs USING INDEX runs_due \(ready=\? AND due_at<\?\)/);
    expect(plans[2]).toMatch(/SEARCH runs USING (COVERING )?INDEX runs_due \(ready=\? AND due_at>\?\)/);
    expect(plans[3]).toMatch(/USING COVERING INDEX runs_owned/);
    expect(plans[4]).toMatch(/SEARCH runs USING INDEX runs_owned \(owner=\?\)/);
    for (const plan of plans) expect(plan).not.toMatch(/SCAN runs(?! USING COVERING INDEX runs_owned)|TEMP B-TREE/);
  });

  it.each(LINES)('looks past a damaged run that %s, to those behind it [R10-SIM-DAMAGED-LINE]', async (_how, enter) => {
    const file = temporaryFile(driver);
    const before = await file.open();
    for (const id of ['bad', 'worse', 'good', 'better']) await enter(before, id);
    await before.close();
    const database = await openDatabase(file.path, driver);
    database.exec("UPDATE runs SET subject = 'somebody else' WHERE id IN ('bad', 'worse')");
    database.close();
    const engine = await file.open();
    const now = START + LEASE_MS / 2;
    const query = { now, limit: 1, agents: ['agent'], isGone: ({ id }: { readonly id: string }) => id === 'gone' };
    const takes = async () =>
      (await engine.take(query, { owner: owner('taker'), leaseMs: LEASE_MS })).map(({ runId }) => runId);
    expect(await engine.due(query)).toEqual(['good']);
    expect(await engine.due({ ...query, only: ['bad', 'better'] })).toEqual(['better']);
    expect([await takes(), await takes(), await takes()]).toEqual([['good'], ['better'], []]);
    await engine.close();
    file.remove();
  });
});
