import { defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage } from './stage-server.js';

const LIMIT = 0.35;
let calls = 0;
let stage: ServerStage;
let subjects = 0;

/** Each reply costs 0.1 USD. */
const talker = defineAgent({
  name: 'talker',
  description: 'Answers at a price.',
  model: scriptedModel(
    {
      talker: () => {
        calls++;
        return { text: 'ok', usage: { input: 1, output: 100 } };
      },
    },
    { price: { input: 0, output: 1000 }, capabilities: { maxOutputTokens: 100 } },
  ),
  tools: [],
  inputs: {},
  loop: { doubleConfirmation: false },
  budget: { modelCalls: 1000, toolCalls: 10, costUsd: 5, tokensOut: 1_000_000 },
});

beforeAll(async () => {
  stage = await serverStage({
    groups: [{ agents: { talker } }],
    settings: { tenants: { small: { costUsdPerDay: LIMIT } } },
  });
});
afterAll(() => stage.close());
beforeEach(() => {
  calls = 0;
});

const spent = () => Math.round(calls) / 10;
const post = (key: string, path: string, body: unknown = {}) => stage.call('POST', path, { key, body });
const keyWith = (costUsdPerDay: number | undefined, subject: string, tenant = 'acme') =>
  stage.keyFor(tenant, ['agents:invoke', 'runs:read', 'runs:control'], {
    subject,
    limits: costUsdPerDay === undefined ? {} : { costUsdPerDay },
  });
const conversation = async (key: string): Promise<string | undefined> =>
  (await post(key, '/v1/conversations', { agent: 'talker' })).body.id;
const speak = async (key: string, id: string, times = 3) => {
  for (let n = 0; n < times; n++) await post(key, `/v1/conversations/${id}/messages`, { text: 'more' });
};
const today = (key: string) =>
  stage.server.parts.spending.today({ tenant: 'acme', principal: `key:${key.slice(3, 11)}` });
const larger = (key: string, id: string) => post(key, `/v1/runs/${id}/resume`, { budget: { costUsd: 5 } });

describe('a limit on cost holds for a run that is resumed [R8-TRIAL3-A3]', () => {
  it.each([
    ['a key', 'acme', LIMIT],
    ['a tenant', 'small', undefined],
  ])('of %s, where a key with nothing left asks for more', async (_, tenant, limit) => {
    const subject = `s${subjects++}`;
    const rich = await keyWith(limit, subject, tenant);
    const poor = await keyWith(0, subject, tenant);
    for (let round = 0; round < 3; round++) {
      const id = await conversation(rich);
      if (id === undefined) break;
      expect((await larger(poor, id)).body).toMatchObject({ code: 'COST_LIMITED' });
      await speak(rich, id);
    }
    expect(spent()).toBeGreaterThan(0);
    expect(spent()).toBeLessThanOrEqual(LIMIT);
  });

  it('where others are started at the same moment', async () => {
    const key = await keyWith(LIMIT, `s${subjects++}`);
    for (let round = 0; round < 4; round++) {
      const first = await conversation(key);
      if (first === undefined) break;
      const [, ...others] = await Promise.all([larger(key, first), conversation(key), conversation(key)]);
      for (const id of [first, ...others]) if (id !== undefined) await speak(key, id);
      for (const id of [first, ...others]) if (id !== undefined) await post(key, `/v1/conversations/${id}/end`);
    }
    expect(spent()).toBeLessThanOrEqual(LIMIT);
  });

  it('and more is granted where there is more, without freeing what the run has', async () => {
    const key = await keyWith(LIMIT, `s${subjects++}`);
    const { body } = await post(key, '/v1/conversations', { agent: 'talker', budget: { costUsd: 0.15 } });
    const more = await larger(key, body.id);
    expect(more.body.usage.costUsd.limit).toBeCloseTo(LIMIT);
    expect(await conversation(key)).toBeUndefined();
    await speak(key, body.id, 4);
    expect(spent()).toBeCloseTo(0.3);
  });
});

describe('nothing stays reserved [R8-TRIAL3-A9]', () => {
  it('for a run that has ended and is resumed in vain', async () => {
    const key = await keyWith(LIMIT, `s${subjects++}`);
    const { body } = await post(key, '/v1/agents/talker/invoke-iterative', { inputs: {} });
    const start = () => post(key, '/v1/runs', { agent: 'talker', input: {}, budget: { costUsd: 0.1 } });
    await expect.poll(async () => (await today(key)).reservedUsd).toBe(0);
    expect((await post(key, `/v1/runs/${body.run_id}/resume`)).body).toMatchObject({ code: 'ALREADY_TERMINAL' });
    expect((await larger(key, body.run_id)).body).toMatchObject({ code: 'ALREADY_TERMINAL' });
    expect(await today(key)).toMatchObject({ spentUsd: 0.1, reservedUsd: 0 });
    expect((await start()).status).toBe(202);
  });

  it('for a run at a bound whose budget is raised in vain', async () => {
    const key = await keyWith(LIMIT, `s${subjects++}`);
    const budget = { modelCalls: 1, costUsd: 0.1 };
    const { body } = await post(key, '/v1/conversations', { agent: 'talker', message: 'a', budget });
    await speak(key, body.id, 1);
    expect((await stage.call('GET', `/v1/runs/${body.id}`, { key })).body.status).toBe('bounded');
    expect((await larger(key, body.id)).status).toBe(400); // more of what it did not stop at
    expect((await post(key, '/v1/runs', { agent: 'talker', input: {}, budget: { costUsd: 0.25 } })).body).toMatchObject(
      {
        usage: { costUsd: { limit: 0.25 } },
      },
    );
  });
});
