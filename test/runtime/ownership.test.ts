import { budget, done, memoryEngine, type Outcome, type Run } from 'flyball';
import { turns, virtualClock } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, gate, moving, RUN, Stage, still } from './stage.js';

const LEASE = { options: { leaseMs: 15_000 } };

/** No timer of the process runs while it stands still, but its lease does: first during a commit of an INTENT, or an undoing. */
function stoodStillDuring(slow: string) {
  const clock = virtualClock();
  let stoodStill = 0;
  const inner = memoryEngine();
  const [reaching, going] = [gate(), gate()];
  const standStill = async (where: string): Promise<void> => {
    if (where !== slow || stoodStill > 0) return;
    stoodStill = 60_000;
    reaching.open();
    await going.opened;
  };
  const stage = new Stage(
    { ...clock, now: () => clock.now() + stoodStill, monotonic: () => clock.monotonic() + stoodStill },
    {
      ...inner,
      append: async (claim, batch) => {
        await inner.append(claim, batch);
        if (batch.entries.some(({ body }) => body.includes('"intent"'))) await standStill('commit');
      },
    },
  );
  const made: string[] = [];
  const undo = async (name: string): Promise<void> => {
    made.push(`undo ${name}`);
    await standStill('compensation');
  };
  const life = stage.open(async (run: Run) => {
    for (const name of ['act', 'more'])
      await run.step(name, null, () => made.push(name), { class: 'undoable', compensate: () => undo(name) });
    throw new Error('boom');
  }, LEASE);
  return { stage, life, made, reached: reaching.opened, goOn: () => going.open() };
}

describe('a run', () => {
  it('carries its subject and tenant everywhere [R2-TENANT]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) =>
      done(await run.spawn(async (on: Run) => done([on.subject, on.tenant]), null, { share: 0.5 })),
    );
    const handle = await life.runtime.start('agent', null, {
      id: RUN,
      budget: budget(),
      subject: 'ada',
      tenant: 'acme',
    });
    expect(await handle.outcome()).toMatchObject({ value: { value: ['ada', 'acme'] } });
    expect(await life.runtime.get(RUN)).toMatchObject({ subject: 'ada', tenant: 'acme' });
    expect(await stage.events('run-start')).toMatchObject([{ subject: 'ada', tenant: 'acme' }]);
    expect((await life.runtime.list({ tenant: 'acme' })).runs.map(({ id }) => id)).toEqual([RUN]);
    expect((await life.runtime.list({ tenant: 'other' })).runs).toEqual([]);
    expect((await life.runtime.list({ subject: 'ada' })).runs).toHaveLength(1);
  });

  it('has a subject and tenant also when nobody says so [R2-TENANT]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => done([run.subject, run.tenant]));
    expect(await life.start()).toMatchObject({ value: ['anonymous', 'default'] });
  });

  it('cannot start without a budget, under a taken id, or as an unknown agent [R2-BUDGET-AXES] [R2-BAD-TYPE]', async () => {
    const life = moving().open(async () => done(1));
    await expect(life.runtime.start('agent', null, {} as never)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('budget({ costUsd: 1 })'),
    });
    await expect(life.runtime.start('agent', null, { budget: { costUsd: 'much' } as never })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    await expect(life.runtime.start('nobody', null, { budget: budget() })).rejects.toMatchObject({
      code: 'AGENT_UNKNOWN',
      message: expect.stringContaining('Known here: agent'),
    });
    await life.start();
    await expect(life.start()).rejects.toMatchObject({ code: 'RUN_EXISTS' });
  });

  it.each(['resume', 'cancel', 'pause', 'signal', 'entries', 'get'] as const)(
    'that is unknown is answered with a sentence: %s [R2-BAD-RUN-ID]',
    async (what) => {
      const { runtime } = moving().open(async () => done(1));
      const asked: Promise<unknown> = what === 'signal' ? runtime.signal('nobody', 'x') : runtime[what]('nobody');
      await expect(asked).rejects.toMatchObject({
        code: 'RUN_NOT_FOUND',
        message: expect.stringMatching(/no run nobody/),
      });
    },
  );

  it.each(['done', 'degraded', 'blocked', 'failed', 'cancelled'] as const)(
    'that ended %s is not resumed, cancelled or signalled again [R2-RESUME-TERMINAL]',
    async (stop) => {
      const stage = moving();
      const endings: Readonly<Record<string, Outcome<unknown>>> = {
        done: done(1),
        degraded: { stop: 'degraded', value: 1, because: 'half' },
        blocked: { stop: 'blocked', because: 'no' },
        failed: { stop: 'failed', because: 'no', failure: { code: 'EFFECT_FAILED', message: 'no', retryable: false } },
        cancelled: { stop: 'cancelled', because: 'by itself' },
      };
      const life = stage.open(async () => endings[stop] ?? done(null));
      expect((await life.start()).stop).toBe(stop);
      const refused = {
        code: 'ALREADY_TERMINAL',
        retryable: false,
        message: expect.stringContaining(`has ended (${stop})`),
      };
      await expect(life.resume()).rejects.toMatchObject(refused);
      await expect(life.runtime.cancel(RUN)).rejects.toMatchObject(refused);
      await expect(life.runtime.signal(RUN, 'go')).rejects.toMatchObject(refused);
      await expect(life.runtime.pause(RUN)).rejects.toMatchObject(refused);
      expect(await life.runtime.handle(RUN).outcome()).toMatchObject({ stop });
    },
  );
});

describe('an owner', () => {
  const slow =
    (hold: Promise<unknown>) =>
    async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('slow', null, () => hold.then(() => 1), 'pure');
      return done(await run.step('act', null, () => 2, 'idempotent'));
    };

  it('holds its run alone while its lease lasts [R2-LEASE]', async () => {
    const stage = still();
    const hold = gate();
    const first = stage.open(slow(hold.opened), LEASE);
    void first.start().catch(() => undefined);
    await turns();
    const second = stage.open(slow(hold.opened), LEASE);
    await expect(second.runtime.resume(RUN)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
      message: expect.stringContaining('life-1 owns it until'),
    });
    expect(await stage.engine.get(RUN)).toMatchObject({ owner: { id: 'life-1' } });
  });

  it('renews its lease for as long as it works [R2-LEASE]', async () => {
    const stage = still();
    const hold = gate();
    const first = stage.open(slow(hold.opened), LEASE);
    const ended = first.start();
    await stage.clock.advance(60_000);
    await expect(stage.open(slow(hold.opened), LEASE).runtime.resume(RUN)).rejects.toMatchObject({
      code: 'JOURNAL_CONFLICT',
    });
    hold.open();
    expect(await ended).toMatchObject({ stop: 'done', value: 2 });
  });

  it('that lost its lease cannot append: it is told, and its successor ends the run [R2-LEASE]', async () => {
    const stage = still();
    const hold = gate();
    const engine = stage.engine;
    const first = stage.open(slow(hold.opened), LEASE);
    const lost = first.start();
    const caught = lost.catch((error: unknown) => error);
    await turns();
    // another process proves nothing, but the lease is over: it takes the run
    const claim = await engine.claim(RUN, {
      owner: { id: 'thief', host: 'h', bootId: 'b', pid: 2, startTime: '2' },
      now: stage.clock.now() + 20_000,
      leaseMs: 10_000,
      isGone: () => false,
    });
    hold.open();
    expect(await caught).toMatchObject({ code: 'JOURNAL_CONFLICT', retryable: false });
    expect(await stage.events('intent')).toEqual([]); // INTENT was never durable, so nothing was done
    await engine.release(claim, { status: 'pending', now: stage.clock.now() });
    const second = stage.open(slow(Promise.resolve()), LEASE);
    expect(await second.resume()).toMatchObject({ stop: 'done', value: 2 });
  });

  it.each([
    ['commit', 'another one took it', []],
    ['commit', 'nobody took it', ['act', 'more', 'undo more', 'undo act']],
    ['compensation', 'another one took it', ['act', 'more', 'undo more']],
    ['compensation', 'nobody took it', ['act', 'more', 'undo more', 'undo act']],
  ])(
    'whose process stood still past its lease during a %s acts on only if nobody else has it: %s [R2-LEASE]',
    async (slow, then, expected) => {
      const { stage, life, made, reached, goOn } = stoodStillDuring(slow);
      const ended = life.start().catch((error: unknown) => error);
      await reached;
      if (then !== 'nobody took it') {
        const owner = { id: 'thief', host: 'h', bootId: 'b', pid: 2, startTime: '2' };
        await stage.engine.claim(RUN, { owner, now: stage.clock.now(), leaseMs: 10_000, isGone: () => false });
      }
      goOn();
      expect(await ended).toMatchObject(
        then === 'nobody took it' ? { stop: 'failed', rollback: { success: true } } : { code: 'JOURNAL_CONFLICT' },
      );
      expect(made).toEqual(expected);
    },
  );

  it('that is proven gone is taken over at once by a worker [R2-WORKER] [R2-FAILURE-CRASH]', async () => {
    const stage = moving();
    let made = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('first', null, () => ++made, 'idempotent');
      return done(await run.step('second', null, () => ++made, 'pure'));
    };
    await stage.crashed(agent, at('after', 'intent'));
    const worker = stage.open(agent, { options: { worker: true } });
    await turns(100);
    expect(await worker.runtime.handle(RUN).finished()).toMatchObject({ stop: 'done', value: 2 });
    expect((await stage.events('attempt-start')).map(({ why }) => why)).toEqual(['start', 'takeover']);
  });
});

describe('a crash loop', () => {
  it('ends after maxResumes crashes without progress; a person can resume it [R2-MAX-RESUMES]', async () => {
    const stage = moving();
    let lives = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      lives++;
      return done(await run.step('poison', null, () => (lives > 5 ? 'survived' : new Promise(() => {})), 'idempotent'));
    };
    const options = { worker: true, maxResumes: 2, pollMs: 1e9 };
    const first = stage.open(agent, { options });
    await first.runtime.start('agent', null, { id: RUN, budget: budget() });
    await turns(10);
    first.die();
    for (let life = 0; life < 6; life++) {
      const next = stage.open(agent, { options });
      await turns(40);
      next.die();
    }
    expect(lives).toBe(3);
    const record = await stage.engine.get(RUN);
    expect(record).toMatchObject({
      status: 'stalled',
      attention: expect.stringMatching(/crashed 3 times in a row.*resume it by hand/),
    });
    await expect(stage.open(agent).runtime.handle(RUN).outcome()).rejects.toMatchObject({ code: 'RUN_STALLED' });
    lives = 9;
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: 'survived' });
  });

  it('that gets further each time is none [R2-MAX-RESUMES]', async () => {
    const stage = moving();
    const made: number[] = [];
    let allowed = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 6; n++) {
        await run.step(
          'work',
          n,
          () => {
            if (n > allowed) return new Promise(() => {});
            made.push(n);
            return n;
          },
          'idempotent',
        );
      }
      return done(made.length);
    };
    const options = { worker: true, maxResumes: 2, pollMs: 1e9 };
    const first = stage.open(agent, { options });
    await first.runtime.start('agent', null, { id: RUN, budget: budget() });
    for (let life = first, n = 0; n < 6; n++) {
      await turns(40);
      life.die();
      allowed++;
      life = stage.open(agent, { options });
    }
    await turns(100);
    expect((await stage.engine.get(RUN))?.status).toBe('done');
    expect(made).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
