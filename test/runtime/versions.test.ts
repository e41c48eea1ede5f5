import { type Clock, done, FlyballError, memoryEngine, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { RUN, type Stage, still } from './stage.js';

const first = async (run: Run) => {
  await run.step('a', 1, () => 1, 'idempotent');
  await run.wait({ name: 'go' });
  return done('by version 1');
};
const second = async (run: Run) => {
  await run.step('checked-a', 1, () => 1, 'idempotent');
  await run.wait({ name: 'go' });
  return done('by version 2');
};
const options = { worker: true, pollMs: 100, leaseMs: 3000, suspendAfterMs: 10 };

async function pass(stage: Stage<Clock & { advance(ms: number): Promise<void> }>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await stage.clock.advance(50);
    await turns(10);
  }
}

describe('a run of one version', () => {
  const scene = async (stage = still(memoryEngine())) => {
    const old = stage.open({ agent: first, version: '1' }, { options });
    void old.start();
    await pass(stage, 200);
    expect((await stage.engine.get(RUN))?.status).toBe('suspended');
    return { stage, old };
  };

  it('is left to a worker that has that version while such a worker is alive [F-C12]', async () => {
    const stage = still(memoryEngine());
    // it watches from before the other, and hears of everything first
    const quick = stage.open({ agent: second, version: '2' }, { options });
    await pass(stage, 100);
    const { old } = await scene(stage);
    await quick.runtime.signal(RUN, 'go');
    await pass(stage, 500);
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'done' });
    expect(await old.runtime.handle(RUN).outcome()).toMatchObject({ value: 'by version 1' });
  });

  it('goes to the others when that worker has closed, died, or been silent for a lease [F-C12]', async () => {
    for (const end of ['close', 'die', 'vanish'] as const) {
      const { stage, old } = await scene();
      if (end === 'close') await old.runtime.close();
      else old[end]();
      const next = stage.open({ agent: second, version: '2' }, { options });
      await next.runtime.signal(RUN, 'go');
      await pass(stage, 500);
      const isTaken = async () => (await stage.engine.get(RUN))?.status === 'stalled'; // code that does not fit is told so
      expect(await isTaken(), end).toBe(end !== 'vanish');
      await pass(stage, 3500);
      expect(await isTaken(), end).toBe(true);
    }
  });

  it('stays with a worker that could not say that it is alive because storage was away [R19-OUTAGE-VERSIONS]', async () => {
    const inner = memoryEngine();
    let isAway = false;
    const engine = new Proxy(inner, {
      get: (target, name) =>
        isAway && typeof target[name as keyof typeof target] === 'function'
          ? away
          : target[name as keyof typeof target],
    });
    const away = () => Promise.reject(new FlyballError('STORAGE_BUSY', 'It does not respond.', { retryable: true }));
    const { stage, old } = await scene(still(engine));
    stage.open({ agent: second, version: '2' }, { options: { ...options, pollMs: 20 } }); // it looks first
    await pass(stage, 500);
    isAway = true;
    await pass(stage, 5000);
    await inner.post(RUN, { id: 'm', kind: 'signal', name: 'go', from: 'ann', at: 0, body: 'null' });
    await pass(stage, 200);
    isAway = false;
    await pass(stage, 500);
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'done', version: '1' });
    await old.runtime.close();
  });

  // both begin alike; version 2 goes on with a change that version 1 does not know
  const changing = async (run: Run) => {
    await run.step('a', 1, () => 1, 'idempotent');
    await run.wait({ name: 'go' });
    if (run.changed('twice')) await run.step('b', 1, () => 1, 'idempotent');
    await run.wait({ name: 'on' });
    return done('by version 2');
  };

  it('stays with the version that went on with it, also where a worker with the one it began with comes back [R19-VERSION-CONTINUED]', async () => {
    const { stage, old } = await scene();
    old.die();
    const next = stage.open({ agent: changing, version: '2' }, { options });
    await next.runtime.signal(RUN, 'go');
    await pass(stage, 500);
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'suspended', version: '2' });
    const back = stage.open({ agent: first, version: '1' }, { options });
    await pass(stage, 500);
    await back.runtime.signal(RUN, 'on'); // it hears of it first
    await pass(stage, 500);
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'done', version: '2' });
    const fork = await back.runtime.fork(RUN, { at: 0, id: 'fork' });
    expect(await stage.engine.get(fork.id)).toMatchObject({ version: '2' });
  });

  it('stays with its version where code of another did not fit, or only wrote down what was decided [R19-VERSION-CONTINUED]', async () => {
    const { stage, old } = await scene();
    old.die();
    const next = stage.open({ agent: second, version: '2' }, { options: { ...options, worker: 'elsewhere' } });
    await next.runtime.cancel(RUN, { by: 'ann' });
    expect(await stage.engine.get(RUN)).toMatchObject({ version: '1' });
    const worker = stage.open({ agent: second, version: '2' }, { options });
    await pass(stage, 500);
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'stalled', version: '1' });
    worker.die();
  });

  it('is taken by whoever knows the agent when nobody has its version [F-C12]', async () => {
    const { stage, old } = await scene();
    old.die();
    const next = stage.open({ agent: first, version: '1.0.1' }, { options });
    await next.runtime.signal(RUN, 'go');
    await pass(stage, 500);
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'done' });
  });
});
