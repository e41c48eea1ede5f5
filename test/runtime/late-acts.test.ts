import { done, type Engine, memoryEngine, type Outcome, type Run } from 'flyball';
import { virtualClock } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, RUN, Stage } from './stage.js';

/** One minute and 5 seconds after an INTENT, others may judge it. The lease lasts much longer. */
const DEADLINE_MS = 65_000;
const OTHER = { id: 'other', host: 'h', bootId: 'b', pid: 2, startTime: '2' };

/** A process that stands still for so long while the commit of its INTENT is answered. */
function stoodStill(ms: number) {
  const clock = virtualClock();
  let passed = 0;
  const inner = memoryEngine();
  const [reaching, going] = [gate(), gate()];
  const asked: string[] = [];
  const append: Engine['append'] = async (claim, batch) => {
    await inner.append(claim, batch);
    if (!batch.entries.some(({ body }) => body.includes('"intent"'))) return;
    passed = ms;
    reaching.open();
    await going.opened;
  };
  const renew: Engine['renew'] = (signs, how) => {
    asked.push(...signs.map(({ claim }) => claim.runId));
    return inner.renew(signs, how);
  };
  const late = { ...clock, now: () => clock.now() + passed, monotonic: () => clock.monotonic() + passed };
  const stage = new Stage(late, { ...inner, append, renew });
  const made: string[] = [];
  const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
    const undo = async (): Promise<void> => undefined;
    return done(await run.step('pay', null, () => made.push('pay'), { class: 'undoable', compensate: undo }));
  });
  return { stage, life, made, asked, reached: reaching.opened, goOn: () => going.open() };
}

describe('an act that its process comes to after the deadline of its INTENT', () => {
  it('is not made where a dispatcher has given the run to another one meanwhile [R10-SIM-LATE-ACT]', async () => {
    const { stage, life, made, reached, goOn } = stoodStill(DEADLINE_MS);
    const ended = life.start().catch((error: unknown) => error);
    await reached;
    await stage.engine.claim(RUN, { owner: OTHER, now: stage.clock.now(), leaseMs: 1e9, isGone: () => true });
    goOn();
    expect(await ended).toMatchObject({ code: 'JOURNAL_CONFLICT' });
    expect(made).toEqual([]);
  });

  it('is made where the run is still its own [R10-SIM-LATE-ACT]', async () => {
    const { life, made, asked, reached, goOn } = stoodStill(DEADLINE_MS);
    const ended = life.start();
    await reached;
    goOn();
    expect(await ended).toMatchObject({ stop: 'done' });
    expect([made, asked]).toEqual([['pay'], [RUN]]);
  });

  it('is made without asking anybody where the deadline has not come [R10-SIM-LATE-ACT]', async () => {
    const { life, made, asked, reached, goOn } = stoodStill(DEADLINE_MS - 1);
    const ended = life.start();
    await reached;
    goOn();
    expect(await ended).toMatchObject({ stop: 'done' });
    expect([made, asked]).toEqual([['pay'], []]);
  });
});
