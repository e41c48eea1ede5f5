import { type Agents, budget, done, type Run, type Runtime } from 'flyball';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { whyNoServer } from '../postgres/server.js';
import { whyNoRestate } from './server.js';
import { Stage } from './stage.js';

const why = whyNoServer() ?? whyNoRestate();
if (why !== undefined) process.stdout.write(`Skipped Restate as dispatcher: ${why}.\n`);

const start = (runtime: Runtime, agent: string, id: string, tenant = 'default') =>
  runtime.start(agent, null, { id, tenant, budget: budget({}) });
const numbered = (count: number, name = 'run') => Array.from({ length: count }, (_, n) => `${name}-${n}`);

describe.skipIf(why !== undefined)('runs that Restate dispatches', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.remove());
  beforeEach(() => stage.fresh());
  afterEach(() => stage.clear());

  const made: string[] = [];
  beforeEach(() => {
    made.length = 0;
  });
  const agents = {
    asks: async (run: Run) => {
      await run.step('before', null, () => made.push(`${run.id} before`), 'idempotent');
      const answer = await run.wait({ name: 'go' });
      await run.step('after', null, () => made.push(`${run.id} after`), 'idempotent');
      return done(answer);
    },
    naps: async (run: Run) => {
      await run.sleep(1_500);
      return done(null);
    },
    stays: async (run: Run) => done(await run.step('work', null, () => new Promise(() => undefined), 'idempotent')),
    quick: async (run: Run) => done(await run.step('work', null, () => 'worked', 'idempotent')),
  } satisfies Agents;

  it.each([
    ['null', 'null'],
    ['a text', '"now"'],
    ['a list', '[1]'],
    ['a timer that is none', '{"timer":"soon"}'],
  ])('are driven by a call with %s in it, too, and go on afterwards [R10-RESTATE-HOSTILE]', async (_, body) => {
    const { runtime } = await stage.worker(agents);
    await start(runtime, 'asks', 'run');
    expect(await runtime.handle('run').outcome()).toMatchObject({ stop: 'suspended' });
    const url = `${stage.restate.urls[0]}/${stage.name}-runs/run/drive/send`;
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body })).ok).toBe(true);
    await runtime.signal('run', 'go', 'went');
    expect(await runtime.handle('run').finished()).toMatchObject({ stop: 'done', value: 'went' });
  });

  it('are driven, each step once, on whichever worker, and hear what anybody tells them [R10-RESTATE-DRIVEN]', async () => {
    const [one, two] = [await stage.worker(agents), await stage.worker(agents)];
    const desk = await stage.worker(agents, { options: { worker: 'elsewhere' } });
    const ids = numbered(40);
    await Promise.all(ids.map((id) => start(desk.runtime, 'asks', id)));
    for (const id of ids) expect(await desk.runtime.handle(id).outcome()).toMatchObject({ stop: 'suspended' });
    expect(desk.runtime.loaded()).toBe(0);
    await Promise.all(ids.map((id) => two.runtime.signal(id, 'go', id)));
    const ended = await Promise.all(ids.map((id) => desk.runtime.handle(id).finished()));
    expect(ended).toMatchObject(ids.map((id) => ({ stop: 'done', value: id })));
    expect([...made].sort()).toEqual(ids.flatMap((id) => [`${id} after`, `${id} before`]).sort());
    const owners = await Promise.all(
      ids.map(async (id) =>
        (await desk.runtime.entries(id)).flatMap(({ event }) =>
          event.type === 'attempt-start' ? [event.owner.id] : [],
        ),
      ),
    );
    expect(new Set(owners.flat()).size).toBe(2); // the balancer has given both some
    expect([...one.problems, ...two.problems, ...desk.problems]).toEqual([]);
  });

  it('wake up by the timers of Restate, also where nobody was there in the meantime [R10-RESTATE-TIMERS]', async () => {
    const first = await stage.worker(agents);
    const handle = await start(first.runtime, 'naps', 'sleeper');
    expect(await handle.outcome()).toMatchObject({ stop: 'suspended' });
    const timers = () =>
      stage.restate.rows(
        `SELECT target_service_name FROM sys_invocation WHERE target_service_name = '${stage.name}-runs' AND status = 'scheduled'`,
      );
    await expect.poll(timers).toHaveLength(1);
    await first.close();
    await stage.restate.kill();
    await stage.restate.revive();
    const second = await stage.worker(agents, { restate: { sweepMs: 600_000 } });
    expect(await second.runtime.handle('sleeper').finished()).toMatchObject({ stop: 'done' });
    await expect.poll(timers).toHaveLength(0);
  });

  it('leave no timer behind for each message while they sleep [R10-RESTATE-TIMERS]', async () => {
    const worker = await stage.worker({
      sleeps: async (run: Run) => {
        await run.sleep(3_600_000);
        return done(null);
      },
    });
    const handle = await start(worker.runtime, 'sleeps', 'sleeper');
    expect(await handle.outcome()).toMatchObject({ stop: 'suspended' });
    for (let n = 0; n < 5; n++) await worker.runtime.signal('sleeper', 'other', n);
    const rows = (status: string) =>
      stage.restate.rows(
        `SELECT status FROM sys_invocation WHERE target_service_name = '${stage.name}-runs' AND status ${status}`,
      );
    await expect.poll(() => rows("NOT IN ('scheduled', 'completed')")).toHaveLength(0);
    // one, and one more where a later turn asked to be woken earlier than the first; never one for each of the five
    const scheduled = await rows("= 'scheduled'");
    expect([1, 2]).toContain(scheduled.length);
    await worker.runtime.cancel('sleeper');
    expect(await handle.finished()).toMatchObject({ stop: 'cancelled' });
  });

  it('are at work no more than the limits of their tenant and agent allow, and all get their turn [R10-RESTATE-LIMITS]', async () => {
    const atWork = new Map<string, number>();
    const most = new Map<string, number>();
    const busy = (name: string) => async (run: Run) => {
      const [tenant = ''] = run.id.split('-');
      const counted = async () => {
        for (const key of [tenant, name]) {
          atWork.set(key, (atWork.get(key) ?? 0) + 1);
          most.set(key, Math.max(most.get(key) ?? 0, atWork.get(key) ?? 0));
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
        for (const key of [tenant, name]) atWork.set(key, (atWork.get(key) ?? 0) - 1);
      };
      await run.step('work', null, counted, 'idempotent');
      return done(null);
    };
    const own = { writer: busy('writer'), reader: busy('reader') };
    const restate = { tenants: { '*': 4, acme: 2 }, agents: { writer: 3 } };
    const [one] = [await stage.worker(own, { restate }), await stage.worker(own, { restate })];
    const ids = ['acme', 'bolt', 'core'].flatMap((tenant) => numbered(8, tenant));
    await Promise.all(
      ids.map((id, n) => start(one.runtime, n % 2 === 0 ? 'writer' : 'reader', id, id.split('-')[0] ?? '')),
    );
    const ended = await Promise.all(ids.map((id) => one.runtime.handle(id).finished()));
    expect(ended.map(({ stop }) => stop)).toEqual(ids.map(() => 'done'));
    expect(most.get('acme')).toBeLessThanOrEqual(2);
    expect(most.get('bolt')).toBeLessThanOrEqual(4);
    expect(most.get('writer')).toBeLessThanOrEqual(3);
    const held = async () => {
      const places = await stage.restate.rows(
        `SELECT value_utf8 FROM state WHERE service_name = '${stage.name}-limits' AND key = 'held'`,
      );
      return places.map(({ value_utf8 }) => value_utf8);
    };
    await expect.poll(held).toEqual(['0', '0', '0', '0']); // three tenants and one agent
  });

  it('start while Restate is away, and go on when it is back [R10-RESTATE-AWAY]', async () => {
    const worker = await stage.worker(agents, { restate: { sweepMs: 600_000 } });
    await stage.restate.kill();
    const ids = numbered(5);
    const handles = await Promise.all(ids.map((id) => start(worker.runtime, 'quick', id)));
    expect(worker.problems.join()).toContain('Restate did not take the run');
    await stage.restate.revive();
    for (const handle of handles) expect(await handle.finished()).toMatchObject({ stop: 'done' });
  });

  it('end while Restate is away, and nobody is told of a problem with the worker [R10-RESTATE-AWAY]', async () => {
    let go = (): void => undefined;
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const worker = await stage.worker({
      waits: async (run: Run) => {
        const body = () => {
          made.push('at work');
          return gone;
        };
        await run.step('work', null, body, 'idempotent');
        return done('worked');
      },
    });
    const handle = await start(worker.runtime, 'waits', 'one');
    await expect.poll(() => made).toEqual(['at work']);
    await stage.restate.kill();
    go();
    expect(await handle.finished()).toMatchObject({ stop: 'done', value: 'worked' });
    await stage.restate.revive();
    const again = await start(worker.runtime, 'waits', 'another');
    expect(await again.finished()).toMatchObject({ stop: 'done' });
    expect(worker.problems).toEqual([]);
  });

  it('go on with a Restate that has lost everything, which their workers register with again [R10-RESTATE-LOST]', async () => {
    const worker = await stage.worker(agents, { restate: { sweepMs: 300 } });
    const sleeper = await start(worker.runtime, 'naps', 'sleeper');
    const asker = await start(worker.runtime, 'asks', 'asker');
    for (const handle of [sleeper, asker]) expect(await handle.outcome()).toMatchObject({ stop: 'suspended' });
    await stage.restate.replace();
    expect(await sleeper.finished()).toMatchObject({ stop: 'done' });
    await worker.runtime.signal('asker', 'go', 1);
    expect(await asker.finished()).toMatchObject({ stop: 'done', value: 1 });
  });

  it('are found where somebody told them something without telling Restate [R10-RESTATE-SWEEP]', async () => {
    const worker = await stage.worker(agents, { restate: { sweepMs: 300 } });
    const asker = await start(worker.runtime, 'asks', 'asker');
    expect(await asker.outcome()).toMatchObject({ stop: 'suspended' });
    const message = { id: 'm', kind: 'signal', name: 'go', from: 'ann', at: Date.now(), body: '"told"' } as const;
    await worker.engine.post('asker', message);
    expect(await asker.finished()).toMatchObject({ stop: 'done', value: 'told' });
  });

  it('are left to a worker of their version while there is one [R10-RESTATE-VERSIONS]', async () => {
    const agentsOf = (version: string): Agents => ({
      count: {
        version,
        agent: async (run: Run) => {
          for (let n = 0; n < 3; n++) await run.step('count', n, () => void made.push(version), 'idempotent');
          return done(version);
        },
      },
    });
    const old = await stage.worker(agentsOf('1'));
    const desk = await stage.worker(agentsOf('1'), { options: { worker: 'elsewhere' } });
    const young = await stage.worker(agentsOf('2'));
    const ids = numbered(20);
    const handles = await Promise.all(ids.map((id) => start(desk.runtime, 'count', id)));
    for (const handle of handles) expect(await handle.finished()).toMatchObject({ stop: 'done', value: '1' });
    await old.close();
    const late = await start(desk.runtime, 'count', 'late');
    expect(await late.finished()).toMatchObject({ stop: 'done', value: '2' });
    expect(young.problems).toEqual([]);
  });
});
