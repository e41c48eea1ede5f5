import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage } from './stage-server.js';

/** A subject owns what it starts; runs:all reaches the runs of everybody in the tenant. */
const OWN = ['agents:invoke', 'runs:read', 'runs:control'];
const STEERING: readonly (readonly [verb: string, body: unknown])[] = [
  ['cancel', {}],
  ['pause', {}],
  ['resume', {}],
  ['signal', { name: 'go' }],
  ['redirect', { instruction: 'Keep it short.' }],
  ['fork', { at: 1 }],
];
const READING = ['', '/entries', '/events', '/views/trace', '/fork-points', '/prompts/x'];

let stage: ServerStage;
const key: Record<string, string> = {};
let run = '';
let conversation = '';
const call = (who: string, method: string, path: string, body?: unknown) =>
  stage.call(method, path, { key: key[who] ?? '', ...(body === undefined ? {} : { body }) });

beforeAll(async () => {
  stage = await serverStage();
  for (const who of ['ada', 'bob']) key[who] = await stage.keyFor('acme', OWN, { name: who, subject: who });
  key['ada again'] = await stage.keyFor('acme', OWN, { name: 'ada’s phone', subject: 'ada' });
  key['olga'] = await stage.keyFor('acme', [...OWN, 'runs:all'], { name: 'olga', subject: 'olga' });
  key['desk'] = await stage.keyFor('acme', ['approvals:decide'], { name: 'desk', subject: 'desk' });
  await stage.again();
  run = (await call('ada', 'POST', '/v1/runs', { agent: 'waiter', input: {} })).body.id;
  conversation = (await call('ada', 'POST', '/v1/conversations', { agent: 'plain', message: 'hi' })).body.id;
});
afterAll(() => stage.close());

describe('a run of one subject', () => {
  it.each(READING)('is not read by another at /v1/runs/{id}%s, as if it never was [F-S10]', async (path) => {
    const there = await call('bob', 'GET', `/v1/runs/${run}${path}`);
    const never = await call('bob', 'GET', `/v1/runs/run_nowhere${path}`);
    expect(there.status).toBe(404);
    expect(there.body.detail.replace(run, 'ID')).toBe(never.body.detail.replace('run_nowhere', 'ID'));
  });

  it.each(STEERING)('is not steered by another: %s [F-S10]', async (verb, body) => {
    expect((await call('bob', 'POST', `/v1/runs/${run}/${verb}`, body)).status).toBe(404);
    expect((await stage.server.parts.fleet.get(run)).status).toMatch(/running|suspended/);
  });

  it('is in no list and no stream of another [F-S10]', async () => {
    const idsFor = async (who: string, query = ''): Promise<readonly string[]> =>
      (await call(who, 'GET', `/v1/runs${query}`)).body.runs.map(({ id }: { id: string }) => id);
    expect(await idsFor('bob')).toEqual([]);
    expect(await idsFor('bob', '?subject=ada')).toEqual([]);
    expect((await call('bob', 'GET', '/v1/conversations')).body.conversations).toEqual([]);
    expect(await idsFor('ada')).toEqual(expect.arrayContaining([run, conversation]));
    expect(await idsFor('olga', '?subject=ada')).toEqual(expect.arrayContaining([run, conversation]));

    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${key['bob']}` };
    const stream = await fetch(`${stage.url}/v1/events`, { headers, signal: leaving.signal });
    const adas = (await call('ada', 'POST', '/v1/runs', { agent: 'plain', input: { question: 'x' } })).body.id;
    const bobs = (await call('bob', 'POST', '/v1/runs', { agent: 'plain', input: { question: 'x' } })).body.id;
    let told = '';
    for await (const bytes of stream.body ?? []) {
      told += Buffer.from(bytes).toString();
      if (told.includes(bobs)) break;
    }
    leaving.abort();
    expect(told).not.toContain(adas);
  });

  it('is reached by all keys of its subject, and by whoever holds runs:all [F-S10]', async () => {
    for (const who of ['ada', 'ada again', 'olga'])
      expect([who, (await call(who, 'GET', `/v1/runs/${run}`)).status]).toEqual([who, 200]);
    const forked = await call('olga', 'POST', `/v1/runs/${run}/fork`, { at: 1 });
    expect(forked.status).toBe(202);
    expect((await call('ada', 'GET', `/v1/runs/${forked.body.id}`)).status).toBe(404); // the fork is olga's
  });

  it('is decided about by people who cannot read it [F-S10]', async () => {
    const asking = (await call('ada', 'POST', '/v1/runs', { agent: 'payer', input: { amount: 2 } })).body.id;
    const open = async () => (await call('desk', 'GET', `/v1/approvals?run=${asking}&status=open`)).body.items;
    await expect.poll(async () => (await open()).length).toBe(1);
    const [{ id }] = await open();
    const decided = await call('desk', 'POST', `/v1/approvals/${encodeURIComponent(id)}/decide`, {
      verdict: 'approve',
    });
    expect(decided.status).toBeLessThan(300);
  });
});

describe('a conversation of one subject', () => {
  const at = () => `/v1/conversations/${conversation}`;

  it('is not read, spoken in or ended by another of the same tenant [F-S10] [R8-SECURITY-READERS]', async () => {
    expect((await call('bob', 'GET', at())).status).toBe(404);
    expect((await call('bob', 'POST', `${at()}/messages`, { text: 'it is me' })).status).toBe(404);
    expect((await call('bob', 'POST', `${at()}/end`, {})).status).toBe(404);
  });

  it('takes messages from its subject and from whoever holds runs:all [F-S10]', async () => {
    for (const who of ['ada', 'ada again', 'olga'])
      expect([who, (await call(who, 'POST', `${at()}/messages`, { text: 'it is me' })).status]).toEqual([who, 200]);
  });
});
