import { join } from 'node:path';
import { budget, createRuntime, done } from 'flyball';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { flyball } from '../cli/in-process.js';
import { gate } from '../runtime/stage.js';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
beforeAll(async () => {
  stage = await serverStage();
  const elsewhere = createRuntime({
    engine: stage.engine,
    agents: {
      nobodys: { agent: async () => done(1), version: '7' },
      desk: { agent: async () => done(1), version: '9' },
    },
    options: { worker: 'elsewhere' },
  });
  for (const tenant of ['harbour', 'other', 'other'])
    await elsewhere.start('nobodys', null, { budget: budget({}), tenant });
  await elsewhere.close();
});
afterAll(() => stage.close());

const workers = async (key: string) => stage.call('GET', '/v1/workers', { key });

it('tells who works on what, and what waits, to those who may read metrics [R10-WORK-VIEW]', async () => {
  const admin = await stage.keyFor('harbour', ['admin']);
  const held = (
    await stage.call('POST', '/v1/runs', { key: admin, body: { agent: 'counter', input: { to: 1, pauseMs: 20_000 } } })
  ).body;
  await expect.poll(async () => (await workers(admin)).body.workers[0]?.held).toMatchObject([{ id: held.id }]);
  const { status, body } = await workers(admin);
  expect(status).toBe(200);
  expect(body.workers).toMatchObject([
    { state: 'working', weight: 1, concurrency: 1000, runs: 1, owner: { pid: process.pid } },
  ]);
  expect(body.workers[0].agents).toMatchObject({ counter: '1', waiter: '1' });
  expect(body.queue).toMatchObject({ runs: 3, unserved: 3 });
  expect(body.queue.lines).toMatchObject([{ agent: 'nobodys', version: '7', runs: 1, served: false }]);
  // of other tenants there are numbers, and names of runs only for whoever reaches them
  const other = await stage.keyFor('other', ['metrics:read']);
  const theirs = (await workers(other)).body;
  expect(theirs.workers).toMatchObject([{ runs: 1, held: [] }]);
  expect(theirs.queue).toMatchObject({ runs: 3, lines: [{ runs: 2 }] });
  expect((await workers(await stage.keyFor('harbour', ['runs:*']))).status).toBe(403);
  expect(JSON.stringify(theirs)).not.toContain(held.id);
  await stage.call('POST', `/v1/runs/${held.id}/cancel`, { key: admin, body: {} });
});

it('tells it on the command line, over all tenants [R10-WORK-VIEW]', async () => {
  const db = ['--db', join(stage.folder, 'runs.db')];
  const told = await flyball(['workers', ...db, '--json']);
  expect(told.code).toBe(0);
  expect(JSON.parse(told.out)).toMatchObject({ kind: 'workers', waiting: 3, workers: [{ state: 'working' }] });
  const { out } = await flyball(['workers', ...db]);
  expect(out).toMatch(new RegExp(`^process ${process.pid} on \\S+ +working, .* of 1000, up `, 'm'));
  expect(out).toMatch(/^ +agents: .*desk 1/m);
  expect(out).toMatch(/^3 runs in line:$/m);
  expect(out).toMatch(/^ +other +nobodys 7 +2 runs, the oldest for .*; no process has this agent$/m);
  const none = await flyball(['workers', '--db', join(stage.folder, 'nowhere.db')]);
  expect(none.code).toBe(2);
});

it('counts the queue and the workers among the metrics [R10-WORK-VIEW]', async () => {
  const key = await stage.keyFor('harbour', ['metrics:read']);
  const { text } = await stage.call('GET', '/metrics', { key });
  expect(text).toMatch(/^flyball_queue_runs 3$/m);
  expect(text).toMatch(/^flyball_queue_unserved_runs 3$/m);
  expect(text).toMatch(/^flyball_queue_oldest_seconds \d/m);
  expect(text).toMatch(/^flyball_workers [1-9]/m);
  expect(text).toMatch(/^flyball_doubts_total 0$/m);
});

it('a worker that drains says so until it has gone [R10-WORK-VIEW]', async () => {
  const [began, held] = [gate(), gate()];
  const body = async (): Promise<number> => {
    began.open();
    await held.opened;
    return 1;
  };
  // what cannot be repeated is waited for
  const effect = { class: 'undoable', compensate: async () => undefined } as const;
  const draining = createRuntime({
    engine: stage.engine,
    agents: { slow: async (run) => done(await run.step('slow', 1, body, effect)) },
  });
  onTestFinished(() => draining.abandon());
  const all = () => stage.engine.workers(Date.now());
  await expect.poll(async () => (await all()).some(({ agents }) => 'slow' in agents)).toBe(true);
  await draining.start('slow', null, { budget: budget({}), tenant: 'harbour', id: 'slow' });
  await began.opened;
  const closed = draining.close({ drainMs: 600_000 });
  const announced = async () => (await all()).some((worker) => worker.draining === true);
  await expect.poll(announced).toBe(true);
  held.open();
  await closed;
  expect(await announced()).toBe(false);
});
