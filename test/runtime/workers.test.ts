import { budget, type Clock, done, memoryEngine, type Run, type RuntimeOptions } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { biteOf } from '../../packages/flyball/src/runtime/worker-options.js';
import { gate, type Stage, still } from './stage.js';

const options = { worker: true, pollMs: 100, leaseMs: 3000, suspendAfterMs: 10 };
type Still = Stage<Clock & { advance(ms: number): Promise<void> }>;

async function pass(stage: Still, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await stage.clock.advance(50);
    await turns(10);
  }
}

const statuses = async (stage: Still) =>
  Object.fromEntries((await stage.engine.list({})).runs.map(({ id, status }) => [id, status]));
const start = { budget: budget({}) };
const quick = async () => done('quick');

describe('a worker', () => {
  it('works on as many runs at one time as it may, and the others wait in line [R10-WORK-ROLES]', async () => {
    const stage = still(memoryEngine());
    const hold = gate();
    let most = 0;
    let now = 0;
    const agent = async (run: Run) => {
      most = Math.max(most, ++now);
      await run.step('work', 1, () => hold.opened, 'idempotent');
      now -= 1;
      return done('worked');
    };
    const life = stage.open(agent, { options: { ...options, worker: { concurrency: 2 } } });
    const handles = [];
    for (let n = 0; n < 7; n++) handles.push(await life.runtime.start('agent', null, { ...start, id: `r${n}` }));
    await pass(stage, 500);
    expect(Object.values(await statuses(stage)).filter((status) => status === 'running')).toHaveLength(2);
    const outcomes = Promise.all(handles.map((handle) => handle.outcome()));
    hold.open();
    await pass(stage, 1000);
    expect(await outcomes).toEqual(Array.from({ length: 7 }, () => expect.objectContaining({ value: 'worked' })));
    expect(most).toBe(2);
  });

  it('makes room for what is due by unloading what only waits [R10-WORK-ROLES]', async () => {
    const stage = still(memoryEngine());
    const agent = async (run: Run) => done(await run.wait({ name: 'go' }));
    const own = { ...options, suspendAfterMs: 1e6, worker: { concurrency: 1 } };
    const life = stage.open(agent, { options: own });
    for (const id of ['a', 'b', 'c']) await life.runtime.start('agent', null, { ...start, id });
    await pass(stage, 1000);
    expect(await statuses(stage)).toMatchObject({ a: 'suspended', b: 'suspended' });
    for (const id of ['a', 'b', 'c']) await life.runtime.signal(id, 'go', id);
    await pass(stage, 1000);
    expect(await statuses(stage)).toEqual({ a: 'done', b: 'done', c: 'done' });
  });

  it('elsewhere works on what is started, resumed and signalled here [R10-WORK-ROLES]', async () => {
    const stage = still(memoryEngine());
    const agent = async (run: Run) => done(await run.wait({ name: 'go' }));
    const desk = stage.open(agent, { options: { ...options, worker: 'elsewhere' } });
    const handle = await desk.runtime.start('agent', null, { ...start, id: 'one' });
    await pass(stage, 300);
    expect(await statuses(stage)).toEqual({ one: 'pending' });
    expect(desk.runtime.loaded()).toBe(0);
    const worker = stage.open(agent, { options });
    await pass(stage, 300);
    expect(await statuses(stage)).toEqual({ one: 'suspended' });
    await desk.runtime.pause('one');
    await pass(stage, 300);
    expect(await statuses(stage)).toEqual({ one: 'paused' });
    await desk.runtime.resume('one', { by: 'ada' });
    await pass(stage, 300);
    expect(await statuses(stage)).toEqual({ one: 'suspended' });
    const end = handle.finished();
    await desk.runtime.signal('one', 'go', 'yes');
    await pass(stage, 300);
    expect(await end).toMatchObject({ stop: 'done', value: 'yes' });
    expect((await worker.runtime.entries('one')).map(({ event }) => event.type)).toContain('run-resume');
    expect(desk.runtime.loaded()).toBe(0);
  });

  it('hears of what is put in line at once, and does not wait until it looks [R10-WORK-ROLES]', async () => {
    const stage = still(memoryEngine());
    const slow = { ...options, pollMs: 1e9, leaseMs: 1e9 };
    stage.open(quick, { options: slow });
    await turns(20);
    const desk = stage.open(quick, { options: { ...slow, worker: 'elsewhere' } });
    await desk.runtime.start('agent', null, { ...start, id: 'one' });
    await turns(50);
    expect(await statuses(stage)).toEqual({ one: 'done' });
  });

  it('leaves the runs of agents that it does not work on to others, also those it starts [R10-WORK-ROLES]', async () => {
    const stage = still(memoryEngine());
    const agents = { left: quick, right: quick };
    const own = (name: string): Partial<RuntimeOptions> => ({ ...options, worker: { agents: [name] } });
    const left = stage.open(quick, { agents, options: own('left') });
    await left.runtime.start('left', null, { ...start, id: 'l' });
    await left.runtime.start('right', null, { ...start, id: 'r' });
    await pass(stage, 300);
    expect(await statuses(stage)).toEqual({ l: 'done', r: 'pending' });
    expect(await stage.engine.workers(stage.clock.now())).toMatchObject([{ agents: { left: '1' } }]);
    stage.open(quick, { agents, options: own('right') });
    await pass(stage, 300);
    expect(await statuses(stage)).toEqual({ l: 'done', r: 'done' });
  });

  it('says what it takes on, and while it drains that it takes nothing more [R10-WORK-ROLES]', async () => {
    const stage = still(memoryEngine());
    const hold = gate();
    const agent = async (run: Run) => done(await run.step('work', 1, () => hold.opened, 'idempotent'));
    const worker = { concurrency: 5, weight: 2 };
    const life = stage.open({ agent, version: '7' }, { options: { ...options, worker } });
    await life.runtime.start('agent', null, { ...start, id: 'one' });
    await pass(stage, 1500);
    const [announced] = await stage.engine.workers(stage.clock.now());
    expect(announced).toMatchObject({ agents: { agent: '7' }, concurrency: 5, weight: 2, runs: 1 });
    const closed = life.runtime.close({ drainMs: 60_000 });
    await pass(stage, 200);
    expect(await stage.engine.workers(stage.clock.now())).toMatchObject([{ agents: {}, draining: true }]);
    hold.open();
    await pass(stage, 200);
    await closed;
    expect(await stage.engine.workers(stage.clock.now())).toEqual([]);
  });

  it('with a weight takes its part of what the heaviest takes [R10-WORK-ROLES]', () => {
    expect([biteOf(1, 0), biteOf(1, 1), biteOf(1, 4), biteOf(4, 1), biteOf(1, 1000)]).toEqual([25, 25, 6, 25, 1]);
  });

  it('is refused choices that make no sense [R10-WORK-ROLES]', () => {
    const stage = still(memoryEngine());
    const open = (worker: NonNullable<RuntimeOptions['worker']>) => () => stage.open(quick, { options: { worker } });
    expect(open({ concurrency: 0 })).toThrow('concurrency of a worker must be 1 or more');
    expect(open({ weight: Number.NaN })).toThrow('weight of a worker must be a number above 0');
    expect(open({ agents: ['nobody'] })).toThrow('which this runtime does not have');
  });
});

it('a tenant with one run does not wait behind one with many [R10-WORK-FAIR]', async () => {
  const stage = still(memoryEngine());
  const order: string[] = [];
  const agent = async (run: Run) => {
    order.push(run.tenant);
    return done('fine');
  };
  const desk = stage.open(agent, { options: { ...options, worker: 'elsewhere' } });
  for (let n = 0; n < 100; n++) await desk.runtime.start('agent', null, { ...start, id: `l${n}`, tenant: 'large' });
  for (let n = 0; n < 5; n++) await desk.runtime.start('agent', null, { ...start, id: `s${n}`, tenant: 'small' });
  stage.open(agent, { options: { ...options, worker: { concurrency: 1 } } });
  for (let looks = 0; looks < 200 && order.length < 105; looks++) await pass(stage, 100);
  expect(order).toHaveLength(105);
  expect(order.lastIndexOf('small')).toBeLessThan(12);
});

it('deployments roll: every run goes on, on its own version while there is a worker with it [R10-WORK-ROLLING]', async () => {
  const stage = still(memoryEngine());
  const made: { readonly run: string; readonly version: string }[] = [];
  const versioned = (version: string) => ({
    version,
    agent: async (run: Run) => {
      for (let n = 0; n < 3; n++) {
        await run.step(`step ${n}`, n, () => void made.push({ run: run.id, version }), 'idempotent');
        await run.sleep(300);
      }
      return done(version);
    },
  });
  const open = (version: string) => stage.open(versioned(version), { options: { ...options, drainMs: 50 } });
  const old = [open('1'), open('1'), open('1')];
  for (let n = 0; n < 12; n++) await old[n % 3]?.runtime.start('agent', null, { ...start, id: `r${n}` });
  for (const each of old) {
    open('2');
    await pass(stage, 100);
    const closed = each.runtime.close();
    await pass(stage, 100);
    await closed;
    if (each !== old[2]) {
      expect([...new Set(made.map(({ version }) => version))]).toEqual(['1']);
    }
  }
  await pass(stage, 3000);
  expect(new Set(Object.values(await statuses(stage)))).toEqual(new Set(['done']));
  expect(made).toHaveLength(36);
  expect(new Set(made.map(({ version }) => version))).toContain('2');
});
