import { type Agent, done, type Run } from 'flyball';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage } from './stage-server.js';

const paid: unknown[] = [];
const people =
  (count: number): Agent<unknown, unknown> =>
  async (run: Run) => {
    await run.wait({ name: 'begin' });
    const approval = { people: count };
    const pay = {
      name: 'pay',
      description: 'Pays.',
      effect: { class: 'irreversible' as const },
      approval,
      execute: async () => paid.push(1),
    };
    return done((await run.call(pay, {})).content);
  };

/** One conversation with a colleague: every message of anybody makes it pay what the message says. */
const payer: Agent<string, unknown> = async (run, text) => {
  const pay = {
    name: 'pay',
    description: 'Pays.',
    effect: { class: 'irreversible' as const },
    execute: async () => paid.push(text),
  };
  return done((await run.call(pay, { to: text })).content);
};

let stage: ServerStage;
const key: Record<string, string> = {};
beforeAll(async () => {
  stage = await serverStage({
    groups: [{ agents: { one: people(1), two: people(2), payer } }],
  });
  const invoke = ['agents:invoke', 'runs:*'];
  key['ada'] = await stage.keyFor('house', ['admin'], { name: 'ada', subject: 'ada' });
  key['ben'] = await stage.keyFor('house', [...invoke, 'approvals:decide'], { name: 'ben', subject: 'ben' });
  key['cy'] = await stage.keyFor('house', [...invoke, 'approvals:decide'], { name: 'cy', subject: 'cy' });
  key['mallory'] = await stage.keyFor('house', invoke, { name: 'mallory', subject: 'mallory' });
  key['limited'] = await stage.keyFor('zoo', ['admin'], {
    name: 'lim',
    subject: 'lim',
    limits: { costUsdPerDay: 0.1, requestsPerMinute: 100 },
  });
  await stage.again();
});
afterAll(() => stage.close());

const call = (who: string, method: string, path: string, body?: unknown) =>
  stage.call(method, path, { key: key[who] ?? who, ...(body === undefined ? {} : { body }) });

async function begun(agent: string, who: string): Promise<string> {
  const { id } = (await call(who, 'POST', '/v1/runs', { agent, input: {} })).body;
  return id;
}

async function asked(run: string): Promise<string> {
  await expect
    .poll(async () => (await call('ben', 'GET', `/v1/approvals?run=${run}&status=open`)).body.items.length)
    .toBe(1);
  return (await call('ben', 'GET', `/v1/approvals?run=${run}&status=open`)).body.items[0].id;
}

const decide = (who: string, id: string) =>
  call(who, 'POST', `/v1/approvals/${encodeURIComponent(id)}/decide`, { verdict: 'approve' });

describe('whoever may only control runs', () => {
  it('cannot approve, neither ahead nor by the name of the question [F-S1]', async () => {
    const run = await begun('one', 'ben');
    for (const name of ['approve:#1', 'approve:live-fork', `${run}:0:#1!gate`]) {
      const sent = await call('mallory', 'POST', `/v1/runs/${run}/signal`, { name, payload: { verdict: 'approve' } });
      expect([name, sent.status >= 400]).toEqual([name, true]);
    }
    const begin = await call('mallory', 'POST', `/v1/runs/${run}/signal`, { name: 'begin' });
    expect(begin).toMatchObject({ status: 202, body: { delivery: expect.stringMatching(/delivered|buffered/) } });
    await asked(run);
    const late = await call('mallory', 'POST', `/v1/runs/${run}/signal`, { name: 'approve:#1', payload: true });
    expect(late).toMatchObject({ status: 403, body: { next: expect.stringContaining('/v1/approvals') } });
    expect(paid).toEqual([]);
  });

  it('cannot approve by a token that was guessed while the question was about to be asked [R7-APPROVE-SIGNALS]', async () => {
    const run = await begun('one', 'ben');
    const { fleet } = stage.server.parts;
    const { signal } = fleet;
    // another process opens the question after this one has let the request in, and before it passes it on
    const late: typeof signal = async (...sent) => {
      Object.assign(fleet, { signal });
      await signal(run, 'begin', undefined, { from: 'ben' });
      await asked(run);
      return signal(...sent);
    };
    Object.assign(fleet, { signal: late });
    const sent = await call('mallory', 'POST', `/v1/runs/${run}/signal`, {
      name: `${run}:0:#1!gate`,
      payload: { verdict: 'approve' },
    });
    expect(sent).toMatchObject({ status: 403, body: { next: expect.stringContaining('/v1/approvals') } });
    expect((await call('ben', 'GET', `/v1/approvals?run=${run}&status=open`)).body.items).toHaveLength(1);
    expect(paid).toEqual([]);
  });
});

describe('separation of duties', () => {
  it('keeps whoever started a run from approving what it does, administrators included [F-S6]', async () => {
    const run = await begun('one', 'ada');
    await call('ada', 'POST', `/v1/runs/${run}/signal`, { name: 'begin' });
    const id = await asked(run);
    expect(await decide('ada', id)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('requested it') },
    });
    expect((await decide('ben', id)).status).toBeLessThan(300);
    paid.length = 0;
  });

  it('keeps whoever writes in somebody else’s conversation from approving what they asked for [R7-APPROVE-ASKERS]', async () => {
    const { body } = await call('ada', 'POST', '/v1/conversations', { agent: 'payer' });
    const said = await call('ben', 'POST', `/v1/conversations/${body.id}/messages`, { text: 'ben’s friend' });
    expect(said.status).toBeLessThan(300);
    const id = await asked(body.id);
    for (const who of ['ben', 'ada'])
      expect([who, await decide(who, id)]).toMatchObject([
        who,
        { status: 403, body: { detail: expect.stringContaining('requested it') } },
      ]);
    const { requesters } = (await call('cy', 'GET', `/v1/approvals/${encodeURIComponent(id)}`)).body;
    expect([...requesters].sort()).toEqual(['ada', 'ben']);
    expect(paid).toEqual([]);
    expect((await decide('cy', id)).status).toBeLessThan(300);
    await expect.poll(() => paid).toEqual(['ben’s friend']);
    paid.length = 0;
  });

  it.each(['signal', 'redirect'])(
    'keeps whoever sent the run a %s from approving what it then does [R7-APPROVE-ASKERS]',
    async (how) => {
      const run = await begun('one', 'ben');
      if (how === 'redirect')
        expect((await call('ada', 'POST', `/v1/runs/${run}/redirect`, { instruction: 'Pay more.' })).status).toBe(202);
      await call(how === 'signal' ? 'ada' : 'ben', 'POST', `/v1/runs/${run}/signal`, { name: 'begin' });
      const id = await asked(run);
      expect(await decide('ada', id)).toMatchObject({ status: 403 });
      expect((await decide('cy', id)).status).toBeLessThan(300);
      paid.length = 0;
    },
  );

  it('makes no key in the name of somebody else, so that one person is never two [F-S6]', async () => {
    const body = { name: 'ghost', scopes: ['approvals:decide'] };
    expect(await call('ada', 'POST', '/v1/keys', { ...body, subject: 'grace' })).toMatchObject({ status: 403 });
    const own = await call('ada', 'POST', '/v1/keys', body);
    expect(own).toMatchObject({ status: 201, body: { key: { subject: 'ada' } } });

    const run = await begun('two', 'ben');
    await call('ben', 'POST', `/v1/runs/${run}/signal`, { name: 'begin' });
    expect((await decide('ada', await asked(run))).status).toBeLessThan(300);
    const second = await asked(run);
    const again = await stage.call('POST', `/v1/approvals/${encodeURIComponent(second)}/decide`, {
      key: own.body.secret,
      body: { verdict: 'approve' },
    });
    expect(again).toMatchObject({ status: 403 });
    expect(paid).toEqual([]);
  });

  it('gives nobody the secret of a key that may do more, or that is somebody else’s [F-S6]', async () => {
    const { keys } = (await call('ada', 'GET', '/v1/keys')).body;
    const bens = keys.find((one: { subject: string }) => one.subject === 'ben').prefix;
    expect(await call('ada', 'POST', `/v1/keys/${bens}/rotate`, {})).toMatchObject({ status: 403 });
    const wide = await stage.server.parts.keys.create({
      name: 'wide',
      subject: 'lim',
      tenant: 'zoo',
      scopes: ['admin'],
    });
    const rotated = await call('limited', 'POST', `/v1/keys/${wide.key.prefix}/rotate`, {});
    expect(rotated).toMatchObject({ status: 403 });
  });

  it('gives nobody the secret of a key with a scope that they do not have [R19-ROTATE-SCOPES]', async () => {
    const own = { tenant: 'house', subject: 'ops' };
    const safe = await stage.keys.create({ ...own, name: 'safe', scopes: ['metrics:read', 'workers:control'] });
    const admin = await stage.keyFor('house', ['admin'], { ...own, name: 'ci' });
    const everything = await stage.keyFor('house', ['*'], { ...own, name: 'all' });
    const holder = await stage.keyFor('house', ['admin', 'workers:control'], { ...own, name: 'holder' });
    const rotate = (by: string, prefix: string) => call(by, 'POST', `/v1/keys/${prefix}/rotate`, {});
    for (const by of [admin, everything])
      expect(await rotate(by, safe.key.prefix)).toMatchObject({
        status: 403,
        body: {
          detail: 'Your credential does not have the scope workers:control.',
          next: `Rotate it on the server: flyball keys rotate ${safe.key.prefix}`,
        },
      });
    expect((await rotate(holder, safe.key.prefix)).status).toBe(200);
    expect((await rotate(admin, everything.slice(3, 11))).status).toBe(200);
  });

  it('counts what keys spend against whoever made them [F-S6]', async () => {
    let granted = 0;
    for (let n = 0; n < 4; n++) {
      const { secret } = (await call('limited', 'POST', '/v1/keys', { name: `m${n}`, scopes: ['admin'] })).body;
      const started = await call(secret, 'POST', '/v1/runs', { agent: 'one', input: {} });
      if (started.status === 202) granted += started.body.usage.costUsd.limit;
    }
    expect(granted).toBeLessThanOrEqual(0.1 + 1e-9);
  });
});

describe('the cost limit of a key that a key made [R19-COST-CHAIN]', () => {
  const make = async (by: string, costUsdPerDay: number): Promise<string> =>
    (await call(by, 'POST', '/v1/keys', { name: 'k', scopes: ['admin'], limits: { costUsdPerDay } })).body.secret;
  const start = async (by: string, costUsd: number) => {
    const { status, body } = await call(by, 'POST', '/v1/runs', { agent: 'one', input: {}, budget: { costUsd } });
    return status === 202 ? body.usage.costUsd.limit : body.detail;
  };
  const root = (costUsdPerDay: number) =>
    stage.keyFor('house', ['admin'], { name: 'root', subject: 'root', limits: { costUsdPerDay } });

  it('is not used up by what other keys of its maker spend', async () => {
    const maker = await root(0.4);
    const [one, other] = [await make(maker, 0.1), await make(maker, 0.3)];
    expect(await start(other, 0.2)).toBe(0.2);
    expect(await start(one, 0.05)).toBe(0.05);
    expect(await start(one, 0.1)).toBe(0.05);
    expect(await start(one, 0.1)).toBe('The cost limit of this credential for today is reserved by open runs.');
  });

  it('counts what the keys below it spend, at every level', async () => {
    const maker = await root(0.4);
    const middle = await make(maker, 0.3);
    const [one, other] = [await make(middle, 0.2), await make(middle, 0.2)];
    expect(await start(one, 0.2)).toBe(0.2);
    expect(await start(other, 0.2)).toBe(0.1);
    expect(await start(other, 0.1)).toBe(
      'The cost limit of a credential that this key comes from for today is reserved by open runs.',
    );
    expect(await start(middle, 0.1)).toBe('The cost limit of this credential for today is reserved by open runs.');
    expect(await start(maker, 0.4)).toBe(0.1);
  });
});

describe('a server that was opened before there was a key', () => {
  it('lets nobody decide about their own run once there is one, without a restart [F-S6]', async () => {
    const early = await serverStage({ groups: [{ agents: { one: people(1) } }] });
    try {
      const admin = await early.keyFor('house', ['admin'], { name: 'ada', subject: 'ada' });
      const as = (method: string, path: string, body?: unknown) =>
        early.call(method, path, { key: admin, ...(body === undefined ? {} : { body }) });
      const { id } = (await as('POST', '/v1/runs', { agent: 'one', input: {} })).body;
      await as('POST', `/v1/runs/${id}/signal`, { name: 'begin' });
      const open = async () => (await as('GET', `/v1/approvals?run=${id}&status=open`)).body.items;
      await expect.poll(async () => (await open()).length).toBe(1);
      const [{ id: item }] = await open();
      const decided = await as('POST', `/v1/approvals/${encodeURIComponent(item)}/decide`, { verdict: 'approve' });
      expect(decided.status).toBe(403);
    } finally {
      await early.close();
    }
  });

  it('makes no key for nobody in particular [F-S6]', async () => {
    await expect(stage.keyFor('house', ['admin'], { name: 'x', subject: 'Anonymous' })).rejects.toThrow(
      'not "anonymous"',
    );
  });
});
