import { openServer, webhookTrigger } from '@flyball/server';
import { done, FlyballError, memoryEngine, memoryStore } from 'flyball';
import { virtualClock } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { jsonSchemaCheck } from '../../packages/flyball/src/adapters/schema-json/json-schema-check.js';
import { newRun } from '../../packages/flyball/src/testing/contracts/engine-fixture.js';
import { rateLimiter } from '../../packages/server/src/access/rate-limiter.js';
import { problemFrom } from '../../packages/server/src/problem.js';
import { openSchedule } from '../../packages/server/src/triggers/schedule.js';
import { cronTrigger } from '../../packages/server/src/triggers/trigger.js';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
beforeAll(async () => {
  stage = await serverStage();
});
afterAll(() => stage.close());

it.each(['/v1/runs', '/v1/conversations', '/v1/approvals'])(
  'a cursor that is none is refused: %s [F-O8]',
  async (path) => {
    for (const cursor of ['nonsense', '%00', '-5'])
      expect(await stage.call('GET', `${path}?cursor=${cursor}`), cursor).toMatchObject({ status: 400 });
  },
);

it('an idempotency key where none is taken is refused, so that nobody counts on it [F-W9]', async () => {
  const headers = { 'idempotency-key': 'once' };
  const body = { name: 'dashboard', scopes: ['runs:read'] };
  const refused = await stage.call('POST', '/v1/keys', { body, headers });
  expect(refused).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } });
  expect(refused.body.detail).toBe('This route does not support Idempotency-Key.');
  expect((await stage.call('GET', '/v1/keys')).body.keys).toEqual([]);
});

it('a body that does not fit is not quoted: neither values nor names that no field has [F-W9]', async () => {
  const secret = 'sk-live-4711';
  const bodies = [
    { agent: 'waiter', input: null, [secret]: 1 },
    { agent: 'waiter', input: null, budget: { [secret]: 1 } },
    { agent: 'waiter', input: null, budget: { modelCalls: secret } },
  ];
  for (const body of bodies) {
    const refused = await stage.call('POST', '/v1/runs', { body });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).not.toContain(secret);
  }
  const { detail } = (await stage.call('POST', '/v1/runs', { body: { agent: 'waiter', inptu: 1 } })).body;
  expect(detail).toMatch(/has a field that does not exist: the fields are agent, input, /);
});

it('openServer reads no environment: it gets one [F-W9]', async () => {
  vi.stubEnv('FLYBALL_TEST_HOOK', 's'.repeat(32));
  onTestFinished(() => void vi.unstubAllEnvs());
  const hook = webhookTrigger({ name: 'letters', agent: 'a', secret: ['FLYBALL_TEST_HOOK'] });
  const parts = {
    engine: memoryEngine(),
    store: memoryStore(),
    groups: [{ agents: { a: async () => done(null) } }],
    triggers: [hook],
  };
  await expect(openServer({ ...parts, settings: { port: 0 } })).rejects.toThrow('FLYBALL_TEST_HOOK');
  const server = await openServer({ ...parts, env: process.env, settings: { port: 0 } });
  await server.close();
});

it('a storage that takes no writes is told as that, to be tried again [R18-READ-ONLY]', () => {
  const problem = problemFrom(
    new FlyballError('STORAGE_READ_ONLY', 'db.example:5432 is a replica', { retryable: true }),
  );
  expect(problem).toMatchObject({ status: 503, code: 'STORAGE_READ_ONLY', retryable: true });
});

it('a refusal over storage does not tell where it is [F-O9]', () => {
  for (const code of ['STORAGE_FULL', 'STORAGE_BUSY', 'STORAGE_READ_ONLY'] as const)
    expect(problemFrom(new FlyballError(code, '/var/lib/secret/place.db is full')).message).not.toContain('/var');
});

it('a refusal over storage says that a run is stored, where one is [R7-TRIAL-B4]', () => {
  const about = (detail: Record<string, unknown>): string =>
    problemFrom(new FlyballError('STORAGE_FULL', '/var/lib/place.db is full', { detail })).message;
  expect(about({})).toBe('The disk of this server is full. Nothing was done.');
  expect(about({ runId: 'r1' })).toContain(
    'Run r1 is stored and continues when this is resolved. Do not start it again.',
  );
});

it('a limit of no requests says so, and nothing about an infinity of seconds [F-O9]', () => {
  const rates = rateLimiter({ tenantLimits: { requestsPerMinute: 0 }, tenants: {} }, virtualClock());
  expect(() => rates.take({ id: 'a', tenant: 't', limits: {} })).toThrow('is not allowed to send requests');
});

describe('a schedule on the day on which clocks go back', () => {
  const timesOn = async (schedule: string, timezone: string, from: string, until: string) => {
    const { next } = await openSchedule(cronTrigger({ name: 't', agent: 'a', schedule, timezone }));
    const found: string[] = [];
    for (let time = next(Date.parse(from)); time !== undefined && time < Date.parse(until); time = next(time))
      found.push(new Date(time).toISOString().slice(11, 16));
    return found;
  };
  const day = ['2026-10-24T22:00:00Z', '2026-10-25T06:00:00Z'] as const;

  it('comes once for a time that exists twice, also with steps of hours [F-O9]', async () => {
    expect(await timesOn('0 */2 * * *', 'Europe/Berlin', ...day)).toEqual(['00:00', '03:00', '05:00']);
    expect(await timesOn('0 2,4 * * *', 'Europe/Berlin', ...day)).toEqual(['00:00', '03:00']);
  });

  it('goes on through both hours where it is one of every hour or more often', async () => {
    expect(await timesOn('0 * * * *', 'Europe/Berlin', day[0], '2026-10-25T03:00:00Z')).toHaveLength(4);
    expect(await timesOn('*/30 * * * *', 'Europe/Berlin', day[0], '2026-10-25T02:00:00Z')).toHaveLength(7);
  });
});

it('every example of the document fits the schema beside it [F-O9]', async () => {
  const { body: document } = await stage.call('GET', '/openapi.json');
  const check = jsonSchemaCheck();
  const problems: string[] = [];
  const fits = async (schema: object, value: unknown, where: string): Promise<void> => {
    const wrong = await check({ ...schema, components: document.components } as never, value);
    if (wrong !== undefined) problems.push(`${where}: ${wrong}`);
  };
  let seen = 0;
  for (const [path, operations] of Object.entries(document.paths as Record<string, Record<string, Operation>>))
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      for (const { name, schema, example } of parameters) {
        if (example !== undefined) await fits(schema, example, `${method} ${path}, ${name}`);
        seen += example === undefined ? 0 : 1;
      }
      const content = requestBody?.content['application/json'];
      for (const { value } of Object.values(content?.examples ?? {})) {
        seen++;
        await fits(content?.schema ?? {}, value, `${method} ${path}`);
      }
    }
  expect(seen).toBeGreaterThan(20);
  expect(problems).toEqual([]);
});

interface Operation {
  readonly parameters?: readonly { name: string; schema: object; example?: unknown }[];
  readonly requestBody?: {
    readonly content: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
  };
}

it('the first look at very many open runs writes in few commits [F-O9]', async () => {
  const { engine } = stage;
  await Promise.all(Array.from({ length: 400 }, (_, n) => engine.create(newRun(`bound-${n}`, { tenant: 'default' }))));
  for (let n = 0; n < 400; n++) {
    const claim = await engine.claim(`bound-${n}`, {
      owner: { id: 'x', host: 'h', bootId: 'b', pid: 1, startTime: '1' },
      now: Date.now(),
      leaseMs: 60_000,
      isGone: () => false,
    });
    await engine.release(claim, { status: 'bounded', now: Date.now() });
  }
  let most = 0;
  let under = 0;
  const { entries } = stage.server.parts.fleet;
  Object.assign(stage.server.parts.fleet, {
    entries: async (...given: Parameters<typeof entries>) => {
      most = Math.max(most, ++under);
      try {
        return await entries(...given);
      } finally {
        under--;
      }
    },
  });
  // read and written together, not one after the other; the last look may have been a moment ago
  await expect.poll(async () => [(await stage.call('GET', '/v1/approvals')).status, most > 50]).toEqual([200, true]);
  Object.assign(stage.server.parts.fleet, { entries });
});
