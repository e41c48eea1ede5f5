import { budget, createRuntime, done, type Runtime, systemClock } from 'flyball';
import { approvalInbox } from 'flyball/people';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PostgresEngine } from '../../packages/postgres/src/index.js';
import { asAdmin, freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped damaged rows on PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('a damaged row on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  let schema: string;
  let engine: PostgresEngine;
  const acts: string[] = [];
  const problems: string[] = [];
  beforeAll(async () => {
    server = await sharedServer();
  });
  afterAll(() => server.remove());

  const runtimeOf = (worker: boolean): Runtime =>
    createRuntime({
      engine,
      agents: {
        agent: async (run, input) => {
          await run.step('first', input, async () => acts.push(`first ${run.id}`), 'idempotent');
          await run.step('pay', input, async () => acts.push(`pay ${run.id}`), { class: 'irreversible', why: 'money' });
          return done(input);
        },
      },
      onProblem: (error) => problems.push(String(error)),
      options: { worker, suspendAfterMs: 1, pollMs: 20, leaseMs: 1_000 },
    });
  const approve = async (runtime: Runtime, id: string): Promise<void> => {
    const [wait] = await engine.waits(id);
    await runtime.signal(id, wait?.token ?? '', { verdict: 'approve' }, { from: 'ann' });
  };

  beforeEach(async () => {
    acts.length = 0;
    problems.length = 0;
    schema = freshSchema();
    engine = await open(server.url, { schema, leaseClock: 'database' });
    const runtime = runtimeOf(false);
    for (const id of ['good-1', 'bad', 'good-2', 'asks'])
      await (await runtime.start('agent', id, { id, budget: budget() })).outcome();
    await runtime.close();
  });
  afterEach(() => engine.close());

  const DAMAGE: Readonly<Record<string, string>> = {
    'an entry that is not JSON': `UPDATE S.events SET body = '{"type' WHERE run = 'bad' AND seq = 1`,
    'an entry that is null': `UPDATE S.events SET body = 'null' WHERE run = 'bad' AND seq = 2`,
    'an entry of another kind': `UPDATE S.events SET body = '{"type":"nonsense"}' WHERE run = 'bad' AND seq = 1`,
    'an entry with another checksum': `UPDATE S.events SET checksum = 'AAAAAAAAAAA' WHERE run = 'bad' AND seq = 3`,
    'an entry without a time': `UPDATE S.events SET at = 'NaN' WHERE run = 'bad' AND seq = 1`,
    'a missing entry': `DELETE FROM S.events WHERE run = 'bad' AND seq = 1`,
    'a missing last entry': `DELETE FROM S.events WHERE run = 'bad' AND seq = (SELECT max(seq) FROM S.events WHERE run = 'bad')`,
    'no entries at all': `DELETE FROM S.events WHERE run = 'bad'`,
    'an unreadable owner': `UPDATE S.runs SET owner = 'xx', lease_until = 0, status = 'running' WHERE id = 'bad'`,
    'an owner without a lease': `UPDATE S.runs SET owner = '{}', lease_until = NULL, status = 'running' WHERE id = 'bad'`,
    'an unreadable hold': `UPDATE S.runs SET hold = '{' WHERE id = 'bad'`,
    'an unreadable fork': `UPDATE S.runs SET fork = '{' WHERE id = 'bad'`,
    'another agent': `UPDATE S.runs SET agent = 'nobody' WHERE id = 'bad'`,
    'another subject': `UPDATE S.runs SET subject = 'eve' WHERE id = 'bad'`,
    'an unknown status': `UPDATE S.runs SET status = 'odd' WHERE id = 'bad'`,
    'times that are no numbers': `UPDATE S.runs SET created_at = 'NaN', updated_at = 'Infinity', active = 'NaN' WHERE id = 'bad'`,
    'another generation': `UPDATE S.runs SET generation = 7 WHERE id = 'bad'`,
    'a changed message': `UPDATE S.inbox SET body = '"no"' WHERE run = 'bad'`,
    'a message of an unknown kind': `UPDATE S.inbox SET kind = 'odd' WHERE run = 'bad'`,
  };

  it.each(Object.entries(DAMAGE))('sets one run aside and no other: %s [R10-PG-QUARANTINE]', async (_what, sql) => {
    const asker = runtimeOf(false);
    for (const id of ['good-1', 'bad', 'good-2']) await approve(asker, id);
    await asAdmin(server.url, sql.replaceAll('S.', `${schema}.`));
    const worker = runtimeOf(true);
    const status = async (id: string) => (await engine.get(id))?.status;
    await expect
      .poll(async () => [await status('good-1'), await status('bad'), await status('good-2')])
      .toEqual(['done', 'stalled', 'done']);
    expect(await engine.get('bad')).toMatchObject({
      code: 'JOURNAL_CORRUPT',
      attention: expect.stringMatching(/ bad |journal/),
    });
    expect((await worker.list()).runs).toHaveLength(4);
    await expect(worker.resume('bad')).rejects.toMatchObject({
      code: expect.stringMatching(/^(JOURNAL_CORRUPT|AGENT_UNKNOWN)$/),
    });
    const inbox = approvalInbox({ runtime: worker, store: engine.store, clock: systemClock() });
    await inbox.sync();
    const { items } = await inbox.list({ status: 'open' });
    expect(items.map(({ run }) => run)).toContain('asks');
    expect((await engine.count()).byStatus.pending).toBeUndefined();
    inbox.close();
    await worker.close();
    await asker.close();
    expect(acts.filter((act) => act === 'pay bad')).toEqual([]);
    expect([...acts].sort()).toEqual([
      'first asks',
      'first bad',
      'first good-1',
      'first good-2',
      'pay good-1',
      'pay good-2',
    ]);
  });

  it.each(["waiting = '[{'", "wake_at = 'NaN'"])(
    'shows a run as damaged until a claim writes anew what is damaged: %s [R10-PG-QUARANTINE]',
    async (change) => {
      await asAdmin(server.url, `UPDATE ${schema}.runs SET ${change} WHERE id = 'bad'`);
      const worker = runtimeOf(true);
      expect(await engine.get('bad')).toMatchObject({ status: 'stalled', code: 'JOURNAL_CORRUPT' });
      expect((await worker.list()).runs).toHaveLength(4);
      for (const id of ['good-1', 'bad', 'good-2']) await approve(worker, id);
      const statuses = async () => (await worker.list()).runs.map(({ status }) => status);
      await expect.poll(statuses).toEqual(['suspended', 'done', 'done', 'done']);
      await worker.close();
    },
  );

  it('tells of a record that is damaged, and not of others [R10-PG-QUARANTINE]', async () => {
    const at = (key: string) => ({ tenant: 't', owner: 'o', collection: 'c', key });
    for (const key of ['bad', 'good']) {
      await engine.store.propose(at(key), { id: 'p', over: 0, value: { key }, now: 1 });
      await engine.store.commit(at(key), 'p', 1);
    }
    await asAdmin(server.url, `UPDATE ${schema}.store_versions SET value = '{"key":"worse"}' WHERE value LIKE '%bad%'`);
    await expect(engine.store.get(at('bad'))).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect((await engine.store.get(at('good')))?.value).toEqual({ key: 'good' });
  });

  it('passes over an operation or a worker that cannot be read [R10-PG-QUARANTINE]', async () => {
    await asAdmin(
      server.url,
      `INSERT INTO ${schema}.workers VALUES ('zz', 99999999999999, '{')`,
      `INSERT INTO ${schema}.operations VALUES (1, 'prune', 'zzz', '{')`,
    );
    const worker = runtimeOf(true);
    await approve(worker, 'good-1');
    await expect.poll(async () => (await engine.get('good-1'))?.status).toBe('done');
    await expect(engine.operations()).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await worker.close();
  });
});
