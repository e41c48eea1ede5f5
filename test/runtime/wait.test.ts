import { budget, done, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchemaCheck } from '../../packages/flyball/src/adapters/schema-json/json-schema-check.js';
import { VIRTUAL_START } from '../../packages/flyball/src/testing/virtual-clock.js';
import { gate, moving, RUN, still } from './stage.js';

const waiter = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go' }));

describe('a signal', () => {
  it('sent before the wait is kept for it [R2-RUN-WAIT]', async () => {
    const stage = still();
    const hold = gate();
    const life = stage.open(async (run: Run) => {
      await run.step('busy', null, () => hold.opened.then(() => null), 'pure');
      return done(await run.wait({ name: 'go' }));
    });
    const ended = life.start();
    await turns();
    expect(await life.runtime.signal(RUN, 'go', 'early', { from: 'ada' })).toMatchObject({ delivery: 'buffered' });
    hold.open();
    expect(await ended).toMatchObject({ stop: 'done', value: 'early' });
    expect(await stage.events('wait-end')).toMatchObject([{ id: '#1', payload: 'early', from: 'ada' }]);
  });

  it('with an id that was delivered before is a duplicate [R2-RUN-WAIT]', async () => {
    const stage = moving();
    const life = stage.open(
      async (run: Run) => done([await run.wait({ name: 'go' }), await run.wait({ name: 'go', timeoutMs: 100 })]),
      { options: { worker: true, pollMs: 1e9 } },
    );
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    expect(await life.runtime.signal(RUN, 'go', 1, { id: 'message-1' })).toMatchObject({ delivery: 'buffered' });
    expect(await life.runtime.signal(RUN, 'go', 2, { id: 'message-1' })).toMatchObject({ delivery: 'duplicate' });
    expect(await handle.finished()).toMatchObject({ stop: 'done', value: [1, 'timed-out'] });
  });

  it('that comes first wins; the next one is for the next wait of that name [R2-RUN-WAIT]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => done([await run.wait({ name: 'go' }), await run.wait({ name: 'go' })]));
    await life.start();
    await life.runtime.signal(RUN, 'go', 'first');
    await life.runtime.signal(RUN, 'go', 'second');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: ['first', 'second'] });
  });

  it('goes to the oldest of two open waits of one name [R2-RUN-WAIT]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      const order: string[] = [];
      const wait = async (who: string): Promise<void> => {
        order.push(`${who}=${String(await run.wait({ name: 'go' }))}`);
      };
      await Promise.all([wait('a'), wait('b')]);
      return done(order);
    });
    await life.start();
    await life.runtime.signal(RUN, 'go', 1);
    await life.runtime.signal(RUN, 'go', 2);
    expect(await life.resume()).toMatchObject({ stop: 'done', value: ['a=1', 'b=2'] });
  });

  it('goes to exactly one wait when it names its token [R2-RUN-WAIT]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) =>
      done(
        (await run.all([(on) => on.wait({ name: 'go' }), (on) => on.wait({ name: 'go' })], 2)).map(
          (one) => one.ok && one.value,
        ),
      ),
    );
    const outcome = await life.start();
    const [, second] = outcome.stop === 'suspended' ? outcome.waiting : [];
    await life.runtime.signal(RUN, second?.token ?? '', 'for the second');
    await life.runtime.signal(RUN, 'go', 'for whoever is left');
    expect(await life.resume()).toMatchObject({ value: ['for whoever is left', 'for the second'] });
  });

  it('of another name is not taken', async () => {
    const stage = moving();
    const life = stage.open(waiter);
    await life.start();
    await life.runtime.signal(RUN, 'other', 1);
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'go' }] });
  });

  it('may carry nothing', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => done([(await run.wait({ name: 'go' })) === undefined]));
    await life.start();
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume()).toMatchObject({ value: [true] });
  });

  it('to an unknown run, or to one that has ended, is answered with a sentence [R2-BAD-RUN-ID] [R2-RESUME-TERMINAL]', async () => {
    const stage = moving();
    const life = stage.open(async () => done(1));
    await expect(life.runtime.signal('nobody', 'go')).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
      message: expect.stringMatching(/no run nobody.*List the runs/),
    });
    await life.start();
    await expect(life.runtime.signal(RUN, 'go')).rejects.toMatchObject({
      code: 'ALREADY_TERMINAL',
      message: expect.stringMatching(/has ended \(done\).*Fork it/),
    });
  });
});

describe('a payload', () => {
  const schema = z.object({ amount: z.number().transform((amount) => amount * 2) });
  const agent = async (run: Run): Promise<Outcome<unknown>> =>
    done(await run.wait({ name: 'pay', schema: schema as never }));

  it('is checked against the schema of the wait, and what it returns is what the code gets [R2-RUN-WAIT]', async () => {
    const stage = moving();
    const life = stage.open(agent);
    await life.start();
    await life.runtime.signal(RUN, 'pay', { amount: 21 });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { amount: 42 } });
  });

  it('that does not fit is refused, and the wait goes on [R2-RUN-WAIT] [R2-BAD-SIGNAL]', async () => {
    const stage = moving();
    const life = stage.open(agent);
    await life.start();
    await life.runtime.signal(RUN, 'pay', { amount: 'much' }, { id: 'm1' });
    expect(await life.resume()).toMatchObject({ stop: 'suspended', waiting: [{ name: 'pay' }] });
    expect(await stage.events('signal-refused')).toMatchObject([
      { signal: 'm1', name: 'pay', why: expect.stringContaining('amount') },
    ]);
    await life.runtime.signal(RUN, 'pay', { amount: 1 });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: { amount: 2 } });
  });

  it('that does not fit is refused at the sender, where the JSON schema is known [R2-BAD-SIGNAL]', async () => {
    const stage = moving();
    const life = stage.open(
      async (run: Run) =>
        done(
          await run.wait({
            name: 'pay',
            jsonSchema: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
          }),
        ),
      { checkJson: jsonSchemaCheck() },
    );
    await life.start();
    await expect(life.runtime.signal(RUN, 'pay', { amount: 'much' })).rejects.toMatchObject({
      code: 'SIGNAL_INVALID',
      message: expect.stringMatching(/waits for under "pay".*amount.*correct it and send it again/),
    });
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
    await life.runtime.signal(RUN, 'pay', { amount: 3 });
    expect(await life.resume()).toMatchObject({ value: { amount: 3 } });
  });

  it('that is no JSON is refused before it is sent [R2-BAD-SIGNAL]', async () => {
    const life = moving().open(waiter);
    await life.start();
    await expect(life.runtime.signal(RUN, 'go', () => 1)).rejects.toMatchObject({ code: 'SIGNAL_INVALID' });
  });

  it('with a Date or a cycle is refused with a sentence, not changed or thrown raw [R2-BAD-SIGNAL]', async () => {
    const life = moving().open(waiter);
    await life.start();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    await expect(life.runtime.signal(RUN, 'go', cycle)).rejects.toMatchObject({
      code: expect.stringMatching(/SIGNAL_INVALID|VALUE_NOT_SERIALIZABLE/),
    });
    await expect(life.runtime.signal(RUN, 'go', { at: new Date(0) })).rejects.toMatchObject({
      code: expect.stringMatching(/SIGNAL_INVALID|VALUE_NOT_SERIALIZABLE/),
    });
  });
});

describe('a wait', () => {
  it('times out with a value, not an exception [R2-RUN-WAIT]', async () => {
    const stage = moving();
    const life = stage.open(
      async (run: Run) => done([await run.wait({ name: 'go', timeoutMs: 5000 }), run.now() - VIRTUAL_START]),
      { options: { worker: true, pollMs: 1e9 } },
    );
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    const outcome = await handle.finished();
    expect(outcome).toMatchObject({ stop: 'done', value: ['timed-out', expect.any(Number)] });
    expect((outcome as { value: [string, number] }).value[1]).toBeGreaterThanOrEqual(5000);
    expect(await stage.events('wait-end')).toMatchObject([{ timedOut: true }]);
  });

  it('ends at its deadline, or at its timeout when that comes first', async () => {
    const stage = moving();
    const life = stage.open(
      async (run: Run) => {
        await run.wait({ name: 'a', deadline: VIRTUAL_START + 1000, timeoutMs: 9000 });
        const first = run.now() - VIRTUAL_START;
        await run.wait({ name: 'b', deadline: VIRTUAL_START + 1e9, timeoutMs: 3000 });
        return done([first < 2000, run.now() - VIRTUAL_START < 6000]);
      },
      { options: { worker: true, pollMs: 1e9 } },
    );
    expect(await (await life.runtime.start('agent', null, { id: RUN, budget: budget() })).finished()).toMatchObject({
      value: [true, true],
    });
  });

  it('keeps its time limit over a crash: it does not start again', async () => {
    const stage = still();
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.wait({ name: 'go', timeoutMs: 10_000 }));
    const life = stage.open(agent);
    const first = life.start();
    await stage.clock.advance(100);
    expect(await first).toMatchObject({ stop: 'suspended', waiting: [{ until: VIRTUAL_START + 10_000 }] });
    life.die();
    await stage.clock.advance(9_000);
    const second = stage.open(agent, { options: { suspendAfterMs: 60_000 } });
    const ended = (await second.runtime.resume(RUN)).outcome();
    await stage.clock.advance(900);
    expect(await ended).toMatchObject({ stop: 'done', value: 'timed-out' });
  });

  it('shows the other side what it is asked [R2-RUN-WAIT]', async () => {
    const life = moving().open(async (run: Run) =>
      done(await run.wait({ name: 'go', request: { question: 'Which one?' } })),
    );
    expect(await life.start()).toMatchObject({
      waiting: [{ kind: 'signal', name: 'go', token: 'run:0:#0', request: { question: 'Which one?' } }],
    });
  });

  it('needs a name', async () => {
    const life = moving().open(async (run: Run) => done(await run.wait({ name: '' })));
    expect(await life.start()).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
  });
});

describe('sleep', () => {
  it('lasts months without a process [R2-RUN-SLEEP]', async () => {
    const stage = moving();
    const month = 30 * 86_400_000;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const before = run.now();
      await run.sleep(3 * month);
      return done(run.now() - before >= 3 * month);
    };
    const life = stage.open(agent);
    expect(await life.start()).toMatchObject({
      stop: 'suspended',
      waiting: [{ kind: 'sleep', until: VIRTUAL_START + 3 * month }],
    });
    expect(life.runtime.loaded()).toBe(0);
    life.die();
    const worker = stage.open(agent, { options: { worker: true, pollMs: 1e12 } });
    expect(await worker.runtime.handle(RUN).finished()).toMatchObject({ stop: 'done', value: true });
    expect(stage.clock.now()).toBeGreaterThanOrEqual(VIRTUAL_START + 3 * month);
  });

  it('wakes at the time that was set, also when a crash comes between [R2-RUN-SLEEP]', async () => {
    const stage = still();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.sleep(1000);
      return done('awake');
    };
    const life = stage.open(agent, { options: { suspendAfterMs: 1e6 } });
    void life.start();
    await stage.clock.advance(600);
    life.die();
    const second = stage.open(agent, { options: { suspendAfterMs: 1e6 } });
    const ended = (await second.runtime.resume(RUN)).outcome();
    await stage.clock.advance(399);
    expect(await stage.events('sleep-end')).toEqual([]);
    await stage.clock.advance(1);
    expect(await ended).toMatchObject({ stop: 'done', value: 'awake' });
  });

  it('refuses what is no time', async () => {
    const life = moving().open(async (run: Run) => {
      await run.sleep(Number.NaN);
      return done(null);
    });
    expect(await life.start()).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
  });
});
