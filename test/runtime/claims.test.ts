import {
  budget,
  type Dispatcher,
  done,
  type Engine,
  FlyballError,
  memoryEngine,
  type Outcome,
  type Run,
} from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { writeUncertain } from '../../packages/flyball/src/core/engine-errors.js';
import { gate, type Life, moving, RUN, still } from './stage.js';

const busy = (): FlyballError => new FlyballError('STORAGE_BUSY', 'The database is busy.', { retryable: true });

describe('a life that a failing store has ended', () => {
  it('appends nothing any more [R2-LEASE] [R2-FAILURE-EXHAUSTION]', async () => {
    const inner = memoryEngine();
    let failing = false;
    const late: string[] = [];
    const stage = still({
      ...inner,
      append: async (claim, batch) => {
        const bodies = batch.entries.map(({ body }) => body);
        if (failing) late.push(...bodies);
        if (!bodies.some((body) => body.includes('sleep-start'))) return inner.append(claim, batch);
        failing = true;
        throw new FlyballError('STORAGE_FULL', 'The disk is full.');
      },
    });
    const life = stage.open(async (run: Run) => {
      // its time runs out long after this life is over
      void run.step('pay', 1, () => new Promise(() => undefined), {
        class: 'undoable',
        timeoutMs: 60_000,
        compensate: async () => undefined,
      });
      await run.step('think', 1, () => 1, 'pure');
      return done(await run.sleep(5));
    });
    await expect(life.start()).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    const after = late.length;
    await stage.clock.advance(300_000);
    expect(late.slice(after)).toEqual([]);
  });
});

describe('a store that fails for a moment', () => {
  it('does not set a run aside that was being loaded: it can be tried again [R2-ENGINE-BUSY]', async () => {
    const inner = memoryEngine();
    let failures = 0;
    const stage = moving({
      ...inner,
      read: (runId, range) => (failures-- > 0 ? Promise.reject(busy()) : inner.read(runId, range)),
    });
    const life = stage.open(async (run: Run) => done(await run.wait({ name: 'go' })));
    await life.start();
    await life.runtime.signal(RUN, 'go', 'gone');
    failures = 1;
    await expect(life.resume()).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
    expect((await inner.get(RUN))?.status).not.toBe('stalled');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'gone' });
  });
});

describe('a lease', () => {
  it('that could not be renewed because the run was given back and taken again is not lost [R2-LEASE]', async () => {
    const inner = memoryEngine();
    let renewing: Promise<void> | undefined;
    const stage = still({
      ...inner,
      renew: async (signs, at) => {
        await renewing;
        return inner.renew(signs, at);
      },
    });
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done([await run.wait({ name: 'a' }), await run.wait({ name: 'b' })]);
    const life = stage.open(agent, { options: { leaseMs: 300, suspendAfterMs: 120, worker: true } });
    const rested = life.start();
    await turns(20);
    const hold = gate();
    renewing = hold.opened;
    await stage.clock.advance(100); // the renewal is under way
    await stage.clock.advance(30);
    expect(await rested).toMatchObject({ stop: 'suspended' });
    await life.runtime.signal(RUN, 'a', 1);
    await turns(20);
    const ended = life.runtime.handle(RUN).outcome();
    hold.open(); // the old claim is stale by now
    await turns(20);
    await life.runtime.signal(RUN, 'b', 2);
    expect(await ended).toMatchObject({ stop: 'done', value: [1, 2] });
  });
});

describe('a start', () => {
  it('returns a handle when another worker was quicker to take the run [R2-WORKER] [R2-SHOW-RACE]', async () => {
    const inner = memoryEngine();
    const stage = still({
      ...inner,
      create: async (run) => {
        await inner.create(run);
        await other.runtime.resume(RUN);
        await turns(5);
      },
    });
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.sleep(1000);
      return done('ok');
    };
    const other: Life = stage.open(agent);
    const life = stage.open(agent, { options: { pollMs: 10 } });
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    expect(handle.id).toBe(RUN);
    expect(other.runtime.loaded() + life.runtime.loaded()).toBe(1);
    expect(await stage.events('attempt-start')).toHaveLength(1);
  });
});

/** The next claim is cut off on its way, and arrives when the test says so. */
function slow(inner: Engine): Engine & { cutOff(): void; arrive(): Promise<unknown> } {
  let isCut = false;
  let arrive: (() => Promise<unknown>) | undefined;
  return {
    ...inner,
    claim: (runId, by) => {
      if (!isCut) return inner.claim(runId, by);
      isCut = false;
      arrive = () => inner.claim(runId, by);
      return Promise.reject(writeUncertain(runId, new Error('the connection was cut')));
    },
    cutOff: () => {
      isCut = true;
    },
    arrive: async () => arrive?.(),
  };
}

describe('a claim that was cut off and arrives later', () => {
  it('does not take the run from the life that its own process has begun since [R10-SIM-LATE-CLAIM]', async () => {
    const engine = slow(memoryEngine());
    const stage = still(engine);
    const begun = gate();
    const sent = gate();
    const acted: string[] = [];
    const act = (name: string): Promise<void> => {
      acted.push(name);
      begun.open();
      return sent.opened;
    };
    const life = stage.open(async (run: Run) => {
      await run.wait({ name: 'go' });
      await run.step('send', null, () => act('send'), 'idempotent');
      return done(await run.step('tell', null, () => act('tell'), 'idempotent'));
    });
    const rested = life.start();
    await turns(20);
    await stage.clock.advance(60_000);
    expect(await rested).toMatchObject({ stop: 'suspended' });
    await life.runtime.signal(RUN, 'go', null);
    engine.cutOff();
    await expect(life.resume()).rejects.toMatchObject({ code: 'STORAGE_UNCERTAIN' });
    const ended = life.resume();
    await begun.opened; // the effect is in the world, and its result is not yet written
    await expect(engine.arrive()).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' });
    sent.open();
    expect(await ended).toMatchObject({ stop: 'done' });
    expect(acted).toEqual(['send', 'tell']);
    expect(await stage.events('attempt-start')).toHaveLength(2);
  });

  it('does not take the run from the process whose turn it is by then [R10-SIM-LATE-CLAIM]', async () => {
    const engine = slow(memoryEngine());
    const stage = still(engine);
    const begun = gate();
    const sent = gate();
    const dispatcher: Dispatcher = { dispatch: async () => undefined };
    const act = (): Promise<void> => {
      begun.open();
      return sent.opened;
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.step('send', null, act, 'idempotent'));
    const [first, second] = [stage.open(agent, { dispatcher }), stage.open(agent, { dispatcher })];
    await first.runtime.start('agent', null, { id: RUN, budget: budget() });
    engine.cutOff();
    await expect(first.runtime.drive(RUN)).rejects.toMatchObject({ code: 'STORAGE_UNCERTAIN' });
    const driven = second.runtime.drive(RUN);
    await begun.opened;
    await expect(engine.arrive()).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' });
    sent.open();
    expect(await driven).toEqual({ status: 'done' });
  });
});
