import { done, type EffectClass, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { answer, at, gate, moving, RUN, still } from './stage.js';

/** A body that hears no abort signal and acts when the test lets it. */
function deafBody(world: string[], name: string) {
  const begun = gate();
  const act = gate();
  const body = async (): Promise<string> => {
    begun.open();
    await act.opened;
    world.push(name);
    return name;
  };
  return { begun: begun.opened, act: () => act.open(), body };
}

const undoing = (world: string[], more: object = {}): EffectClass<unknown, string> => ({
  class: 'idempotent',
  compensate: async (_input, result) => {
    world.push(`undo ${result}`);
  },
  ...more,
});

describe('a body that acts, when its run is cancelled', () => {
  it('is let to settle, and what it did is undone after it, not before [F-C2]', async () => {
    const stage = still();
    const world: string[] = [];
    const { begun, act, body } = deafBody(world, 'booked');
    const life = stage.open(async (run: Run) => done(await run.step('book', 1, body, undoing(world))));
    const ended = life.start();
    await begun;
    await life.runtime.cancel(RUN);
    await turns(50);
    expect(world).toEqual([]);
    act();
    expect(await ended).toMatchObject({
      stop: 'cancelled',
      rollback: { success: true, entries: [{ name: 'book', status: 'COMPENSATED' }] },
    });
    expect(world).toEqual(['booked', 'undo booked']);
  });

  it('and declares no compensation is in the report once it has acted [F-C2]', async () => {
    const stage = still();
    const world: string[] = [];
    const { begun, act, body } = deafBody(world, 'mail');
    const life = stage.open(async (run: Run) => done(await run.step('send', 1, body, 'idempotent')));
    const ended = life.start();
    await begun;
    await life.runtime.cancel(RUN);
    await turns(50);
    act();
    expect(await ended).toMatchObject({
      stop: 'cancelled',
      rollback: { success: false, entries: [{ name: 'send', status: 'CANNOT_ROLLBACK' }] },
    });
    expect(await stage.events('abort')).toEqual([]);
  });

  it('and never ends is in doubt after its time and a grace: nothing says that it did not take place [F-C2] [F-W6]', async () => {
    const stage = moving();
    const begun = gate();
    const body = (): Promise<string> => {
      begun.open();
      return new Promise(() => undefined);
    };
    const life = stage.open(async (run: Run) =>
      done(await run.step('send', 1, body, { class: 'idempotent', timeoutMs: 1000 })),
    );
    const ended = life.start();
    await begun.opened;
    const from = stage.clock.now();
    await life.runtime.cancel(RUN);
    expect(await ended).toMatchObject({ rollback: { entries: [{ name: 'send', status: 'IN_DOUBT' }] } });
    expect(stage.clock.now() - from).toBeGreaterThanOrEqual(6000);
    expect(await stage.events('complete')).toMatchObject([{ how: 'unknown', failure: { code: 'CANCELLED' } }]);
    expect(await stage.events('abort')).toEqual([]);
  });

  it('and never ends is undone, and the report says that it may act after that [F-C2]', async () => {
    const stage = moving();
    const world: string[] = [];
    const begun = gate();
    const body = (): Promise<string> => {
      begun.open();
      return new Promise(() => undefined);
    };
    const life = stage.open(async (run: Run) => done(await run.step('book', 1, body, undoing(world))));
    const ended = life.start();
    await begun.opened;
    await life.runtime.cancel(RUN);
    expect(await ended).toMatchObject({
      rollback: { success: false, entries: [{ status: 'IN_DOUBT', note: expect.stringContaining('still running') }] },
    });
    expect(world).toEqual(['undo undefined']);
    expect(await stage.events('operator-alert')).toHaveLength(1);
  });
});

describe('a body that acts, when its time is over', () => {
  it('and that acts a moment later has acted in time: its result counts [F-C2]', async () => {
    const stage = still();
    const world: string[] = [];
    const { begun, act, body } = deafBody(world, 'mail');
    const life = stage.open(async (run: Run) =>
      done(await run.step('send', 1, body, { class: 'idempotent', timeoutMs: 100 })),
    );
    const ended = life.start();
    await begun;
    await stage.clock.advance(200);
    act();
    expect(await ended).toMatchObject({ stop: 'done', value: 'mail' });
  });

  it('is no ABORT when it may have acted, and a rollback names it [F-C2] [F-W6]', async () => {
    const stage = moving();
    const body = (_input: unknown, { signal }: { readonly signal: AbortSignal }): Promise<string> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut off'))));
    const life = stage.open(async (run: Run) =>
      done(await run.step('send', 1, body, { class: 'idempotent', timeoutMs: 100 })),
    );
    expect(await life.start()).toMatchObject({
      stop: 'failed',
      failure: { code: 'EFFECT_TIMEOUT', message: expect.stringContaining('may have taken place') },
      rollback: { success: false, entries: [{ name: 'send', status: 'IN_DOUBT' }] },
    });
    expect(await stage.events('abort')).toEqual([]);
  });

  it('an error that it throws itself still says that it did not take place [F-C2] [F-W6]', async () => {
    const stage = moving();
    const refuse = (): never => {
      throw new Error('no such address');
    };
    const life = stage.open(async (run: Run) => done(await run.step('send', 1, refuse, 'idempotent')));
    const outcome = await life.start();
    expect(outcome).toMatchObject({ stop: 'failed' });
    expect(outcome).not.toHaveProperty('rollback');
    expect(await stage.events('abort')).toHaveLength(1);
  });
});

describe('a body that acts in a branch that lost', () => {
  it('is let to settle and undone before the winner is returned [F-C2]', async () => {
    const stage = still();
    const world: string[] = [];
    const win = gate<string>();
    const { begun, act, body } = deafBody(world, 'booked');
    const life = stage.open(async (run: Run) => {
      const winner = await run.first([
        (on) => on.step('win', 1, () => win.opened, 'pure'),
        (on) => on.step('book', 1, body, undoing(world)),
      ]);
      world.push('returned');
      return done(winner);
    });
    const ended = life.start();
    await begun;
    win.open('won');
    await turns(50);
    expect(world).toEqual([]);
    act();
    expect(await ended).toMatchObject({ stop: 'done', value: 'won' });
    expect(world).toEqual(['booked', 'undo booked', 'returned']);
  });

  it('and stays in doubt does not hold up the winner; it is undone when a person says that it happened [F-C2]', async () => {
    const stage = moving();
    const world: string[] = [];
    const begun = gate();
    const hang = (): Promise<string> => {
      begun.open();
      return new Promise(() => undefined);
    };
    const agent = async (run: Run) => {
      const winner = await run.first<unknown>([
        (on) => on.step('win', 1, () => begun.opened, 'pure'),
        (on) => on.step('book', 1, hang, undoing(world, { class: 'undoable', timeoutMs: 1000 })),
      ]);
      await run.step('go on', winner, () => world.push('went on'), 'idempotent');
      return done('won');
    };
    const life = stage.open(agent);
    expect(await life.start()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    expect(world).toEqual(['went on']);
    life.die();
    const second = stage.open(agent);
    await answer(second.runtime, RUN, 'doubt:/first.0.1#0', { happened: true, result: 'room 5' });
    expect(await second.resume()).toMatchObject({ stop: 'done', value: 'won' });
    expect(world).toEqual(['went on', 'undo room 5']);
    expect(await stage.events('rollback-end')).toMatchObject([{ report: { entries: [{ status: 'IN_DOUBT' }] } }]);
  });
});

describe('an act that a crash cut off, in a run that is cancelled meanwhile', () => {
  it('is not repeated when nothing could undo it [F-C3]', async () => {
    const stage = moving();
    let sent = 0;
    const agent = async (run: Run) => done(await run.step('send', 1, () => ++sent, 'idempotent'));
    await stage.crashed(agent, at('after', 'intent'));
    const life = stage.open(agent);
    await life.runtime.cancel(RUN, { by: 'ann', why: 'wrong address' });
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({
      stop: 'cancelled',
      rollback: { success: false, entries: [{ name: 'send', status: 'IN_DOUBT' }] },
    });
    expect(sent).toBe(0);
  });

  it('is said not to have taken place where that can be verified [F-C3]', async () => {
    const stage = moving();
    let sent = 0;
    const agent = async (run: Run) =>
      done(await run.step('send', 1, () => ++sent, { class: 'idempotent', verify: async () => ({ happened: 'no' }) }));
    await stage.crashed(agent, at('after', 'intent'));
    const life = stage.open(agent);
    await life.runtime.cancel(RUN);
    const outcome = await (await life.runtime.wake(RUN)).outcome();
    expect(outcome).toMatchObject({ stop: 'cancelled' });
    expect(outcome).not.toHaveProperty('rollback');
    expect(sent).toBe(0);
  });
});

describe('first, and then a new generation', () => {
  const losers: Readonly<Record<string, (on: Run) => Promise<unknown>>> = {
    'a child that waits': (on) =>
      on.spawn(
        async function child(run: Run) {
          await run.wait({ name: 'never' });
          return done(1);
        },
        1,
        { share: 0.5 },
      ),
    'a child with a step that is running': (on) =>
      on.spawn(
        async function child(run: Run) {
          await run.step('slow', 1, () => new Promise(() => undefined), 'pure');
          return done(1);
        },
        1,
        { share: 0.5 },
      ),
    'a pure step that is running': (on) => on.step('slow', 1, () => new Promise(() => undefined), 'pure'),
    'an act that is running': (on) =>
      on.step('slow', 1, () => new Promise(() => undefined), { class: 'idempotent', timeoutMs: 1000 }),
  };
  for (const [name, loser] of Object.entries(losers)) {
    it(`works when the loser is ${name} [F-C4]`, async () => {
      const stage = moving();
      const life = stage.open(async (run: Run, input: { readonly generation: number }) => {
        if (input.generation === 1) return done('second generation');
        await run.first<unknown>([(on) => on.step('win', 1, () => 1, 'idempotent'), loser]);
        return run.continueWith({ generation: 1 });
      });
      expect(await life.start({ generation: 0 })).toMatchObject({ stop: 'done', value: 'second generation' });
    });
  }
});
