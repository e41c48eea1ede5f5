import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { budget, createRuntime, done } from 'flyball';
import { testHost } from 'flyball/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { nodeHost } from '../../packages/flyball/src/adapters/host-node/node-host.js';
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
  for (const tenant of ['harbor', 'other', 'other'])
    await elsewhere.start('nobodys', null, { budget: budget({}), tenant });
  await elsewhere.close();
});
afterAll(() => stage.close());

const workers = async (key: string) => stage.call('GET', '/v1/workers', { key });

it('tells who works on what, and what waits, to those who may read metrics [R10-WORK-VIEW]', async () => {
  const admin = await stage.keyFor('harbor', ['admin']);
  const held = (
    await stage.call('POST', '/v1/runs', { key: admin, body: { agent: 'counter', input: { to: 1, pauseMs: 20_000 } } })
  ).body;
  await expect.poll(async () => (await workers(admin)).body.workers[0]?.held).toMatchObject([{ id: held.id }]);
  const { status, body } = await workers(admin);
  expect(status).toBe(200);
  expect(body.workers).toMatchObject([
    { state: 'working', weight: 1, concurrency: 1000, runs: 1, owner: { id: expect.stringMatching(/^[0-9a-f]{16}$/) } },
  ]);
  expect(body.workers[0].agents).toMatchObject({ counter: '1', waiter: '1' });
  expect(body.queue).toMatchObject({ runs: 3, unserved: 3 });
  expect(body.queue.lines).toMatchObject([{ agent: 'nobodys', version: '7', runs: 1, served: false }]);
  // of other tenants there are numbers, and names of runs only for whoever reaches them
  const other = await stage.keyFor('other', ['metrics:read']);
  const theirs = (await workers(other)).body;
  expect(theirs.workers).toMatchObject([{ runs: 1, held: [] }]);
  expect(theirs.queue).toMatchObject({ runs: 3, lines: [{ runs: 2 }] });
  expect((await workers(await stage.keyFor('harbor', ['runs:*']))).status).toBe(403);
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
  expect(out).toMatch(/^3 runs in the queue:$/m);
  expect(out).toMatch(/^ +other +nobodys 7 +2 runs, the oldest for .*; no process has this agent$/m);
  const none = await flyball(['workers', '--db', join(stage.folder, 'nowhere.db')]);
  expect(none.code).toBe(2);
});

it('counts the queue and the workers among the metrics [R10-WORK-VIEW]', async () => {
  const key = await stage.keyFor('harbor', ['metrics:read']);
  const { text } = await stage.call('GET', '/metrics', { key });
  expect(text).toMatch(/^flyball_queue_runs 3$/m);
  expect(text).toMatch(/^flyball_queue_unserved_runs 3$/m);
  expect(text).toMatch(/^flyball_queue_oldest_seconds \d/m);
  expect(text).toMatch(/^flyball_workers [1-9]/m);
  expect(text).toMatch(/^flyball_doubts_total 0$/m);
});

it('names the page of the dispatcher, where there is one [R10-RESTATE-UI]', async () => {
  expect((await workers(await stage.keyFor('harbor', ['metrics:read']))).body.dispatcher).toBeUndefined();
  const dispatcher = { dispatch: async () => undefined, page: 'http://restate:9070/ui' };
  const dispatched = await serverStage({ dispatcher });
  onTestFinished(() => dispatched.close());
  const { body } = await dispatched.call('GET', '/v1/workers');
  expect(body.dispatcher).toEqual({ page: 'http://restate:9070/ui' });
});

it('a process that was killed on this machine is gone at once, and its runs wait [R10-WORK-GONE-SEEN]', async () => {
  const killed = await serverStage();
  onTestFinished(() => killed.close());
  const { engine } = killed;
  const { pid } = spawnSync('true');
  const owner = { ...nodeHost().owner(), id: 'killed-one', pid, startTime: '1' };
  const by = { now: Date.now(), forMs: 3_600_000 };
  const agents = { nobodys: '7', 'nobodys:once': '7', 'nobodys:chat': '7' };
  await engine.announce({ id: 'w', owner, agents, concurrency: 4 }, by);
  await engine.announce({ id: 'idle', owner: { ...owner, id: 'killed-two' }, agents }, by);
  const elsewhere = createRuntime({
    engine,
    agents: { nobodys: { agent: async () => done(1), version: '7' } },
    options: { worker: 'elsewhere' },
  });
  for (const id of ['left-1', 'left-2']) {
    await elsewhere.start('nobodys', null, { id, budget: budget({}), tenant: 'harbor' });
    await engine.claim(id, { owner, now: Date.now(), leaseMs: 3_600_000, isGone: () => false });
  }
  await elsewhere.close();
  const key = await killed.keyFor('harbor', ['admin']);
  const { body } = await killed.call('GET', '/v1/workers', { key });
  expect(body.workers.map(({ state, runs }: { state: string; runs: number }) => ({ state, runs }))).toEqual(
    expect.arrayContaining([
      { state: 'working', runs: 0 },
      { state: 'gone', runs: 2 },
    ]),
  );
  expect(body.workers).toHaveLength(2); // the other one left nothing
  expect(body.queue).toMatchObject({ runs: 2, unserved: 2, lines: [{ agent: 'nobodys', runs: 2, served: false }] });
  expect(Date.now() - body.queue.since).toBeLessThan(60_000);
  const { text } = await killed.call('GET', '/metrics', { key });
  expect(text).toMatch(/^flyball_queue_runs 2$/m);
  expect(text).toMatch(/^flyball_queue_unserved_runs 2$/m);
  expect(text).toMatch(/^flyball_workers 1$/m);
  const { out } = await flyball(['workers', '--db', join(killed.folder, 'runs.db')]);
  expect(out).toMatch(new RegExp(`^process ${pid} on \\S+ +gone: its runs are in the queue, 2 runs`, 'm'));
  expect(out).toMatch(/^ +agents: nobodys 7$/m);
  expect(out).toMatch(/^2 runs in the queue:$/m);
  expect(out).not.toMatch(/if it is gone/);
});

it('shows host and pid of a worker to operators only [R10-WORK-HOSTS]', async () => {
  const operator = await stage.keyFor('harbor', ['metrics:read', 'workers:control']);
  expect((await workers(operator)).body.workers).toMatchObject([{ owner: { pid: process.pid, host: hostname() } }]);
  const { text } = await workers(await stage.keyFor('harbor', ['admin', '*']));
  expect(text).not.toContain(hostname());
  expect(text).not.toMatch(/"pid"/);
});

/** A run of an agent of this server that a process on another machine holds, for an hour if nobody says anything. */
async function heldFarAway(id: string): Promise<string> {
  const began = gate();
  const far = createRuntime({
    engine: stage.engine,
    host: testHost(`far-${id}`),
    agents: {
      counter: {
        version: '1',
        agent: () => {
          began.open();
          return new Promise(() => undefined);
        },
      },
    },
    options: { worker: false, leaseMs: 3_600_000 },
  });
  await far.start('counter', { to: 1 }, { budget: budget({}), tenant: 'harbor', id });
  await began.opened;
  far.abandon();
  return (await stage.engine.get(id))?.owner?.id ?? '';
}

it('an operator says over HTTP that a process is gone: its runs continue, and it is noted who said so and why [R10-WORK-GONE]', async () => {
  const owner = await heldFarAway('far-run');
  const operator = await stage.keyFor('harbor', ['workers:control'], { subject: 'olga' });
  const admin = await stage.keyFor('harbor', ['admin']);
  const say = (key: string, id: string, body: unknown = { why: 'node-9 was removed' }) =>
    stage.call('POST', `/v1/workers/${encodeURIComponent(id)}/gone`, { key, body });
  // it reaches runs of all tenants: administrators of one do not have it, and give it to nobody
  for (const scopes of [['admin'], ['*'], ['workers:*'], ['metrics:read']])
    expect((await say(await stage.keyFor('harbor', scopes), owner)).status, scopes.join()).toBe(403);
  for (const scope of ['workers:control', 'workers:*'])
    expect(
      (await stage.call('POST', '/v1/keys', { key: admin, body: { name: 'more', scopes: [scope] } })).status,
      scope,
    ).toBe(403);
  expect(await say(operator, 'nobody')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect((await say(operator, owner, {})).status).toBe(400);
  expect(await stage.engine.goneOwners()).toEqual([]);
  expect(await stage.engine.get('far-run')).toMatchObject({ status: 'running', owner: { id: owner } });
  expect(await say(operator, owner)).toMatchObject({ status: 200, body: { owner, runs: 1, woken: 0, left: 0 } });
  await expect.poll(async () => (await stage.engine.get('far-run'))?.status).toBe('done');
  expect(await stage.engine.operations(owner)).toMatchObject([
    { action: 'owner-gone', by: 'olga', why: 'node-9 was removed' },
  ]);
  expect(await say(operator, owner)).toMatchObject({ status: 200, body: { runs: 0 } });
});

it('the command line says how to declare a silent process gone [R10-WORK-GONE]', async () => {
  const owner = await heldFarAway('silent-run');
  const { out } = await flyball(['workers', '--db', join(stage.folder, 'runs.db')]);
  expect(out).toMatch(new RegExp(`^ +if it is gone: flyball owner gone ${owner} `, 'm'));
  await stage.engine.declareGone({ at: 1, by: 'x', action: 'owner-gone', of: owner });
});

it('tells a process that no longer renews its leases, and since when, from a command that takes no other runs [R19-SILENT-SINCE]', async () => {
  const beside = await serverStage();
  onTestFinished(() => beside.close());
  const { engine } = beside;
  const elsewhere = createRuntime({
    engine,
    agents: { nobodys: { agent: async () => done(1), version: '7' } },
    options: { worker: 'elsewhere' },
  });
  const far = { host: 'far', bootId: 'b', pid: 1, startTime: '1' };
  const now = Date.now();
  for (const [id, leaseMs] of [
    ['lost', 15_000],
    ['command', 3_600_000],
  ] as const) {
    await elsewhere.start('nobodys', null, { id, budget: budget({}), tenant: 'harbor' });
    await engine.claim(id, { owner: { ...far, id: `far:${id}` }, now: now - 60_000, leaseMs, isGone: () => false });
  }
  await elsewhere.close();
  const key = await beside.keyFor('harbor', ['admin', 'workers:control']);
  const { body } = await beside.call('GET', '/v1/workers', { key });
  const stateOf = (id: string) => body.workers.find(({ owner }: { owner: { id: string } }) => owner.id === `far:${id}`);
  expect(stateOf('lost')).toMatchObject({ state: 'silent', silentSince: now - 45_000 });
  expect(stateOf('command')).toMatchObject({ state: 'silent' });
  expect(stateOf('command')).not.toHaveProperty('silentSince');
  const { out } = await flyball(['workers', '--db', join(beside.folder, 'runs.db')]);
  expect(out).toMatch(/ {2}silent: its leases ended 4\d(?:\.\d)? s ago, 1 run$/m);
  expect(out).toMatch(/ {2}runs a command or a program; takes no other runs, 1 run$/m);
});

it('counts the runs that another process takes from this one, and says so in the log [R10-WORK-CHURN]', async () => {
  const key = await stage.keyFor('harbor', ['admin']);
  const lost = async (): Promise<number> => {
    const { text } = await stage.call('GET', '/metrics', { key });
    return Number(/^flyball_leases_lost_total (\d+)$/m.exec(text)?.[1]);
  };
  expect(await lost()).toBe(0);
  const body = { agent: 'counter', input: { to: 2, pauseMs: 200 } };
  const { id } = (await stage.call('POST', '/v1/runs', { key, body })).body;
  await expect.poll(async () => (await stage.engine.get(id))?.status).toBe('running');
  const thief = { id: 'thief', host: 'far', bootId: 'b', pid: 1, startTime: '1' };
  await stage.engine.claim(id, { owner: thief, now: Date.now(), leaseMs: 60_000, isGone: () => true });
  await expect.poll(lost).toBe(1);
  await expect
    .poll(() => stage.logged.filter(({ what }) => what === 'lease lost'))
    .toMatchObject([{ level: 'warn', fields: { run: id, agent: 'counter', tenant: 'harbor' } }]);
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
  await draining.start('slow', null, { budget: budget({}), tenant: 'harbor', id: 'slow' });
  await began.opened;
  const closed = draining.close({ drainMs: 600_000 });
  const announced = async () => (await all()).some((worker) => worker.draining === true);
  await expect.poll(announced).toBe(true);
  held.open();
  await closed;
  expect(await announced()).toBe(false);
});
