import { join } from 'node:path';
import { type Agent, done, type Run } from 'flyball';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../packages/flyball/src/adapters/engine-sqlite/driver.js';
import { patient } from '../patience.js';
import { type ServerStage, serverStage } from './stage-server.js';

const paid: string[] = [];
const payer: Agent<unknown, unknown> = async (run: Run) => {
  const pay = {
    name: 'pay',
    description: 'Pays.',
    effect: { class: 'irreversible' as const },
    execute: async () => paid.push(run.id),
  };
  await run.wait({ name: 'begin' });
  return done((await run.call(pay, {})).content);
};
const talker: Agent<string, unknown> = async (_run, text) => done(`You said: ${text}`);

let stage: ServerStage;
const runs: Record<string, string> = {};

async function begun(name: string, input: unknown = {}): Promise<void> {
  const { id } = (await stage.call('POST', '/v1/runs', { body: { agent: 'payer', input } })).body;
  runs[name] = id;
  await stage.call('POST', `/v1/runs/${id}/signal`, { body: { name: 'begin' } });
  const open = async () => (await stage.call('GET', `/v1/approvals?run=${id}&status=open`)).body.items.length;
  while ((await open()) !== 1) await new Promise((resolve) => setImmediate(resolve));
}

async function damage(id: string): Promise<void> {
  const database = await openDatabase(join(stage.folder, 'runs.db'));
  database.exec(
    `UPDATE events SET body = replace(body, 'payer', 'paver') WHERE seq = 0 AND run = (SELECT n FROM runs WHERE id = '${id}')`,
  );
  database.close();
}

beforeAll(async () => {
  stage = await serverStage({ groups: [{ agents: { payer, talker } }] });
  await begun('bad');
  await begun('good');
  await damage(runs['bad'] ?? '');
  await stage.again();
});
afterAll(() => stage.close());

const DAMAGED = { status: 500, body: { code: 'JOURNAL_CORRUPT', detail: expect.stringContaining('damaged') } };

describe('a run whose journal is damaged, over HTTP', () => {
  it.each(['', '/entries', '/events', '/views/trace', '/fork-points'])(
    'says so at %s [R7-APPROVE-DAMAGED]',
    async (path) => {
      const answer = await stage.call('GET', `/v1/runs/${runs['bad']}${path}`);
      expect(answer).toMatchObject(DAMAGED);
      expect(answer.body).toMatchObject({ retryable: false, next: expect.any(String) });
    },
  );

  it('takes no signal, and is not resumed or forked [R7-APPROVE-DAMAGED] [V10.10]', async () => {
    const asked = [
      ['signal', { name: 'begin' }],
      ['resume', {}],
      ['fork', { at: 0 }],
    ] as const;
    for (const [what, body] of asked)
      expect([what, await stage.call('POST', `/v1/runs/${runs['bad']}/${what}`, { body })]).toMatchObject([
        what,
        DAMAGED,
      ]);
  });

  it('is listed as stalled, with what is wrong [R7-APPROVE-DAMAGED] [V10.10]', async () => {
    const statuses = async () => {
      const listed = await stage.call('GET', '/v1/runs');
      expect(listed.status).toBe(200);
      return Object.fromEntries(listed.body.runs.map((card: { id: string; status: string }) => [card.id, card.status]));
    };
    // a run that waits is suspended once its process has put it down
    await expect
      .poll(statuses, { timeout: patient(10_000) })
      .toMatchObject({ [runs['bad'] ?? '']: 'stalled', [runs['good'] ?? '']: 'suspended' });
  });

  it('leaves every other run alone: inbox, metrics, conversations and new runs [R7-APPROVE-DAMAGED]', async () => {
    const open = await stage.call('GET', '/v1/approvals?status=open');
    expect(open.status).toBe(200);
    const good = open.body.items.find((item: { run: string }) => item.run === runs['good']);
    expect((await stage.call('GET', `/v1/approvals/${encodeURIComponent(good.id)}`)).status).toBe(200);
    const yes = { body: { verdict: 'approve' } };
    expect((await stage.call('POST', `/v1/approvals/${encodeURIComponent(good.id)}/decide`, yes)).status).toBeLessThan(
      300,
    );
    await expect.poll(async () => (await stage.call('GET', `/v1/runs/${runs['good']}`)).body.status).toBe('done');
    expect(paid).toEqual([runs['good']]);
    for (const path of ['/v1/approvals-metrics', '/metrics', '/v1/conversations', '/health'])
      expect([path, (await stage.call('GET', path)).status]).toEqual([path, 200]);
    const said = await stage.call('POST', '/v1/conversations', { body: { agent: 'talker', message: 'hello' } });
    expect(said).toMatchObject({ status: 201, body: { turns: [{ answer: 'You said: hello' }] } });
  });

  it('is found while the server runs, by whoever comes to it first [R7-APPROVE-DAMAGED]', async () => {
    await begun('late');
    await stage.again(); // nothing of it is in memory
    await damage(runs['late'] ?? '');
    const items = (await stage.call('GET', '/v1/approvals?status=open')).body.items;
    const item = items.find(({ run }: { run: string }) => run === runs['late']);
    const decided = await stage.call('POST', `/v1/approvals/${encodeURIComponent(item?.id ?? 'none')}/decide`, {
      body: { verdict: 'approve' },
    });
    expect(decided).toMatchObject(DAMAGED);
    const { runs: cards } = (await stage.call('GET', '/v1/runs')).body;
    expect(cards.find(({ id }: { id: string }) => id === runs['late'])).toMatchObject({
      status: 'stalled',
      attention: expect.stringContaining('damaged'),
    });
    expect(paid).toEqual([runs['good']]);
  });
});

describe('a run whose record is damaged, over HTTP', () => {
  let secret = '';
  let eve = '';
  const everybody: { readonly key: string }[] = [];

  beforeAll(async () => {
    await begun('secret', 'topsecret');
    secret = runs['secret'] ?? '';
    eve = await stage.keyFor('evil', ['*'], { subject: 'eve' });
    everybody.push({ key: await stage.keyFor('default', ['*']) }, { key: eve });
    const database = await openDatabase(join(stage.folder, 'runs.db'));
    database.exec(`UPDATE runs SET tenant = 'evil', subject = 'eve' WHERE id = '${secret}'`);
    database.close();
  });

  it.each(['', '/entries', '/events', '/views/trace', '/fork-points'])(
    'is given to nobody at %s, also not to the tenant that it names now [R19-OWNER-UNKNOWN]',
    async (path) => {
      for (const how of everybody) {
        const answer = await stage.call('GET', `/v1/runs/${secret}${path}`, how);
        expect(answer).toMatchObject(DAMAGED);
        expect(answer.text).not.toContain('topsecret');
      }
    },
  );

  it('takes no signal from anybody, and is not resumed, forked or talked to [R19-OWNER-UNKNOWN]', async () => {
    const asked = [
      [`/v1/runs/${secret}/signal`, { name: 'begin' }],
      [`/v1/runs/${secret}/resume`, {}],
      [`/v1/runs/${secret}/fork`, { at: 1 }],
      [`/v1/conversations/${secret}/messages`, { text: 'hello' }],
    ] as const;
    for (const how of everybody)
      for (const [path, body] of asked)
        expect([path, await stage.call('POST', path, { ...how, body })]).toMatchObject([path, DAMAGED]);
    expect(await stage.call('GET', `/v1/conversations/${secret}`, { key: eve })).toMatchObject(DAMAGED);
  });

  it('is in no list over HTTP, and in that of an operator as stalled [R19-OWNER-UNKNOWN]', async () => {
    for (const path of ['/v1/runs', '/v1/conversations', '/v1/approvals'])
      for (const how of everybody) {
        const { status, text } = await stage.call('GET', path, how);
        expect([path, status, text.includes('topsecret')]).toEqual([path, 200, false]);
        if (path !== '/v1/approvals') expect(text).not.toContain(secret);
      }
    const { runs: all } = await stage.engine.list({ status: 'stalled' });
    const shown = { damaged: true, tenant: '', subject: '', attention: expect.stringContaining('damaged') };
    expect((await stage.engine.list({})).runs.find(({ id }) => id === secret)).toMatchObject(shown);
    expect(all.every(({ status }) => status === 'stalled')).toBe(true);
  });
});
