import { afterEach, describe, expect, it } from 'vitest';
import { pagesOf } from '../../packages/server/src/cli/serve/run-server.js';
import { patient } from '../patience.js';
import { readEvents, type SeenEvent } from './sse-reader.js';
import { type ServerStage, serverStage, standardGroup } from './stage-server.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function staged(...options: Parameters<typeof serverStage>): Promise<ServerStage> {
  const stage = await serverStage(...options);
  open.push(stage);
  return stage;
}

/** Another server over the same database. */
async function beside(stage: ServerStage, settings: Record<string, unknown>) {
  const { openServer } = await import('@flyball/server');
  const server = await openServer({
    engine: stage.engine,
    groups: [standardGroup()],
    settings: { port: 0, ...settings },
  });
  open.push(server);
  return server;
}

describe('servers with roles', () => {
  it('one answers and another works, and what is started on the first is followed there [R10-WORK-ROLES]', async () => {
    const stage = await staged({ settings: { role: 'api' } });
    const { id, status } = (await stage.call('POST', '/v1/runs', { body: { agent: 'counter', input: { to: 2 } } }))
      .body;
    expect(status).toBe('pending');
    expect(stage.server.parts.fleet.loaded()).toBe(0);
    const worker = await beside(stage, { role: 'worker' });
    await expect.poll(async () => (await stage.call('GET', `/v1/runs/${id}`)).body.status).toBe('done');
    for (const path of ['/health', '/ready', '/metrics']) expect((await fetch(worker.url + path)).status).toBe(200);
    for (const path of ['/v1/runs', '/v1/agents', '/studio', '/mcp', '/openapi.json'])
      expect((await fetch(worker.url + path)).status).toBe(404);
    const waited = await stage.call('POST', '/v1/runs', { body: { agent: 'waiter' } });
    await expect
      .poll(async () => (await stage.call('GET', `/v1/runs/${waited.body.id}`)).body.status)
      .toBe('suspended');
  });

  it('a worker says which servers have the routes that it does not have [R19-WORKER-ROUTES]', async () => {
    const stage = await staged({ settings: { role: 'api' } });
    const worker = await beside(stage, { role: 'worker' });
    for (const path of ['/v1/runs', '/docs'])
      expect(await (await fetch(worker.url + path)).json()).toMatchObject({
        code: 'NOT_FOUND',
        next: 'This server is a worker: ask a server with the role api or all.',
      });
    expect((await stage.call('GET', '/v1/nothing')).body.next).toBe('See /docs for all routes.');
  });

  it('work on the agents they are told to, and refuse names they do not have [R10-WORK-ROLES]', async () => {
    const stage = await staged({ settings: { worksOn: ['waiter'] } });
    const { id } = (await stage.call('POST', '/v1/runs', { body: { agent: 'counter', input: { to: 1 } } })).body;
    const other = (await stage.call('POST', '/v1/runs', { body: { agent: 'waiter' } })).body;
    await expect.poll(async () => (await stage.call('GET', `/v1/runs/${other.id}`)).body.status).toBe('suspended');
    expect((await stage.call('GET', `/v1/runs/${id}`)).body.status).toBe('pending');
    await beside(stage, { worksOn: ['counter'] });
    await expect.poll(async () => (await stage.call('GET', `/v1/runs/${id}`)).body.status).toBe('done');
    await expect(beside(stage, { worksOn: ['nobody'] })).rejects.toThrow('does not have the agent "nobody"');
  });

  it('refuse new runs of a tenant while too many of its runs wait for a worker, and of no other [R10-WORK-PRESSURE]', async () => {
    const stage = await staged({ settings: { role: 'api', maxQueue: 3 } });
    const start = (headers: Record<string, string> = {}) =>
      stage.call('POST', '/v1/runs', { body: { agent: 'counter', input: { to: 1 } }, headers });
    const keyed = await start({ 'idempotency-key': 'one' });
    expect([keyed.status, (await start()).status, (await start()).status]).toEqual([202, 202, 202]);
    const refused = await start();
    expect(refused).toMatchObject({ status: 429, body: { code: 'QUEUE_FULL', retryable: true } });
    expect(refused.headers.get('retry-after')).toBe('5');
    // what was accepted before is answered again, and another tenant is not held up
    expect((await start({ 'idempotency-key': 'one' })).body.id).toBe(keyed.body.id);
    await expect(stage.server.parts.backlog.admit('another')).resolves.toBeUndefined();
    // nor at a server that has started none of them, and finds all of them in storage
    const { backlog } = (await beside(stage, { role: 'api', maxQueue: 3 })).parts;
    await expect(backlog.admit('another')).resolves.toBeUndefined();
    await expect(backlog.admit('default')).rejects.toMatchObject({ code: 'QUEUE_FULL' });
    await beside(stage, { role: 'worker' });
    await expect.poll(async () => (await start()).status, { interval: 200, timeout: patient(20_000) }).toBe(202);
  });

  it('a stream goes on at another server from the last event that came [R10-WORK-STREAMS]', async () => {
    const stage = await staged();
    const other = await beside(stage, { role: 'api' });
    const { id } = (await stage.call('POST', '/v1/runs', { body: { agent: 'waiter' } })).body;
    const first = await readEvents(`${stage.url}/v1/runs/${id}/events`);
    const before = await first.until(({ id: place }) => place !== undefined);
    first.close();
    const lastEventId = before.at(-1)?.id ?? '';
    const second = await readEvents(`${other.url}/v1/runs/${id}/events`, { lastEventId });
    await stage.call('POST', `/v1/runs/${id}/cancel`, { body: { why: 'enough' } });
    const seen = [...before, ...(await second.rest())];
    const all = await (await readEvents(`${stage.url}/v1/runs/${id}/events`)).rest();
    const ids = (events: readonly SeenEvent[]) => events.flatMap((event) => event.id ?? []);
    expect(lastEventId).not.toBe('');
    expect(ids(seen)).toEqual(ids(all));
    expect(ids(seen).length).toBeGreaterThan(3);
  });
});

it('the log of a worker names no pages that it does not have [R10-WORK-HOSTS]', () => {
  const pages = { studio: 'http://h/studio', docs: 'http://h/docs' };
  expect(pagesOf({ role: 'worker', studio: true }, 'http://h')).toEqual({});
  expect(pagesOf({ role: 'all', studio: true }, 'http://h')).toEqual(pages);
  expect(pagesOf({ role: 'api', studio: false }, 'http://h')).toEqual({ docs: pages.docs });
});
