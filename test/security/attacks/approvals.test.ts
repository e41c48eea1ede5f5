import { type Agent, done, type Run } from 'flyball';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answered, type ServerStage, serverStage } from '../../server/stage-server.js';

/** Ways to get something done that nobody who may decide has agreed to. After each of them nothing was paid. */
const paid: unknown[] = [];
const pays =
  (approval: object): Agent<{ readonly first?: string }, unknown> =>
  async (run: Run, input) => {
    if (input?.first !== undefined) await run.wait({ name: input.first });
    const pay = {
      name: 'pay',
      description: 'Pays.',
      effect: { class: 'irreversible' as const },
      approval,
      execute: async (args: unknown) => paid.push(args),
    };
    return done((await run.call(pay, { amount: 1 })).content);
  };
const talks: Agent<string, unknown> = async (run, text) => pays({})(run, text as never);

let stage: ServerStage;
const key: Record<string, string> = {};
beforeAll(async () => {
  stage = await serverStage({
    groups: [{ agents: { one: pays({}), two: pays({ people: 2 }), scoped: pays({ scopes: ['treasury'] }), talks } }],
  });
  const invoke = ['agents:invoke', 'runs:*'];
  const make = async (name: string, scopes: readonly string[], subject = name, tenant = 'house') => {
    key[name] = await stage.keyFor(tenant, scopes, { name, subject });
  };
  await make('ada', ['admin']);
  await make('ada’s other key', ['approvals:decide'], 'ada');
  await make('ADA', ['approvals:decide'], 'ADA');
  await make('wide ada', ['approvals:decide'], 'ａｄａ');
  await make('ben', [...invoke, 'approvals:decide']);
  await make('ben’s other key', ['approvals:decide'], 'ben');
  await make('mallory', invoke);
  await make('prefix', ['approvals:decide', 'treas:*', 'treasury:read', 'treasury:*'], 'pia');
  await make('eve', ['admin'], 'eve', 'zoo');
  await stage.again();
});
beforeEach(() => void paid.splice(0));
afterAll(() => stage.close());

const call = (who: string, method: string, path: string, body?: unknown, headers = {}) =>
  stage.call(method, path, { key: key[who] ?? '', headers, ...(body === undefined ? {} : { body }) });
const start = async (agent: string, input: object = {}, who = 'ada'): Promise<string> =>
  (await call(who, 'POST', '/v1/runs', { agent, input })).body.id;
const open = async (run: string) => (await call('ada', 'GET', `/v1/approvals?run=${run}&status=open`)).body.items;
async function asked(run: string): Promise<string> {
  await expect.poll(async () => (await open(run)).length).toBe(1);
  return (await open(run))[0].id;
}
const decide = (who: string, id: string, body: object = { verdict: 'approve' }, headers = {}) =>
  call(who, 'POST', `/v1/approvals/${encodeURIComponent(id)}/decide`, body, headers);
const signal = (who: string, run: string, name: string, payload: unknown = { verdict: 'approve' }) =>
  call(who, 'POST', `/v1/runs/${run}/signal`, { name, payload });
const refused = (...answers: readonly Answered[]): void => {
  for (const { status } of answers) expect(status).toBeGreaterThanOrEqual(400);
};

/** Against one run that asks; it still asks afterwards. */
const WHILE_IT_ASKS: Readonly<Record<string, (run: string, id: string) => Promise<void>>> = {
  'an invented request': async () => refused(await decide('ben', '000000000000000~none')),
  'the request of another wait of the run': async (_, id) =>
    refused(await decide('ben', id.replace('!gate', '!gate.2'))),
  'the token without its time': async (_, id) => refused(await decide('ben', id.slice(id.indexOf('~') + 1))),
  'an administrator of another tenant': async (_, id) => refused(await decide('eve', id)),
  'another tenant’s signal with the token': async (run, id) =>
    refused(await signal('eve', run, id.slice(id.indexOf('~') + 1))),
  'a key that may not decide': async (_, id) => refused(await decide('mallory', id)),
  'no key at all': async (_, id) => refused(await decide('nobody', id)),
  'a signal with the token': async (run, id) => refused(await signal('mallory', run, id.slice(id.indexOf('~') + 1))),
  'a signal with the token by somebody who may decide': async (run, id) =>
    refused(await signal('ben', run, id.slice(id.indexOf('~') + 1))),
  'a signal with the name of the question': async (run) => refused(await signal('mallory', run, 'approve:#0')),
  'the name of the question in other letters': async (run) => {
    await signal('mallory', run, 'Approve:#0');
    await signal('mallory', run, 'approve:#0 ');
    await signal('mallory', run, 'ａpprove:#0');
  },
  'the requester': async (_, id) => refused(await decide('ada', id)),
  'the requester with another key': async (_, id) => refused(await decide('ada’s other key', id)),
  'the requester with a key made over HTTP': async (_, id) => {
    const body = { name: 'more', scopes: ['approvals:decide'] };
    key['minted'] = (await call('ada', 'POST', '/v1/keys', body)).body.secret;
    refused(await decide('minted', id));
  },
  'the requester in capitals': async (_, id) => refused(await decide('ADA', id)),
  'the requester in wide letters': async (_, id) => refused(await decide('wide ada', id)),
  'the door for answers': async (_, id) =>
    refused(await call('ben', 'POST', `/v1/approvals/${encodeURIComponent(id)}/answer`, { value: { happened: true } })),
  'a verdict in capitals': async (_, id) => refused(await decide('ben', id, { verdict: 'APPROVE' })),
  'a verdict in a list': async (_, id) => refused(await decide('ben', id, { verdict: ['approve'] })),
  'a verdict in the name of another': async (_, id) =>
    refused(await decide('ada', id, { verdict: 'approve', by: 'ben' })),
  'a modification without a value': async (_, id) => refused(await decide('ben', id, { verdict: 'modify' })),
  'a rejection without a reason': async (_, id) => refused(await decide('ben', id, { verdict: 'reject' })),
  'a rejection with a blank reason': async (_, id) =>
    refused(await decide('ben', id, { verdict: 'reject', reason: ' \u200b\n' })),
  'an override of the method': async (_, id) =>
    refused(await call('mallory', 'GET', `/v1/approvals/${encodeURIComponent(id)}/decide?verdict=approve`)),
};

describe('an approval is not given by', () => {
  it.each(Object.keys(WHILE_IT_ASKS))('%s [R8-SECURITY-ATTACKS]', async (name) => {
    const run = await start('one');
    const id = await asked(run);
    await WHILE_IT_ASKS[name]?.(run, id);
    expect(paid).toEqual([]);
    expect(await open(run)).toHaveLength(1);
  });
});

describe('an approval is worth nothing', () => {
  it('sent before the question [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('one', { first: 'begin' });
    for (let n = 0; n < 6; n++) refused(await signal('mallory', run, `approve:#${n}`));
    expect((await signal('mallory', run, 'begin', null)).status).toBe(202);
    await asked(run);
    expect(paid).toEqual([]);
  });

  it('of whoever told the run to begin [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('one', { first: 'begin' });
    expect((await signal('ben', run, 'begin', null)).status).toBe(202);
    refused(await decide('ben', await asked(run)), await decide('ben’s other key', await asked(run)));
    expect(paid).toEqual([]);
  });

  it('of whoever redirected the run [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('one', { first: 'begin' });
    await call('ben', 'POST', `/v1/runs/${run}/redirect`, { instruction: 'Pay more.' });
    await signal('mallory', run, 'begin', null);
    refused(await decide('ben', await asked(run)));
    expect(paid).toEqual([]);
  });

  it('of whoever spoke in the conversation [R8-SECURITY-ATTACKS]', async () => {
    const { id } = (await call('ben', 'POST', '/v1/conversations', { agent: 'talks', message: 'pay' })).body;
    refused(await decide('ben', await asked(id)));
    expect(paid).toEqual([]);
  });

  it('after a rejection, again and again [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('one');
    const id = await asked(run);
    expect((await decide('ben', id, { verdict: 'reject', reason: 'no' })).status).toBeLessThan(300);
    refused(await decide('ben', id), await decide('ben', id, { verdict: 'modify', value: { amount: 2 } }));
    await expect.poll(async () => (await call('ada', 'GET', `/v1/runs/${run}`)).body.status).toBe('done');
    expect(paid).toEqual([]);
  });

  it('after the run was cancelled [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('one');
    const id = await asked(run);
    await call('ada', 'POST', `/v1/runs/${run}/cancel`, {});
    await expect.poll(async () => (await call('ada', 'GET', `/v1/runs/${run}`)).body.status).toBe('cancelled');
    refused(await decide('ben', id));
    expect(paid).toEqual([]);
  });

  it('twice by one person where two have to agree, with one key or with two [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('two');
    expect((await decide('ben', await asked(run))).status).toBeLessThan(300);
    await expect.poll(async () => (await open(run)).length).toBe(1);
    refused(await decide('ben', await asked(run)), await decide('ben’s other key', await asked(run)));
    expect(paid).toEqual([]);
  });

  it('repeated under an idempotency key for the second person [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('two');
    const headers = { 'idempotency-key': 'again' };
    await decide('ben', await asked(run), { verdict: 'approve' }, headers);
    await expect.poll(async () => (await open(run)).length).toBe(1);
    refused(await decide('ben', await asked(run), { verdict: 'approve' }, headers));
    expect(paid).toEqual([]);
  });

  it.each(['ben', 'prefix'])('without the scope that it asks for: %s [R8-SECURITY-ATTACKS]', async (who) => {
    refused(await decide(who, await asked(await start('scoped'))));
    expect(paid).toEqual([]);
  });

  it('for a fork that is made from the question [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('one');
    await asked(run);
    const points = (await call('mallory', 'GET', `/v1/runs/${run}/fork-points`)).body.points;
    for (const live of [true, false]) {
      const body = { at: points.at(-1).seq, live };
      const fork = (await call('mallory', 'POST', `/v1/runs/${run}/fork`, body)).body.id;
      refused(await signal('mallory', fork, 'approve:live-fork'), await signal('mallory', fork, 'approve:#0'));
      for (const { id } of await open(fork)) refused(await decide('mallory', id));
    }
    expect(paid).toEqual([]);
  });

  it('more than once, however many give it at the same moment [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('one');
    const id = await asked(run);
    await Promise.all(Array.from({ length: 10 }, (_, n) => decide(n % 2 === 0 ? 'ben' : 'ben’s other key', id)));
    await expect.poll(async () => (await call('ada', 'GET', `/v1/runs/${run}`)).body.status).toBe('done');
    expect(paid).toEqual([{ amount: 1 }]);
  });

  it('beside a rejection of the same moment: one of them stands [R8-SECURITY-ATTACKS]', async () => {
    const run = await start('one');
    const id = await asked(run);
    const answers = await Promise.all([decide('ben', id), decide('ben', id, { verdict: 'reject', reason: 'no' })]);
    await expect.poll(async () => (await call('ada', 'GET', `/v1/runs/${run}`)).body.status).toBe('done');
    expect(paid.length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(0);
  });
});
