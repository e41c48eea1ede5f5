import { done, type EffectClass, type Outcome, type Run, type Verification } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { declareOwnerGone, knownOwners } from '../../packages/flyball/src/operation/owners.js';
import { at, eventsOf, type Life, type LifeOptions, RUN, still, answer as tell } from './stage.js';

type Answer = Verification<string>['happened'] | 'none' | 'throws';

/** An act whose process died after INTENT. `verify` answers as told; the world knows how often it was made. */
function scene(kind: 'idempotent' | 'undoable' | 'irreversible', answer: Answer, timeoutMs = 10_000) {
  const stage = still();
  const world = { made: [] as string[], verified: 0, undone: 0 };
  const verify = async (): Promise<Verification<string>> => {
    world.verified++;
    if (answer === 'throws') throw new Error('cannot look');
    return answer === 'yes' ? { happened: 'yes', result: 'found it done' } : { happened: answer as 'no' | 'unknown' };
  };
  const rules = {
    class: kind,
    timeoutMs,
    ...(answer === 'none' ? {} : { verify }),
    ...(kind === 'undoable'
      ? {
          compensate: async () => {
            world.undone++;
          },
        }
      : {}),
  } as EffectClass<null, string>;
  const agent = async (run: Run): Promise<Outcome<unknown>> =>
    done(
      await run.step(
        'pay',
        null,
        (_input, { key }) => {
          world.made.push(key);
          return 'paid';
        },
        rules,
      ),
    );
  const options = { leaseMs: 15_000 };
  /** Dies right after INTENT, before the body ran. */
  const crash = async (gone: boolean): Promise<void> => {
    const life = stage.open(agent, { crash: at('after', 'intent'), options });
    void life.start();
    if (kind === 'irreversible') {
      await turns();
      await tell(life.runtime, RUN, 'approve:#0', { verdict: 'approve' });
    }
    await life.crashed;
    if (gone) life.die();
    else life.vanish();
  };
  /** Opens the next life; what it comes to without anyone's help is in `outcome`. */
  const wake = async (how: LifeOptions = {}): Promise<Life & { readonly outcome: () => Promise<Outcome<unknown>> }> => {
    const life = stage.open(agent, { options, ...how });
    const handle = await life.runtime.resume(RUN);
    const ended = handle.outcome();
    return {
      ...life,
      outcome: async () => {
        await stage.clock.advance(100);
        return ended;
      },
    };
  };
  return { stage, world, crash, wake };
}

const ACTS = ['undoable', 'irreversible'] as const;

describe('an INTENT without an end', () => {
  it.each([true, false])(
    'of an idempotent effect runs again under the same key, owner gone: %s [R2-DOUBT-IDEMPOTENT] [R2-CLASSES]',
    async (gone) => {
      const { stage, world, crash, wake } = scene('idempotent', 'no');
      await crash(gone);
      await stage.clock.advance(20_000);
      const life = await wake();
      expect(await life.outcome()).toMatchObject({ stop: 'done', value: 'paid' });
      expect(world).toMatchObject({ made: ['run:0:#0'], verified: 0 });
      expect((await stage.events('intent')).map(({ key, attempt }) => [key, attempt])).toEqual([
        ['run:0:#0', 1],
        ['run:0:#0', 2],
      ]);
      expect(await stage.events('complete')).toMatchObject([{ how: 'repeated' }]);
    },
  );

  for (const kind of ACTS) {
    for (const gone of [true, false]) {
      it(`of an ${kind} effect is believed when verify says yes, owner gone: ${gone} [R2-DOUBT-VERIFY] [R2-SHOW-ONCE]`, async () => {
        const { stage, world, crash, wake } = scene(kind, 'yes');
        await crash(gone);
        await stage.clock.advance(20_000);
        const life = await wake();
        expect(await life.outcome()).toMatchObject({ stop: 'done', value: 'found it done' });
        expect(world).toMatchObject({ made: [], verified: 1 });
        expect(await stage.events('complete')).toMatchObject([{ how: 'verified' }]);
      });

      for (const answer of ['unknown', 'none', 'throws'] as const) {
        it(`of an ${kind} effect waits for a person when verify is ${answer}, owner gone: ${gone} [R2-DOUBT-PERSON] [R2-SHOW-ONCE]`, async () => {
          const { stage, world, crash, wake } = scene(kind, answer);
          await crash(gone);
          await stage.clock.advance(20_000);
          const life = await wake();
          expect(await life.outcome()).toMatchObject({
            stop: 'suspended',
            waiting: [{ kind: 'doubt', effect: '#0!doubt1', request: { action: 'pay', key: 'run:0:#0' } }],
          });
          expect(world.made).toEqual([]);
          expect(await stage.events('doubt')).toMatchObject([{ id: '#0', attempt: 1, name: 'pay' }]);
        });
      }
    }

    it(`of an ${kind} effect is repeated when verify says no and the owner is proven gone [R2-DOUBT-GONE]`, async () => {
      const { stage, world, crash, wake } = scene(kind, 'no');
      await crash(true);
      await stage.clock.advance(20_000);
      const life = await wake();
      expect(await life.outcome()).toMatchObject({ stop: 'done', value: 'paid' });
      expect(world).toMatchObject({ made: ['run:0:#0'], verified: 1 });
      expect(await stage.events('intent')).toHaveLength(2);
      expect(eventsOf(await stage.entries(), 'wait-start')).toHaveLength(kind === 'irreversible' ? 1 : 0); // approved once is approved
    });

    it(`of an ${kind} effect waits for a person when verify says no but the owner may be alive: an expired lease is no proof [R2-DOUBT-GONE] [R2-DOUBT-PERSON]`, async () => {
      const { stage, world, crash, wake } = scene(kind, 'no');
      await crash(false);
      await stage.clock.advance(20_000);
      const life = await wake();
      const why =
        'pay was started, but its end was not recorded, and a check says that it did not happen, but the process that started it may still be running. Did it happen?';
      expect(await life.outcome()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt', request: { why } }] });
      expect(world.made).toEqual([]);
      expect(await stage.events('doubt')).toMatchObject([{ why: expect.stringContaining('may still be running') }]);
    });

    it(`of an ${kind} effect is asked about for the recorded reason by the process after the one that recorded it [R19-DOUBT-WHY]`, async () => {
      const { stage, world, crash, wake } = scene(kind, 'no');
      await crash(false);
      await stage.clock.advance(20_000);
      const second = await wake({ crash: at('after', 'doubt') });
      await stage.clock.advance(100);
      await second.crashed;
      second.die();
      expect(await stage.events('doubt')).toHaveLength(1);
      const third = await wake();
      const why = expect.stringContaining(
        'a check says that it did not happen, but the process that started it may still be running.',
      );
      expect(await third.outcome()).toMatchObject({
        stop: 'suspended',
        waiting: [{ kind: 'doubt', request: { why } }],
      });
      expect(world.verified).toBe(1);
    });

    it(`of an ${kind} effect is not examined before its deadline [R2-DOUBT-DEADLINE]`, async () => {
      const { stage, world, crash, wake } = scene(kind, 'yes', 95_000 /* and 5 s in which a stopped body may settle */);
      await crash(true);
      await stage.clock.advance(20_000);
      const life = await wake();
      expect(await life.outcome()).toMatchObject({
        stop: 'suspended',
        waiting: [{ kind: 'sleep', until: stage.clock.now() + 80_000 - 100 }],
      });
      expect(world.verified).toBe(0);
      await stage.clock.advance(79_000);
      const early = await wake();
      expect(await early.outcome()).toMatchObject({ stop: 'suspended' });
      expect(world.verified).toBe(0);
      await stage.clock.advance(1000);
      const late = await wake();
      expect(await late.outcome()).toMatchObject({ stop: 'done', value: 'found it done' });
      expect(world.verified).toBe(1);
    });
  }
});

describe('a person who is asked about a doubt', () => {
  async function doubted(): Promise<ReturnType<typeof scene> & { readonly life: Life }> {
    const given = scene('undoable', 'unknown');
    await given.crash(true);
    await given.stage.clock.advance(20_000);
    const life = await given.wake();
    await life.outcome();
    return { ...given, life };
  }

  it('says that it happened, with the result, and it is not made [R2-DOUBT-PERSON]', async () => {
    const { stage, world, life } = await doubted();
    await tell(life.runtime, RUN, 'doubt:#0', { happened: true, result: 'receipt 7' }, { from: 'ada' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'receipt 7' });
    expect(world.made).toEqual([]);
    expect(await stage.events('complete')).toMatchObject([{ how: 'person', result: 'receipt 7' }]);
    expect(await stage.events('wait-end')).toMatchObject([{ from: 'ada' }]);
  });

  it('says that it did not happen, and it is made under the same key [R2-DOUBT-PERSON]', async () => {
    const { stage, world, life } = await doubted();
    await tell(life.runtime, RUN, 'doubt:#0', { happened: false });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'paid' });
    expect(world.made).toEqual(['run:0:#0']);
    expect((await stage.events('intent')).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('is asked again for the next INTENT: what was said of one attempt says nothing about the next [R2-DOUBT-PERSON]', async () => {
    const { stage, world, life } = await doubted();
    await tell(life.runtime, RUN, 'doubt:#0', { happened: false });
    life.die();
    // the second attempt dies after its INTENT too
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(
        await run.step('pay', null, () => 'paid', {
          class: 'undoable',
          timeoutMs: 10_000,
          compensate: async () => undefined,
        }),
      );
    const dying = stage.open(agent, { crash: at('after', 'intent') });
    void dying.resume();
    await dying.crashed;
    dying.die();
    await stage.clock.advance(20_000);
    const third = stage.open(agent);
    const handle = await third.runtime.resume(RUN);
    const ended = handle.outcome();
    await stage.clock.advance(100);
    expect(await ended).toMatchObject({
      stop: 'suspended',
      waiting: [{ kind: 'doubt', name: 'doubt:#0:2', effect: '#0!doubt2' }],
    });
    expect(world.made).toEqual([]);
    expect((await stage.events('doubt')).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('answers something else, which is refused, and the doubt stays open [R2-BAD-SIGNAL]', async () => {
    const { stage, world, life } = await doubted();
    await tell(life.runtime, RUN, 'doubt:#0', { maybe: true });
    const handle = await life.runtime.resume(RUN);
    const ended = handle.outcome();
    await stage.clock.advance(100);
    expect(await ended).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    expect(await stage.events('signal-refused')).toMatchObject([
      { name: 'doubt:#0', why: expect.stringContaining('happened') },
    ]);
    expect(world.made).toEqual([]);
  });
});

describe('an effect that cannot tell what happened', () => {
  it('says so itself, and the doubt is resolved like any other [R2-DOUBT-VERIFY]', async () => {
    const stage = still();
    const life = stage.open(async (run: Run) =>
      done(
        await run.step<null, string>(
          'pay',
          null,
          () => {
            throw Object.assign(new Error('connection lost after sending'), { inDoubt: true });
          },
          {
            class: 'undoable',
            verify: async () => ({ happened: 'yes', result: 'paid' }),
            compensate: async () => undefined,
          },
        ),
      ),
    );
    expect(await life.start()).toMatchObject({ stop: 'done', value: 'paid' });
    expect(await stage.events('complete')).toMatchObject([{ how: 'verified' }]);
  });

  it('and did not happen is a failure, not a second attempt', async () => {
    const stage = still();
    let made = 0;
    const life = stage.open(async (run: Run) => {
      await run.step(
        'pay',
        null,
        () => {
          made++;
          throw Object.assign(new Error('connection lost'), { inDoubt: true });
        },
        { class: 'undoable', verify: async () => ({ happened: 'no' }), compensate: async () => undefined },
      );
      return done(null);
    });
    expect(await life.start()).toMatchObject({ stop: 'failed', because: 'connection lost' });
    expect(made).toBe(1);
  });
});

describe('an owner that an operator declares gone', () => {
  it('counts as proven gone: an act that verify says did not happen is made again [R8-OPS-OWNER]', async () => {
    const { stage, world, crash, wake } = scene('undoable', 'no', 5_000);
    await crash(false);
    await stage.clock.advance(12_000); // past the time limit of the act; its lease still holds
    const declared = { at: stage.clock.now(), by: 'operator', action: 'owner-gone', of: 'life-1' } as const;
    expect(await stage.engine.declareGone(declared)).toEqual([RUN]);
    const life = await wake();
    expect(await life.outcome()).toMatchObject({ stop: 'done', value: 'paid' });
    expect(world.made).toHaveLength(1);
  });

  it('is heard by a run that another process took over and that sleeps until the deadline [R8-REST-OWNER]', async () => {
    const { stage, crash, wake } = scene('undoable', 'none', 95_000);
    await crash(false);
    await stage.clock.advance(20_000); // its lease is over
    const second = await wake();
    expect(await second.outcome()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'sleep' }] });
    const { owners } = await knownOwners(stage.engine);
    expect(owners).toMatchObject([
      { owner: { id: 'life-1' }, runs: [], left: [{ run: RUN, name: 'pay', asked: false }] },
    ]);
    const declared = { at: stage.clock.now(), by: 'operator', action: 'owner-gone', of: 'life-1' } as const;
    const heard = await declareOwnerGone(stage.engine, declared, owners[0]?.left ?? []);
    expect(heard).toEqual({ held: [], woken: [RUN] });
    expect((await stage.engine.get(RUN))?.status).toBe('pending');
    const third = await wake();
    expect(await third.outcome()).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    expect((await knownOwners(stage.engine)).owners).toMatchObject([{ left: [{ run: RUN, asked: true }] }]);
  });

  it('is needed: without it the same act waits for a person', async () => {
    const { stage, world, crash, wake } = scene('undoable', 'no');
    await crash(false);
    await stage.clock.advance(20_000);
    const life = await wake();
    expect(await life.outcome()).toMatchObject({ stop: 'suspended' });
    expect(world.made).toHaveLength(0);
  });
});
