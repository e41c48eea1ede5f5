import {
  budget,
  done,
  type Engine,
  FlyballError,
  memoryEngine,
  type Outcome,
  type Run,
  type Seams,
  type SignalSpec,
} from 'flyball';
import { testHost, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, gate, type Life, moving, RUN, Stage, still } from './stage.js';

/** Lets something happen while entries that hold `what` are being written. */
function whileWriting(what: string, happen: () => unknown): Engine {
  const inner = memoryEngine();
  let isDone = false;
  return {
    ...inner,
    append: async (claim, batch) => {
      if (!isDone && batch.entries.some(({ body }) => body.includes(what))) {
        isDone = true;
        await happen();
      }
      return inner.append(claim, batch);
    },
  };
}

/** Lets something happen before a run is given back as one that rests like that. */
function beforeResting(status: 'bounded' | 'stalled', happen: () => unknown): Engine {
  const inner = memoryEngine();
  const release: Engine['release'] = async (claim, rest) => {
    if (rest.status === status) await happen();
    return inner.release(claim, rest);
  };
  return { ...inner, release };
}

describe('a cancellation', () => {
  it('is not swallowed by code that catches it and continues in a new generation [R2-RUN-CONTINUE] [R2-FAILURE-HUMAN]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run, input: unknown) => {
      if (input !== null) return done('went on in spite of it');
      for (let n = 0; n < 3; n++) await run.wait({ name: 'x' }).catch(() => undefined);
      return run.continueWith({ next: true });
    });
    const ended = life.start();
    await turns(20);
    await life.runtime.cancel(RUN);
    expect(await ended).toMatchObject({ stop: 'cancelled' });
    expect((await life.runtime.get(RUN)).generation).toBe(0);
  });

  it('that comes as the generation turns is carried out in the next one [R2-RUN-CONTINUE]', async () => {
    const stage = moving();
    const life: Life = stage.open(async (run: Run, input: unknown) => {
      if (input !== null) {
        await run.sleep(10);
        return done('went on in spite of it');
      }
      await run.step('last', null, () => 1, 'pure');
      void life.runtime.cancel(RUN);
      return run.continueWith({ next: true });
    });
    await life.start();
    expect(await life.runtime.handle(RUN).finished()).toMatchObject({ stop: 'cancelled' });
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
  });

  it('that comes while the run ends at a bound is carried out from there [R2-RESUME-BUDGET]', async () => {
    const stage = moving(whileWriting('run-end', () => life.runtime.cancel(RUN)));
    const undone: string[] = [];
    const life: Life = stage.open(
      async (run: Run) => {
        const rules = { class: 'undoable', compensate: async () => void undone.push('a') } as const;
        await run.step('put', null, () => 1, rules);
        for (;;) run.budget.take('iterations');
      },
      { options: { worker: true } },
    );
    await life.start(null, { iterations: 2 });
    await turns(200);
    expect((await life.runtime.get(RUN)).status).toBe('cancelled');
    expect(undone).toEqual(['a']);
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
  });

  it('that comes while the run ends at a bound, and is carried out by another process first, fails nobody [R2-RESUME-BUDGET]', async () => {
    const inner = whileWriting('run-end', () => life.runtime.cancel(RUN));
    let rested = 0;
    const release: Engine['release'] = async (claim, rest) => {
      await inner.release(claim, rest);
      if (rested++ === 0) await (await stage.open(agent).runtime.wake(RUN)).outcome();
    };
    const stage = moving({ ...inner, release });
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (;;) run.budget.take('iterations');
    };
    const problems: unknown[] = [];
    const life: Life = stage.open(agent, { onProblem: (problem) => problems.push(problem) });
    expect(await life.start(null, { iterations: 2 })).toMatchObject({ stop: 'bounded' });
    expect(await life.runtime.get(RUN)).toMatchObject({ status: 'cancelled' });
    expect(problems).toEqual([]);
  });

  const spending = async (run: Run): Promise<Outcome<unknown>> => {
    for (;;) run.budget.take('iterations');
  };

  it.each([
    ['dies', (life: Life) => life.die()],
    ['cannot reach its storage any more', undefined],
  ] as const)(
    'that comes while the run ends at a bound is carried out elsewhere, although its process %s once it has given the run back [R10-SIM-CANCEL-AT-REST]',
    async (_what, dies) => {
      const engine = whileWriting('run-end', () => elsewhere.runtime.cancel(RUN));
      let isCut = false;
      const cut = async <T>(work: () => Promise<T>): Promise<T> => {
        if (isCut) throw new FlyballError('STORAGE_BUSY', 'The storage could not be reached.', { retryable: true });
        return work();
      };
      const line: Engine = {
        ...engine,
        inbox: (...given) => cut(() => engine.inbox(...given)),
        requeue: (...given) => cut(() => engine.requeue(...given)),
        release: async (claim, rest) => {
          await engine.release(claim, rest);
          isCut = true;
          dies?.(life);
        },
      };
      const stage = moving(engine);
      const elsewhere = stage.open(spending);
      const life = new Stage(stage.clock, line).open(spending, { host: testHost('cut off') });
      void life.start(null, { iterations: 2 }).catch(() => undefined);
      await turns(200);
      expect(isCut).toBe(true);
      const other = stage.open(spending, { options: { worker: true } });
      await turns(200);
      expect(await other.runtime.get(RUN)).toMatchObject({ status: 'cancelled' });
      expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
    },
  );

  it('that comes while the run ends at a bound is carried out where a dispatcher had it driven, however slow the inbox is [R10-SIM-CANCEL-AT-REST]', async () => {
    const inner = whileWriting('run-end', () => desk.runtime.cancel(RUN));
    let isOver = false;
    const stage = moving({
      ...inner,
      inbox: async (...given) => {
        if (isOver) await new Promise<void>((resolve) => void stage.clock.after(2_000, resolve));
        return inner.inbox(...given);
      },
      release: async (claim, rest) => {
        await inner.release(claim, rest);
        isOver = true;
      },
    });
    const dispatcher = { dispatch: async () => undefined };
    const desk = stage.open(spending, { dispatcher, host: testHost('desk') });
    const worker = stage.open(spending, { dispatcher, options: { pollMs: 50 } });
    await desk.runtime.start('agent', null, { id: RUN, budget: budget({ iterations: 2 }) });
    expect(await worker.runtime.drive(RUN)).toEqual({ status: 'cancelled' });
  });

  it('that comes while a request to go on is refused, and the run rests at its bound again, is carried out from there [R10-SIM-CANCEL-AT-REST]', async () => {
    const send: (() => Promise<void>)[] = [];
    const stage = moving(beforeResting('bounded', () => send.pop()?.()));
    const life = stage.open(spending);
    expect(await life.start(null, { iterations: 2 })).toMatchObject({ stop: 'bounded' });
    send.push(() => life.runtime.cancel(RUN));
    await expect(life.resume({ budget: { iterations: 2 } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(send).toEqual([]);
    stage.open(spending, { options: { worker: true } });
    await turns(200);
    expect(await life.runtime.get(RUN)).toMatchObject({ status: 'cancelled' });
  });

  it('that comes while a bound is taken over from a process that died is carried out from there [R2-RESUME-BUDGET]', async () => {
    const send: (() => Promise<void>)[] = [];
    const stage = moving(beforeResting('bounded', () => send.pop()?.()));
    const undone: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const rules = { class: 'undoable', compensate: async () => void undone.push('a') } as const;
      await run.step('put', null, () => 1, rules);
      for (;;) run.budget.take('iterations');
    };
    await stage.crashed(agent, at('after', 'run-end'), { limits: { iterations: 2 } });
    const elsewhere = stage.open(agent);
    send.push(() => elsewhere.runtime.cancel(RUN));
    const life = stage.open(agent, { options: { worker: true } });
    await turns(300);
    expect(await life.runtime.get(RUN)).toMatchObject({ status: 'cancelled' });
    expect(undone).toEqual(['a']);
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
  });

  it('that comes while the run is being set aside is carried out from there [R2-FAILURE-CRASH]', async () => {
    const send: (() => Promise<void>)[] = [];
    const stage = moving(beforeResting('stalled', () => send.pop()?.()));
    const undone: string[] = [];
    const agent =
      (name: string) =>
      async (run: Run): Promise<Outcome<unknown>> => {
        const rules = { class: 'undoable', compensate: async () => void undone.push('a') } as const;
        await run.step('put', null, () => 1, rules);
        await run.step(name, null, () => 2, 'pure');
        return done(await run.wait({ name: 'go' }));
      };
    const first = stage.open(agent('look'));
    await first.start();
    first.die();
    const elsewhere = stage.open(agent('look'));
    send.push(() => elsewhere.runtime.cancel(RUN));
    const other = stage.open(agent('another'), { options: { worker: true } });
    await expect(other.resume()).rejects.toMatchObject({ code: 'REPLAY_DIVERGED' });
    await turns(100);
    other.die();
    expect(send).toEqual([]);
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
    expect(await stage.events('cancel')).toHaveLength(1);
    expect(await elsewhere.resume()).toMatchObject({ stop: 'cancelled' });
    expect(undone).toEqual(['a']);
  });

  it('does not change an end that is in the journal, although its owner died before it could say so [R2-FAILURE-CRASH]', async () => {
    const stage = moving();
    const undone: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const rules = { class: 'undoable', compensate: async () => void undone.push('a') } as const;
      return done(await run.step('put', null, () => 'made', rules));
    };
    await stage.crashed(agent, at('after', 'run-end'));
    const life = stage.open(agent);
    await life.runtime.cancel(RUN);
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'made' });
    expect((await stage.events('run-end')).map(({ outcome }) => outcome.stop)).toEqual(['done']);
    expect(undone).toEqual([]);
  });
});

describe('a resume', () => {
  const paying = (made: string[], hold: Promise<unknown>) => async (run: Run) => {
    await run.step('hold', null, () => hold.then(() => 1), 'pure');
    await run.step('pay', null, () => made.push('paid'), { class: 'undoable', compensate: async () => undefined });
    return done('ok');
  };

  it('that comes while a pause is being written is for the next life, and nothing is made in the old one [R2-PAUSE]', async () => {
    const hold = gate();
    const made: string[] = [];
    const stage = still(
      whileWriting('run-pause', async () => {
        await life.runtime.resume(RUN);
        await turns(5);
      }),
    );
    const life: Life = stage.open(paying(made, hold.opened));
    const rested = life.start();
    await turns(20);
    await life.runtime.pause(RUN);
    await turns(20);
    hold.open();
    expect(await rested).toMatchObject({ stop: 'suspended', paused: true });
    await turns(20);
    expect(made).toEqual([]);
    expect((await stage.entries()).at(-1)?.event.type).toBe('run-pause');

    const worker = stage.open(paying(made, hold.opened), { options: { worker: true } });
    await turns(60);
    expect((await worker.runtime.get(RUN)).status).toBe('done');
    expect(made).toEqual(['paid']);
  });

  it('takes back every pause before it, also those that came twice [R2-PAUSE]', async () => {
    const stage = still();
    const hold = gate();
    const life = stage.open(async (run: Run) => {
      await run.step('hold', null, () => hold.opened.then(() => 1), 'pure');
      for (let n = 0; n < 20; n++) await run.step('next', n, () => n, 'idempotent');
      return done('ok');
    });
    const rested = life.start();
    await turns(10);
    await life.runtime.pause(RUN);
    await life.runtime.pause(RUN);
    await turns(10);
    hold.open();
    expect(await rested).toMatchObject({ paused: true });
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'ok' });
  });

  it('of another process takes back the pauses that nobody had read [R2-PAUSE] [R2-ENGINE-PROCESSES]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.wait({ name: 'go' });
      for (let n = 0; n < 20; n++) await run.step('next', n, () => n, 'idempotent');
      return done('ok');
    };
    const life = stage.open(agent);
    await life.start();
    const message = { name: '', from: 'ada', at: 0, body: '' };
    await stage.engine.post(RUN, { ...message, id: '1', kind: 'pause' });
    await stage.engine.post(RUN, { ...message, id: '2', kind: 'resume' });
    await life.runtime.signal(RUN, 'go');
    const worker = stage.open(agent, { options: { worker: true } });
    await turns(200);
    expect((await worker.runtime.get(RUN)).status).toBe('done');
    expect(await stage.events('run-pause')).toEqual([]);
  });
});

describe('a signal', () => {
  type Schema = NonNullable<SignalSpec<unknown>['schema']>;
  const schema = (validate: Schema['~standard']['validate']): Schema => ({
    '~standard': { version: 1, vendor: 'test', validate },
  });

  it('that came in time is heard, though it is checked until after the deadline [R2-RUN-WAIT]', async () => {
    const stage = still();
    const check = gate();
    const slow = schema(async (value) => {
      await check.opened;
      return { value };
    });
    const life = stage.open(
      async (run: Run) => {
        return done(await run.wait({ name: 'x', schema: slow, timeoutMs: 1000 }));
      },
      { options: { suspendAfterMs: 1e6 } },
    );
    const ended = life.start();
    await turns(20);
    await life.runtime.signal(RUN, 'x', 'hello');
    await stage.clock.advance(1000);
    await turns(20);
    check.open();
    expect(await ended).toMatchObject({ stop: 'done', value: 'hello' });
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
  });

  it.each([
    [
      'breaks the schema',
      schema(() => {
        throw new Error('the schema broke');
      }),
      'the schema broke',
    ],
    ['is made into something that cannot be stored', schema(() => ({ value: new Date(0) })), 'Date'],
  ])('that %s is refused, and the run waits on [R2-RUN-WAIT] [R2-BAD-SIGNAL]', async (_what, poison, why) => {
    const stage = moving();
    const life = stage.open(async (run: Run) => done(await run.wait({ name: 'x', schema: poison })));
    await life.start();
    await life.runtime.signal(RUN, 'x', 'poison');
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'x' }] });
    expect(await stage.events('signal-refused')).toMatchObject([{ name: 'x', why: expect.stringContaining(why) }]);
    expect((await life.runtime.get(RUN)).status).toBe('suspended');
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
  });
});

describe('a signal to a run that is being woken', () => {
  /** Storage far away: every look into the inbox takes longer than a run is kept that only waits. */
  const farAway = (clock: () => { after(ms: number, callback: () => void): unknown }): Engine => {
    const inner = memoryEngine();
    return {
      ...inner,
      inbox: async (runId, after) => {
        await new Promise<void>((resolve) => void clock().after(100, resolve));
        return inner.inbox(runId, after);
      },
    };
  };

  it('is heard before the run is unloaded again, however long it takes to read it [R10-SIM-SLOW-INBOX]', async () => {
    const stage = moving(farAway(() => stage.clock));
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go' }));
    const how = { options: { suspendAfterMs: 20 } };
    expect(await stage.open(agent, how).start()).toMatchObject({ stop: 'suspended' });
    const life = stage.open(agent, how);
    await life.runtime.signal(RUN, 'go', 'now');
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'done', value: 'now' });
  });

  it('is heard before the run is unloaded again, however long a guard takes to look at it [R10-SIM-SLOW-INBOX]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go', isInput: true }));
    const slow: NonNullable<Seams['input']>[number] = (next) => async (value, context) => {
      await new Promise<void>((resolve) => void stage.clock.after(100, resolve));
      return next(value, context);
    };
    const how = { options: { suspendAfterMs: 20 }, seams: { input: [slow] } };
    expect(await stage.open(agent, how).start()).toMatchObject({ stop: 'suspended' });
    const life = stage.open(agent, how);
    await life.runtime.signal(RUN, 'go', 'now');
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'done', value: 'now' });
  });
});
