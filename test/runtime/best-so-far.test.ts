import { budget, done, failed, type Outcome, type Run, type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, eventsOf, moving, RUN } from './stage.js';

const session: Session = { name: 'q', model: scriptedModel({ q: () => 'x' }), setup: '' };

/** A plain loop that catches nothing. */
async function climb(run: Run): Promise<Outcome<number>> {
  for (let n = 1; ; n++) {
    await run.ask(session, `try ${n}`);
    run.best(n);
  }
}

describe('the best value so far', () => {
  it('is the partial value where a plain loop hits a bound, also after a crash [R11-N7-PARTIAL]', async () => {
    const stage = moving();
    expect(await stage.open(climb).start(null, { modelCalls: 3 })).toMatchObject({ stop: 'bounded', partial: 3 });
    const other = moving();
    await other.crashed(climb, at('after', 'ask-end', 2), { limits: { modelCalls: 4 } }); // the third call was cut off, and counts
    const outcome = await other.open(climb).resume();
    expect(outcome).toMatchObject({ stop: 'bounded', partial: 3 });
    expect((await other.events('best')).map(({ value }) => value)).toEqual([1, 2, 3]);
  });

  it('is not what code tells that was left behind when the run ended [R11-N7-PARTIAL]', async () => {
    const stage = moving();
    const leaving = async (run: Run): Promise<Outcome<number>> => {
      run.step('slow', null, () => new Promise(() => undefined), 'pure').catch(() => run.best('too late'));
      await run.step('quick', null, () => 1, 'pure');
      return failed({ code: 'EFFECT_FAILED', message: 'it failed', retryable: false });
    };
    const outcome = await stage.open(leaving).start();
    expect(outcome).toMatchObject({ stop: 'failed' });
    expect('partial' in outcome).toBe(false);
    expect(await stage.events('best')).toEqual([]); // a journal that says more than the outcome contradicts it
  });

  it('is the partial value of a cancelled and of a failed run, and of no run that says what it has [R11-N7-PARTIAL]', async () => {
    const stage = moving();
    const wait = async (run: Run): Promise<Outcome<number>> => {
      run.best(7);
      await run.wait({ name: 'go' });
      return done(1);
    };
    const life = stage.open(wait);
    await life.start();
    await life.runtime.cancel(RUN, { by: 'ann', why: 'enough' });
    expect(await life.resume()).toMatchObject({ stop: 'cancelled', partial: 7 });
    const failing =
      (partial?: number) =>
      async (run: Run): Promise<Outcome<number>> => {
        run.best(7);
        const failure = { code: 'EFFECT_FAILED', message: 'no', retryable: false } as const;
        return partial === undefined ? failed(failure) : failed(failure, { partial });
      };
    expect(await moving().open(failing()).start()).toMatchObject({ stop: 'failed', partial: 7 });
    expect(await moving().open(failing(8)).start()).toMatchObject({ stop: 'failed', partial: 8 });
    const throwing = async (run: Run): Promise<Outcome<number>> => {
      run.best(7);
      throw new Error('no');
    };
    expect(await moving().open(throwing).start()).toMatchObject({ stop: 'failed', partial: 7 });
  });

  it('is the partial value of a run that is cancelled while only code of another version is there [R19-BEST-KEPT]', async () => {
    const stage = moving();
    const first = stage.open(async (run: Run): Promise<Outcome<number>> => {
      run.best(1);
      return done(await run.step('pay', null, async () => 2, { class: 'irreversible' }));
    });
    expect(await first.start()).toMatchObject({ stop: 'suspended' });
    first.die();
    const second = stage.open(async (run: Run) => done(await run.step('other', null, () => 2, 'pure')));
    await second.runtime.cancel(RUN, { by: 'ann' });
    expect(await second.resume()).toMatchObject({ stop: 'cancelled', partial: 1 });
  });

  it("of a child is the child's own, and survives a new generation of the run [R11-N7-PARTIAL]", async () => {
    const stage = moving();
    const agent = async (run: Run, input: unknown): Promise<Outcome<unknown>> => {
      if (input === null) {
        run.best('from the first generation');
        run.continueWith(1);
      }
      const child = await run.spawn(climb, null, { modelCalls: 2 });
      run.note({ kind: 'child', outcome: child });
      return climb(run.scope('again'));
    };
    const outcome = await stage.open(agent).start(null, { modelCalls: 2 });
    expect(outcome).toMatchObject({ stop: 'bounded', partial: 'from the first generation' });
    const [note] = await stage.events('note');
    expect(note?.event['outcome']).toMatchObject({ stop: 'bounded', partial: 2 });
  });

  it('of patterns in one another is that of the outermost that tells one [R11-N7-NESTED]', async () => {
    const nested = (how: { readonly outer?: string; readonly ownBest?: true }) => async (run: Run) =>
      run.enter(
        { pattern: 'outer', ...(how.ownBest ? { ownBest: true } : {}) },
        async (on): Promise<Outcome<unknown>> => {
          if (how.outer !== undefined) on.best(how.outer);
          await on.enter({ pattern: 'inner' }, async (inside) => inside.best('inner'));
          throw new Error('no');
        },
      );
    expect(await moving().open(nested({})).start()).toMatchObject({ partial: 'inner' });
    expect(
      await moving()
        .open(nested({ outer: 'outer' }))
        .start(),
    ).toMatchObject({ partial: 'outer' });
    expect(
      await moving()
        .open(nested({ ownBest: true }))
        .start(),
    ).not.toHaveProperty('partial');
    const stage = moving();
    await stage.open(nested({ outer: 'outer' })).start();
    expect((await stage.events('best')).map(({ value, level }) => [value, level])).toEqual([
      ['outer', ''],
      ['inner', undefined],
    ]);
  });

  it('is a stream of improvements for whoever follows the run [R11-N7-STREAM]', async () => {
    const stage = moving();
    const life = stage.open(climb);
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget({ modelCalls: 3 }) });
    const seen: unknown[] = [];
    for await (const event of handle.events()) if (event.type === 'best') seen.push(event.value);
    expect(seen).toEqual([1, 2, 3]);
    expect((await handle.outcome()).stop).toBe('bounded');
    expect(eventsOf(await stage.entries(), 'best').every(({ level }) => level === '')).toBe(true);
  });
});
