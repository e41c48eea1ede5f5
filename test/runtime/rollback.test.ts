import { budget, done, type EffectClass, failed, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, eventsOf, gate, moving, RUN, still } from './stage.js';

/** What exists, as a set: a compensation asserts that it does not, so running it twice changes nothing more. */
class World {
  readonly exists = new Set<string>();
  readonly log: string[] = [];
  readonly keys: string[] = [];
  failing = 0;

  make(run: Run, name: string): Promise<string> {
    const rules: EffectClass<string, string> = {
      class: 'undoable',
      compensate: async (input, result, { key }) => {
        this.keys.push(key);
        if (this.failing > 0) {
          this.failing--;
          throw new Error('the world does not let go');
        }
        this.exists.delete(input);
        this.log.push(`undo ${input} (${result})`);
      },
    };
    return run.step(`make ${name}`, name, (input) => {
      this.exists.add(input);
      this.log.push(`make ${input}`);
      return `${input}!`;
    }, rules);
  }
}

const failure = { code: 'EFFECT_FAILED', message: 'it went wrong', retryable: false } as const;

describe('a cancellation', () => {
  it('aborts what is in flight and undoes what is done, newest first [R2-SAGA-ORDER] [R2-FAILURE-HUMAN]', async () => {
    const stage = still();
    const world = new World();
    let aborted: unknown;
    const life = stage.open(async (run: Run) => {
      await world.make(run, 'a');
      await world.make(run, 'b');
      await world.make(run, 'c');
      await run.step('slow', null, (_input, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => {
        aborted = signal.reason;
        reject(signal.reason as Error);
      })), 'pure');
      return done(null);
    });
    const ended = life.start();
    await turns(30);
    await life.runtime.cancel(RUN, { by: 'ada', why: 'changed my mind' });
    expect(await ended).toMatchObject({
      stop: 'cancelled',
      because: expect.stringContaining('changed my mind'),
      rollback: { success: true, entries: [{ name: 'make c', effect: '#2', status: 'COMPENSATED' }, { name: 'make b', status: 'COMPENSATED' }, { name: 'make a', status: 'COMPENSATED' }] },
    });
    expect(aborted).toMatchObject({ code: 'CANCELLED' });
    expect(world.log.slice(3)).toEqual(['undo c (c!)', 'undo b (b!)', 'undo a (a!)']);
    expect(world.exists.size).toBe(0);
    expect(await stage.events('cancel')).toEqual([{ type: 'cancel', by: 'ada', why: 'changed my mind' }]);
  });

  it('journals each compensation as an effect with a key of its own [R2-SAGA-JOURNALED]', async () => {
    const stage = moving();
    const world = new World();
    await stage.open(async (run: Run) => {
      await world.make(run, 'a');
      return failed(failure);
    }).start();
    const entries = await stage.entries();
    expect(eventsOf(entries, 'intent').at(-1)).toMatchObject({ of: 'undo', id: '0:#0!undo', key: 'run:0:#0!undo', class: 'idempotent' });
    expect(eventsOf(entries, 'complete').at(-1)).toMatchObject({ id: '0:#0!undo' });
    expect(world.keys).toEqual(['run:0:#0!undo']);
    expect(entries.slice(-5).map(({ event }) => event.type)).toEqual(['rollback-start', 'intent', 'complete', 'rollback-end', 'run-end']);
  });

  it('of a suspended run wakes it only to undo [R2-SAGA-ORDER]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'a');
      await run.wait({ name: 'go' });
      await world.make(run, 'b');
      return done(null);
    };
    const life = stage.open(agent, { options: { worker: true, pollMs: 1e9 } });
    await life.start();
    const finished = life.runtime.handle(RUN).finished();
    await life.runtime.cancel(RUN);
    expect(await finished).toMatchObject({ stop: 'cancelled', rollback: { success: true } });
    expect(world.log).toEqual(['make a', 'undo a (a!)']);
  });

  it('of a paused run undoes it too', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'a');
      return done(await run.wait({ name: 'go' }));
    };
    const life = stage.open(agent, { options: { worker: true, pollMs: 1e9, suspendAfterMs: 1000 } });
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    await life.runtime.pause(RUN);
    expect(await handle.outcome()).toMatchObject({ paused: true });
    const finished = handle.finished();
    await life.runtime.cancel(RUN);
    expect(await finished).toMatchObject({ stop: 'cancelled' });
    expect(world.exists.size).toBe(0);
  });

  it('of a bounded run undoes what it had done', async () => {
    const stage = moving();
    const world = new World();
    const life = stage.open(async (run: Run) => {
      await world.make(run, 'a');
      for (;;) run.budget.take('iterations');
    }, { options: { worker: true, pollMs: 1e9 } });
    expect(await life.start()).toMatchObject({ stop: 'bounded' });
    expect(world.exists.size).toBe(1); // a bound is no failure: the run can go on
    await life.runtime.cancel(RUN);
    await turns(100);
    expect(await life.runtime.handle(RUN).outcome()).toMatchObject({ stop: 'cancelled', rollback: { success: true } });
    expect(world.exists.size).toBe(0);
  });

  it('that comes after the function has ended changes nothing', async () => {
    const life = moving().open(async () => done(1));
    expect(await life.start()).toMatchObject({ stop: 'done' });
    await expect(life.runtime.cancel(RUN)).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
  });

  it('is one: a second one changes nothing', async () => {
    const stage = still();
    const life = stage.open(async (run: Run) => done(await run.wait({ name: 'go' })), { options: { suspendAfterMs: 1e9 } });
    const ended = life.start();
    await turns(10);
    await life.runtime.cancel(RUN, { why: 'first' });
    await life.runtime.cancel(RUN, { why: 'second' });
    expect(await ended).toMatchObject({ because: expect.stringContaining('first') });
    expect(await stage.events('cancel')).toHaveLength(1);
  });

  it('keeps a partial value that the code returns when it is told', async () => {
    const stage = still();
    const life = stage.open(async (run: Run) => {
      try {
        return done(await run.wait({ name: 'go' }));
      } catch {
        return done('half');
      }
    }, { options: { suspendAfterMs: 1e9 } });
    const ended = life.start();
    await turns(10);
    await life.runtime.cancel(RUN);
    expect(await ended).toMatchObject({ stop: 'cancelled', partial: 'half' });
  });

  it('with an open INTENT resolves the doubt first, and undoes it when it happened [R2-DOUBT-CANCEL]', async () => {
    for (const happened of ['yes', 'no'] as const) {
      const stage = still();
      const undone: string[] = [];
      let made = 0;
      const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.step('pay', null, () => ++made, {
        class: 'undoable',
        timeoutMs: 1000,
        verify: async () => (happened === 'yes' ? { happened, result: 7 } : { happened }),
        compensate: async (_input, result) => {
          undone.push(`undo ${result}`);
        },
      }));
      await stage.crashed(agent, at('after', 'intent'));
      await stage.clock.advance(2000);
      const life = stage.open(agent);
      await life.runtime.cancel(RUN);
      const outcome = await life.resume();
      expect(outcome).toMatchObject({ stop: 'cancelled' });
      expect(undone).toEqual(happened === 'yes' ? ['undo 7'] : []);
      expect(made).toBe(0); // nothing is attempted again only to be undone
    }
  });

  it('with an open INTENT that nothing can prove waits for a person before it ends [R2-DOUBT-CANCEL] [R2-DOUBT-PERSON]', async () => {
    const stage = still();
    const undone: unknown[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.step('pay', null, () => 1, {
      class: 'undoable',
      timeoutMs: 1000,
      compensate: async (_input, result) => {
        undone.push(result);
      },
    }));
    await stage.crashed(agent, at('after', 'intent'));
    await stage.clock.advance(2000);
    const life = stage.open(agent);
    await life.runtime.cancel(RUN);
    const first = (await life.runtime.resume(RUN)).outcome();
    await stage.clock.advance(100);
    expect(await first).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    await life.runtime.signal(RUN, 'doubt:#0', { happened: true, result: 5 });
    expect(await life.resume()).toMatchObject({ stop: 'cancelled', rollback: { success: true, entries: [{ status: 'COMPENSATED' }] } });
    expect(undone).toEqual([5]);
  });

  it('aborts an undoable effect in flight; one that had acted all the same is undone [R2-DOUBT-CANCEL]', async () => {
    const stage = still();
    const world = new Set<string>();
    const begun = gate();
    const life = stage.open(async (run: Run) => done(await run.step('slow', null, (_input, { signal }) => new Promise<string>((_resolve, reject) => {
      world.add('made'); // it acted, and only then noticed the abort
      begun.open();
      signal.addEventListener('abort', () => reject(new Error('stopped half way')));
    }), {
      class: 'undoable',
      verify: async () => (world.has('made') ? { happened: 'yes', result: 'made' } : { happened: 'no' }),
      compensate: async () => {
        world.delete('made');
      },
    })));
    const ended = life.start();
    await begun.opened;
    await life.runtime.cancel(RUN);
    expect(await ended).toMatchObject({ stop: 'cancelled', rollback: { entries: [{ status: 'COMPENSATED' }] } });
    expect(world.size).toBe(0);
  });
});

describe('a failure', () => {
  it.each<[string, () => Promise<Outcome<unknown>>]>([
    ['returned', async () => failed(failure)],
    ['thrown', async () => {
      throw new Error('it went wrong');
    }],
  ])('that is %s undoes what is done [R2-SAGA-FAILURE]', async (_what, end) => {
    const world = new World();
    const outcome = await moving().open(async (run: Run) => {
      await world.make(run, 'a');
      await world.make(run, 'b');
      return end();
    }).start();
    expect(outcome).toMatchObject({ stop: 'failed', because: 'it went wrong', rollback: { success: true, entries: [{ name: 'make b' }, { name: 'make a' }] } });
    expect(world.exists.size).toBe(0);
  });

  it.each([
    ['done', done('x')],
    ['blocked', { stop: 'blocked', because: 'no access' } as Outcome<unknown>],
    ['degraded', { stop: 'degraded', value: 1, because: 'half' } as Outcome<unknown>],
  ])('is what %s is not: nothing is undone', async (_stop, ending) => {
    const world = new World();
    const outcome = await moving().open(async (run: Run) => {
      await world.make(run, 'a');
      return ending;
    }).start();
    expect(outcome.stop).toBe(ending.stop);
    expect(world.exists.size).toBe(1);
  });

  it('reports what cannot be undone, and undoes the rest [R2-SAGA-IRREVERSIBLE]', async () => {
    const stage = moving();
    const world = new World();
    const life = stage.open(async (run: Run) => {
      await world.make(run, 'a');
      await run.step('send', null, () => 'sent', { class: 'irreversible' });
      await run.step('touch', null, () => 'touched', 'idempotent');
      await run.step('read', null, () => 1, 'pure');
      await world.make(run, 'b');
      return failed(failure);
    });
    await life.start();
    await life.runtime.signal(RUN, 'approve:#1', { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({
      stop: 'failed',
      rollback: {
        success: false,
        attention: 'requires manual intervention',
        entries: [
          { name: 'make b', status: 'COMPENSATED' },
          { name: 'touch', status: 'CANNOT_ROLLBACK', note: expect.stringContaining('no compensation') },
          { name: 'send', status: 'CANNOT_ROLLBACK', note: expect.stringContaining('irreversible') },
          { name: 'make a', status: 'COMPENSATED' },
        ],
      },
    });
    expect(world.exists.size).toBe(0);
  });

  it('of a compensation alerts an operator after some attempts, and the others still run [R2-SAGA-ALERT]', async () => {
    const stage = moving();
    const world = new World();
    world.failing = 3;
    const outcome = await stage.open(async (run: Run) => {
      await world.make(run, 'a');
      await world.make(run, 'b');
      return failed(failure);
    }, { options: { compensationAttempts: 3 } }).start();
    expect(outcome).toMatchObject({
      rollback: {
        success: false,
        attention: 'requires manual intervention',
        entries: [{ name: 'make b', status: 'COMPENSATION_FAILED', note: expect.stringContaining('does not let go; requires manual intervention') }, { name: 'make a', status: 'COMPENSATED' }],
      },
    });
    expect(await stage.events('operator-alert')).toMatchObject([{ alert: 'compensation_failed', effect: '#1', why: 'the world does not let go' }]);
    expect(world.keys).toEqual(['run:0:#1!undo', 'run:0:#1!undo', 'run:0:#1!undo', 'run:0:#0!undo']);
    expect([...world.exists]).toEqual(['b']);
  });

  it('of a compensation that passes is not reported', async () => {
    const world = new World();
    world.failing = 2;
    const outcome = await moving().open(async (run: Run) => {
      await world.make(run, 'a');
      return failed(failure);
    }).start();
    expect(outcome).toMatchObject({ rollback: { success: true } });
  });

  it('of an effect leaves nothing of that effect to undo', async () => {
    const world = new World();
    const outcome = await moving().open(async (run: Run) => {
      await world.make(run, 'a');
      await run.step('fails', null, () => {
        throw new Error('no');
      }, { class: 'undoable', compensate: async () => { world.log.push('undo fails'); } });
      return done(null);
    }).start();
    expect(outcome).toMatchObject({ stop: 'failed', because: 'no', rollback: { entries: [{ name: 'make a' }] } });
    expect(world.log).toEqual(['make a', 'undo a (a!)']);
  });
});

describe('code that knew how to undo', () => {
  const end = async (run: Run): Promise<Outcome<unknown>> => {
    await run.wait({ name: 'fail' });
    return failed(failure);
  };

  it('is learnt again after a crash [R2-SAGA-JOURNALED]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'a');
      await run.all([(on) => world.make(on, 'b'), (on) => world.make(on, 'c')], 2);
      return end(run);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'fail');
    expect(await second.resume()).toMatchObject({ rollback: { success: true } });
    expect(world.exists.size).toBe(0);
    expect(world.log.slice(3)).toEqual(['undo c (c!)', 'undo b (b!)', 'undo a (a!)']);
  });

  it('is learnt again inside finished children, without acting again', async () => {
    const stage = moving();
    const world = new World();
    const inner = async (run: Run): Promise<Outcome<unknown>> => done(await world.make(run, 'inner'));
    const child = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'outer');
      return run.spawn(inner, null, { share: 0.5 });
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.spawn(child, null, { share: 0.5 });
      return end(run);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'fail');
    expect(await second.resume()).toMatchObject({ rollback: { success: true, entries: [{ name: 'make inner' }, { name: 'make outer' }] } });
    expect(world.log).toEqual(['make outer', 'make inner', 'undo inner (inner!)', 'undo outer (outer!)']);
  });

  it('is learnt again for earlier generations [R2-RUN-CONTINUE]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run, input: { readonly turn: number } | null): Promise<Outcome<unknown>> => {
      const turn = input?.turn ?? 0;
      await world.make(run, `g${turn}`);
      return turn < 2 ? run.continueWith({ turn: turn + 1 }) : end(run);
    };
    const life = stage.open(agent as never);
    await life.start();
    life.die();
    const second = stage.open(agent as never);
    await second.runtime.signal(RUN, 'fail');
    expect(await second.resume()).toMatchObject({ rollback: { success: true } });
    expect(world.log.slice(3)).toEqual(['undo g2 (g2!)', 'undo g1 (g1!)', 'undo g0 (g0!)']);
  });

  it('that is gone is reported, not ignored [R2-SAGA-ALERT]', async () => {
    const stage = moving();
    const world = new World();
    const child = async (run: Run): Promise<Outcome<unknown>> => done(await world.make(run, 'a'));
    const life = stage.open(async (run: Run) => {
      await run.spawn(child, null, { share: 0.5 });
      return end(run);
    });
    await life.start();
    life.die();
    async function forgetful(): Promise<Outcome<unknown>> {
      return done('x');
    }
    Object.defineProperty(forgetful, 'name', { value: 'child' }); // same place in the code, another body
    const second = stage.open(async (run: Run) => {
      await run.spawn(forgetful, null, { share: 0.5 });
      return end(run);
    });
    await second.runtime.signal(RUN, 'fail');
    expect(await second.resume()).toMatchObject({ rollback: { success: false, entries: [{ status: 'COMPENSATION_FAILED', note: expect.stringContaining('not there any more') }] } });
  });

  it.each([
    ['after the INTENT of the first', 'after', 'intent', 3],
    ['before the end of the first', 'before', 'complete', 3],
    ['after the end of the first', 'after', 'complete', 3],
    ['after the INTENT of the second', 'after', 'intent', 4],
    ['before its end', 'before', 'rollback-end', 1],
    ['after its end', 'after', 'rollback-end', 1],
  ] as const)('repeats nothing that was undone before a crash inside the rollback, %s [R2-SHOW-CRASH-ROLLBACK] [R2-SAGA-JOURNALED]', async (_what, when, type, nth) => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'a');
      await world.make(run, 'b');
      return failed(failure);
    };
    await stage.crashed(agent, at(when, type, nth));
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'failed', rollback: { success: true, entries: [{ name: 'make b' }, { name: 'make a' }] } });
    expect(world.exists.size).toBe(0);
    expect(world.log.filter((line) => line.startsWith('make'))).toHaveLength(2);
    const ended = eventsOf(await stage.entries(), 'complete').filter(({ id }) => id.endsWith('!undo'));
    expect(ended.map(({ id }) => id)).toEqual(['0:#1!undo', '0:#0!undo']);
  });
});
