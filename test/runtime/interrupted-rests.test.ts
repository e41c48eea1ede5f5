import { done, type EffectContext, type Engine, FlyballError, memoryEngine, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, gate, moving, RUN, still } from './stage.js';

/** An engine that refuses the next `release`, as a store does that is busy for a moment. */
function busyOnce(): { readonly engine: Engine; refuse(): void } {
  const inner = memoryEngine();
  let refusals = 0;
  const release: Engine['release'] = async (claim, rest) => {
    if (refusals-- > 0) throw new FlyballError('STORAGE_BUSY', 'The store is busy.', { retryable: true });
    return inner.release(claim, rest);
  };
  return { engine: { ...inner, release }, refuse: () => (refusals = 1) };
}

describe('a run that cannot be given back', () => {
  it('is dropped here and told to whoever waits, instead of being held for ever [R2-SUSPEND] [R2-LEASE]', async () => {
    const { engine, refuse } = busyOnce();
    const stage = moving(engine);
    const life = stage.open(async (run: Run) => done(await run.wait({ name: 'go' })));
    refuse();
    await expect(life.start()).rejects.toMatchObject({ code: 'STORAGE_BUSY', retryable: true });
    expect(life.runtime.loaded()).toBe(0);
  });

  it('is dropped at its end too, and its outcome is found in the journal [R2-SUSPEND]', async () => {
    const { engine, refuse } = busyOnce();
    const stage = moving(engine);
    const agent = async (): Promise<Outcome<unknown>> => done('ok');
    const life = stage.open(agent);
    refuse();
    await expect(life.start()).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
    life.die();
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: 'ok' });
  });
});

describe('a pause', () => {
  it('that was written before a crash is kept by whoever takes the run over [R2-PAUSE]', async () => {
    const stage = still();
    const paid: number[] = [];
    const hold = gate<void>();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('prepare', null, () => hold.opened.then(() => 1), 'pure');
      await run.step('pay', null, () => paid.push(1), 'idempotent');
      return done('ok');
    };
    const life = stage.open(agent, { crash: at('after', 'run-pause') });
    void life.start();
    await turns(10);
    await life.runtime.pause(RUN);
    await turns(10);
    hold.open();
    await life.crashed;
    life.die();

    const next = stage.open(agent, { options: { worker: true } });
    await turns(60);
    expect(await next.runtime.get(RUN)).toMatchObject({ status: 'paused' });
    expect(paid).toEqual([]);
    expect(await next.resume()).toMatchObject({ stop: 'done' });
    expect(paid).toEqual([1]);
  });

  it('of a run that rests is taken back by somebody who resumes it [R2-PAUSE]', async () => {
    const life = moving().open(async (run: Run) => done(await run.wait({ name: 'go' })));
    await life.start();
    await life.runtime.pause(RUN);
    const outcome = await life.resume();
    expect(outcome).toMatchObject({ stop: 'suspended', waiting: [{ name: 'go' }] });
    expect(outcome).not.toHaveProperty('paused');
  });
});

it('an idempotent effect that may have happened is undone when the run is cancelled [R2-DOUBT-CANCEL]', async () => {
  const stage = moving();
  const world = new Set<string>();
  const agent = async (run: Run): Promise<Outcome<unknown>> => {
    const put = (_input: null, { key, signal }: EffectContext): Promise<never> => {
      world.add(key); // it happens, and the answer never comes
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    await run.step('put', null, put, {
      class: 'idempotent',
      timeoutMs: 50,
      compensate: async (_input, _result, { key }) => void world.delete(key.replace('!undo', '')),
    });
    return done('ok');
  };
  const outcome = await stage.open(agent).start();
  expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'EFFECT_TIMEOUT' }, rollback: { success: true } });
  expect([...world]).toEqual([]);
});
