import { budget, done, type Outcome, type Run } from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { answer, gate, moving, RUN, still } from './stage.js';

describe('an act that nobody awaits', () => {
  it('and that is in flight when the function returns is seen to its end [R2-INTENT]', async () => {
    const stage = still();
    const hold = gate<string>();
    const begun = gate();
    const life = stage.open(async (run: Run) => {
      void run.step(
        'act',
        null,
        () => {
          begun.open();
          return hold.opened;
        },
        'idempotent',
      );
      await run.step('wait for it', null, () => begun.opened.then(() => null), 'pure');
      return done('returned');
    });
    const ended = life.start();
    await begun.opened;
    await turns(10);
    hold.open('acted');
    expect(await ended).toMatchObject({ stop: 'done', value: 'returned' });
    const entries = await stage.entries();
    const types = entries.map(({ event }) => event.type);
    const end = entries.find(({ event }) => event.type === 'complete' && event.id === '#0');
    expect(end?.event ?? (await stage.events('abort'))[0]).toBeDefined();
    expect(types.at(-1)).toBe('run-end');
  });

  it('and that had not begun is never made', async () => {
    const stage = moving();
    let made = 0;
    const life = stage.open(async (run: Run) => {
      void run.step('act', null, () => ++made, 'idempotent');
      return done('returned');
    });
    expect(await life.start()).toMatchObject({ stop: 'done' });
    const intents = await stage.events('intent');
    expect(made).toBe(intents.length); // made or not, the journal knows
  });

  it('of a branch that lost is undone when a person says that it happened, and holds up nobody until then [R2-RUN-FIRST] [F-C2]', async () => {
    const stage = still();
    const hold = gate<string>();
    const begun = gate();
    const win = gate<number>();
    const log: string[] = [];
    const life = stage.open(async (run: Run) => {
      const winner = await run.first<unknown>([
        (on) =>
          on.step(
            'book',
            null,
            () => {
              begun.open();
              return hold.opened;
            },
            {
              class: 'undoable',
              verify: async () => ({ happened: 'unknown' }),
              compensate: async (_input, result) => {
                log.push(`undo ${result}`);
              },
            },
          ),
        (on) => on.step('win', null, () => win.opened, 'pure'),
      ]);
      log.push('returned');
      return done(winner);
    });
    const rested = life.start();
    await begun.opened;
    win.open(1);
    await turns(20);
    expect(log).toEqual([]); // it may end yet, and say what it did
    await stage.clock.advance(65_000);
    await stage.clock.advance(100);
    expect(await rested).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    expect(log).toEqual(['returned']);
    await answer(life.runtime, RUN, 'doubt:/first.0.0#0', { happened: true, result: 'room 5' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 1 });
    expect(log).toEqual(['returned', 'returned', 'undo room 5']); // the code ran again from the top
  });
});

describe('a call that nobody awaits', () => {
  it('is aborted when the function returns, and is shown as possibly paid [R2-BUDGET-ABORT] [F-K6]', async () => {
    const stage = still();
    const signals: AbortSignal[] = [];
    const model = scriptedModel({
      talker: (_request, _n, how) => {
        signals.push(how.signal);
        return new Promise(() => {});
      },
    });
    const life = stage.open(async (run: Run) => {
      run.ask({ name: 'talker', model, setup: 'Talk.' }, 'hi').catch(() => undefined);
      await run.step('until it is sent', null, () => model.reached('talker').then(() => null), 'pure');
      return done('returned');
    });
    expect(await life.start()).toMatchObject({
      stop: 'done',
      value: 'returned',
      usage: { possibly: { modelCalls: 1 } },
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('a cancellation while a person is asked', () => {
  it('for approval makes no effect [R2-APPROVAL-GATE]', async () => {
    const stage = moving();
    let made = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.step('launch', null, () => ++made, { class: 'irreversible' }));
    const life = stage.open(agent, { options: { worker: true, pollMs: 1e9 } });
    await life.start();
    const finished = life.runtime.handle(RUN).finished();
    await life.runtime.signal(RUN, 'unrelated', 1);
    await life.runtime.cancel(RUN, { why: 'no longer needed' });
    expect(await finished).toMatchObject({ stop: 'cancelled' });
    expect(made).toBe(0);
    expect(await stage.events('intent')).toEqual([]);
  });
});

describe('the signal of a run', () => {
  it('tells the code of a cancellation', async () => {
    const stage = still();
    let reason: unknown;
    const life = stage.open(
      async (run: Run) => {
        run.signal.addEventListener('abort', () => {
          reason = run.signal.reason;
        });
        return done(await run.wait({ name: 'go' }));
      },
      { options: { suspendAfterMs: 1e9 } },
    );
    const ended = life.start();
    await turns(10);
    await life.runtime.cancel(RUN, { why: 'enough' });
    await ended;
    expect(reason).toMatchObject({ code: 'CANCELLED', message: expect.stringContaining('enough') });
  });
});

describe('a note that cannot be stored', () => {
  it('is refused at once [R2-RUN-NOTE] [R2-EFFECT-ENCODED]', async () => {
    const outcome = await moving()
      .open(async (run: Run) => {
        run.note({ kind: 'x', at: new Date(0) });
        return done(null);
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'VALUE_NOT_SERIALIZABLE' } });
  });
});

describe('two workers on one engine', () => {
  it('run every run exactly once [R2-WORKER]', async () => {
    const stage = moving();
    const made: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.wait({ name: 'go' });
      await run.step('act', null, () => made.push(run.id), { class: 'undoable', compensate: async () => undefined });
      return done(run.id);
    };
    const options = { worker: true, pollMs: 100 };
    const workers = [stage.open(agent, { options }), stage.open(agent, { options })];
    const ids = Array.from({ length: 20 }, (_, n) => `run-${n}`);
    for (const [n, id] of ids.entries()) await workers[n % 2]?.runtime.start('agent', null, { id, budget: budget() });
    for (const [n, id] of ids.entries()) await workers[(n + 1) % 2]?.runtime.signal(id, 'go');
    const outcomes = await Promise.all(ids.map((id, n) => workers[n % 2]?.runtime.handle(id).finished()));
    expect(outcomes.map((outcome) => outcome?.stop)).toEqual(ids.map(() => 'done'));
    expect(made.toSorted()).toEqual(ids.toSorted());
  });

  it('tell whoever waits in one of them what happened in the other', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go' }));
    const first = stage.open(agent, { options: { worker: true, pollMs: 100 } });
    await first.start();
    const finished = first.runtime.handle(RUN).finished();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go', 'hello');
    expect(await finished).toMatchObject({ stop: 'done', value: 'hello' });
  });
});

describe('a runtime that closes while an effect does not end', () => {
  it('gives the run back as it stands [F-O3]', async () => {
    const stage = still();
    let tries = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.step('stuck', null, () => (++tries > 1 ? 'fine' : new Promise(() => {})), 'idempotent'));
    const life = stage.open(agent);
    void life.start();
    await turns(10);
    const closed = life.runtime.close({ drainMs: 1000 });
    await stage.clock.advance(1000);
    await closed;
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'pending', crashes: 0 });
    life.die();
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: 'fine' });
  });
});

describe('an unknown run', () => {
  it('has no outcome [R2-BAD-RUN-ID]', async () => {
    const { runtime } = moving().open(async () => done(1));
    await expect(runtime.handle('nobody').outcome()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(runtime.handle('nobody').finished()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(runtime.fork('nobody', { at: 0 })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
