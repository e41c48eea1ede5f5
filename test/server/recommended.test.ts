import type { AgentGroup } from '@flyball/server';
import { type Agent, done, type Run, type ToolRef } from 'flyball';
import { requestApproval } from 'flyball/people';
import { scriptedModel } from 'flyball/testing';
import { tool, toolRegistry } from 'flyball/tools';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answered, type ServerStage, serverStage } from './stage-server.js';

/** What is paid out, and what `review` recommends in place of an amount. */
const paid: unknown[] = [];
const RECOMMENDED: Readonly<Record<number, unknown>> = {
  120: { amount: 100 },
  130: { amount: 66 },
  140: { amount: '1' },
};

const paying = (name: string, people: number) =>
  tool({
    name,
    description: 'Pays money back.',
    input: {
      type: 'object',
      properties: { amount: { type: 'number', minimum: 1 } },
      required: ['amount'],
      additionalProperties: false,
    },
    effect: { class: 'irreversible', why: 'money leaves the account' },
    approval: { people },
    review: ({ amount }) => {
      const recommended = RECOMMENDED[Number(amount)];
      return recommended === undefined ? {} : { recommendation: 'modify', recommended };
    },
    execute: async (args) => {
      paid.push(args);
      return 'paid';
    },
  });
const refund = paying('refund', 1);
const payout = paying('payout', 2);
const calling =
  (used: ToolRef): Agent<{ amount: number }, string> =>
  async (run: Run, { amount }) => {
    const result = await run.call(used, { amount });
    return result.ok ? done(result.content) : { stop: 'blocked', because: result.content };
  };

/** Asks about a text of its own, which no tool carries out. */
const writer: Agent<{ amount: number }, string> = async (run, { amount }) => {
  const model = scriptedModel({ writer: () => `We pay ${amount} euros back.` }, { id: 'scripted/writer' });
  const { text } = await run.ask({ name: 'writer', model, setup: 'You write.' }, `The amount is ${amount}.`);
  const recommended = { text: 'We pay nothing.' };
  const request = { action: 'send', output: { text }, recommendation: 'modify', recommended } as const;
  const decided = await requestApproval(run, request, {}, 'review');
  return done(decided.verdict === 'modified' ? JSON.stringify(decided.value) : decided.verdict);
};

const group: AgentGroup = {
  agents: { writer, refunder: calling(refund as ToolRef), payer: calling(payout as ToolRef) },
  tools: toolRegistry([refund, payout]),
  seams: {
    'tool.pre': [
      (next) => async (value, context) =>
        (value.args as { readonly amount?: unknown }).amount === 66
          ? { allow: false, why: 'never 66' }
          : next(value, context),
    ],
  },
};

let stage: ServerStage;
const key = { ada: '', ben: '', cleo: '' };
beforeAll(async () => {
  stage = await serverStage({ groups: [group] });
  key.ada = await stage.keyFor('house', ['agents:invoke', 'runs:*', 'approvals:decide'], { subject: 'ada' });
  key.ben = await stage.keyFor('house', ['approvals:decide'], { subject: 'ben' });
  key.cleo = await stage.keyFor('house', ['approvals:decide'], { subject: 'cleo' });
  await stage.again();
});
afterAll(() => stage.close());
beforeEach(() => void paid.splice(0));

// biome-ignore lint/suspicious/noExplicitAny: requests have every shape
async function openOf(run: string, except?: string): Promise<any> {
  for (;;) {
    const { body } = await stage.call('GET', `/v1/approvals?run=${run}&status=open`, { key: key.ben });
    if (body.items.length > 0 && body.items[0].id !== except) return body.items[0];
  }
}
async function asked(agent: string, amount: number) {
  const { body } = await stage.call('POST', '/v1/runs', { key: key.ada, body: { agent, input: { amount } } });
  return { run: body.id as string, item: await openOf(body.id) };
}
const decide = (id: string, body: unknown, by: keyof typeof key = 'ben'): Promise<Answered> =>
  stage.call('POST', `/v1/approvals/${encodeURIComponent(id)}/decide`, { key: key[by], body });
async function outcomeOf(run: string): Promise<unknown> {
  for (;;) {
    const { body } = await stage.call('GET', `/v1/runs/${run}`, { key: key.ada });
    if (body.outcome !== undefined) return body.outcome;
  }
}
const TAKE = { verdict: 'approve', recommended: true } as const;

describe('where what is asked about comes from, over HTTP', () => {
  it('stands in list and detail, of an action and of an output that an agent asks about itself [F-P2] [R8-PLANS-REQUESTS]', async () => {
    const act = await asked('refunder', 12);
    expect(act.item.request.provenance).toEqual({
      by: { kind: 'code' },
      sources: [{ what: 'input', trust: 'user', excerpt: '{"amount":12}' }],
      values: [{ path: '$.amount', sources: [1] }],
    });
    const { run, item } = await asked('writer', 31);
    const { body } = await stage.call('GET', `/v1/approvals/${encodeURIComponent(item.id)}`, { key: key.ben });
    for (const { request } of [item, body])
      expect(request).toMatchObject({
        output: { text: 'We pay 31 euros back.' },
        recommendation: 'modify',
        recommended: { text: 'We pay nothing.' },
        provenance: {
          by: { kind: 'model', session: 'writer', model: 'scripted/writer' },
          sources: [{ what: 'message', trust: 'user', excerpt: 'The amount is 31.' }],
          values: [{ path: '$.text', sources: [] }],
        },
      });
    expect((await decide(item.id, TAKE)).status).toBe(200);
    expect(await outcomeOf(run)).toMatchObject({ stop: 'done', value: '{"text":"We pay nothing."}' });
  });
});

describe('what a request recommends, over HTTP', () => {
  it('is taken in one go, and is what runs [R8-TRIAL-F5]', async () => {
    const { run, item } = await asked('refunder', 120);
    expect(item).toMatchObject({ request: { input: { amount: 120 }, recommended: { amount: 100 } } });
    const { status, body } = await decide(item.id, TAKE);
    expect(body).toMatchObject({ status: 'decided', decision: { by: 'ben', verdict: 'approve', recommended: true } });
    expect(status).toBe(200);
    expect(await outcomeOf(run)).toMatchObject({ stop: 'done' });
    expect(paid).toEqual([{ amount: 100 }]);
  });

  it('passes the guards again, like every edit [R8-TRIAL-F5]', async () => {
    const { run, item } = await asked('refunder', 130);
    expect((await decide(item.id, TAKE)).status).toBe(200);
    expect(await outcomeOf(run)).toMatchObject({ stop: 'blocked', because: expect.stringContaining('never 66') });
    expect(paid).toEqual([]);
  });

  it('is agreed to by the one who takes it; the second person is asked about the new arguments [R8-TRIAL-F5]', async () => {
    const { run, item } = await asked('payer', 120);
    expect((await decide(item.id, { verdict: 'approve' }, 'cleo')).status).toBe(200);
    const second = await openOf(run, item.id);
    expect((await decide(second.id, TAKE)).status).toBe(200);
    const third = await openOf(run, second.id); // what cleo agreed to was something else
    expect(third).toMatchObject({ request: { input: { amount: 100 } }, notBy: ['ben'] });
    expect((await decide(third.id, { verdict: 'approve' })).status).toBe(403);
    expect((await decide(third.id, TAKE, 'cleo')).status).toBe(400); // nothing is recommended in place of it
    expect(paid).toEqual([]);
    expect((await decide(third.id, { verdict: 'approve' }, 'cleo')).status).toBe(200);
    expect(await outcomeOf(run)).toMatchObject({ stop: 'done' });
    expect(paid).toEqual([{ amount: 100 }]);
  });

  it.each([
    ['nothing is recommended', 12],
    ['what is recommended does not fit the tool', 140],
  ])('cannot be taken where %s; the request stays open [R8-TRIAL-F5]', async (_why, amount) => {
    const { item } = await asked('refunder', amount);
    expect(item.request).not.toHaveProperty('recommended');
    const { status, body } = await decide(item.id, TAKE);
    expect({ status, detail: body.detail }).toMatchObject({
      status: 400,
      detail: expect.stringContaining('there is no recommendation'),
    });
    expect(await openOf(item.run)).toMatchObject({ id: item.id });
    expect(paid).toEqual([]);
  });

  it('is taken as it was shown: nothing can be sent along [R8-TRIAL-F5]', async () => {
    const { run, item } = await asked('refunder', 120);
    for (const more of [
      { value: { amount: 5_000 } },
      { verdict: 'modify', value: { amount: 5_000 } },
      { verdict: 'reject', reason: 'no' },
      { recommended: { amount: 5_000 } },
      { recommended: 'true' },
      { recommended: false },
      { input: { amount: 5_000 } },
      { reask: true },
    ]) {
      const { status } = await decide(item.id, { ...TAKE, ...more });
      expect({ more, status }).toEqual({ more, status: 400 });
    }
    expect(await openOf(run)).toMatchObject({ id: item.id });
    expect(paid).toEqual([]);
  });
});
