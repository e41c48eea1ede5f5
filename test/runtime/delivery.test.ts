import { budget, done, type Outcome, type Run } from 'flyball';
import { autoClock, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, eventsOf, gate, moving, RUN, Stage, still } from './stage.js';

describe('completions', () => {
  it('reach raw promises in the order of the journal, live and on replay alike [R2-DELIVERY-ORDER]', async () => {
    const stage = moving();
    const delays: Readonly<Record<string, number>> = { a: 30, b: 10, c: 20, d: 10 };
    const lives: string[][] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const seen: string[] = [];
      lives.push(seen);
      const effect = async (name: string): Promise<string> => {
        const value = await run.step(
          name,
          null,
          () =>
            new Promise<string>((resolve) => {
              stage.clock.after(delays[name] ?? 0, () => resolve(name));
            }),
          'pure',
        );
        seen.push(value);
        // what each one asks next depends on what the others did before it: any other order diverges
        await run.step(`${name} after ${seen.join('')}`, seen.length, () => null, 'pure');
        return value;
      };
      const race = await Promise.race([effect('a'), effect('b')]);
      const both = await Promise.all([effect('c'), effect('d')]);
      await run.wait({ name: 'go' });
      return done({ race, both, seen });
    };
    const life = stage.open(agent);
    expect(await life.start()).toMatchObject({ stop: 'suspended' });
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    const outcome = await second.resume();
    expect(outcome).toMatchObject({ stop: 'done', value: { race: 'b', both: ['c', 'd'] } });
    expect(lives).toHaveLength(2);
    expect(lives[1]).toEqual(lives[0]);
  });

  it('come one per macrotask: the code reacts to one before it sees the next [R2-DELIVERY-ORDER]', async () => {
    const stage = moving();
    const order: string[] = [];
    await stage
      .open(async (run: Run) => {
        const react = async (name: string): Promise<void> => {
          await run.step(name, null, () => name, 'pure');
          order.push(`${name} delivered`);
          for (let turn = 0; turn < 20; turn++) await Promise.resolve(); // a long chain of microtasks
          order.push(`${name} reacted`);
        };
        await Promise.all([react('a'), react('b')]);
        return done(null);
      })
      .start();
    expect(order).toEqual(['a delivered', 'a reacted', 'b delivered', 'b reacted']);
  });

  it('are answered from history before anything new starts [R2-DELIVERY-ORDER]', async () => {
    const stage = still();
    const hold = gate();
    const started: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const step = (name: string, body: () => unknown = () => null): Promise<unknown> =>
        run.step(
          name,
          null,
          () => {
            started.push(name);
            return body();
          },
          'idempotent',
        );
      const slow = step('slow', () => hold.opened);
      await step('one');
      await step('two');
      await step('three');
      return done(await slow);
    };
    const life = stage.open(agent);
    void life.start();
    await turns(60);
    life.die();
    expect(started).toEqual(['slow', 'one', 'two', 'three']);
    started.length = 0;
    hold.open();
    const outcome = stage.open(agent).resume();
    expect(await outcome).toMatchObject({ stop: 'done' });
    const entries = await stage.entries();
    const lastAttempt = entries.findLastIndex(({ event }) => event.type === 'attempt-start');
    const later = eventsOf(entries.slice(lastAttempt), 'intent').map(({ name }) => name);
    expect(later).toContain('slow'); // repeated only in the second life, after the history was answered
    expect(started.filter((name) => name === 'one')).toEqual([]);
  });

  it('carry the time at which they were recorded, live and on replay alike [R2-RUN-NOW]', async () => {
    const stage = moving();
    const seen: number[][] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const times = [run.now()];
      seen.push(times);
      await run.sleep(1000);
      times.push(run.now());
      await run.step('x', null, () => null, 'pure');
      times.push(run.now());
      await run.sleep(86_400_000);
      times.push(run.now());
      return done(times);
    };
    const life = stage.open(agent, { options: { worker: true, pollMs: 1e9 } });
    const outcome = await (await life.runtime.start('agent', null, { id: RUN, budget: budget() })).finished();
    const [, ...replays] = seen;
    expect(replays.length).toBeGreaterThan(0);
    const told = (outcome as { readonly value: readonly number[] }).value;
    for (const times of replays) expect(times).toEqual(told.slice(0, times.length));
    const [start = 0, second = 0, third = 0, last = 0] = seen.at(-1) ?? [];
    expect(second - start).toBeGreaterThanOrEqual(1000);
    expect(third).toBeGreaterThanOrEqual(second);
    expect(last - third).toBeGreaterThanOrEqual(86_400_000);
  });

  it('a replay is not idle time for a clock that moves by itself [R2-KIT-CLOCK]', async () => {
    const stage = new Stage(autoClock());
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 20; n++) await run.step('x', n, () => n, 'pure');
      await run.wait({ name: 'go' });
      return done(await run.step('y', null, () => 'done', 'pure'));
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done' });
  });
});

describe('parts that began in different processes', () => {
  it('begin one after the other on every replay, and see what they saw then [R2-DELIVERY-ORDER]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const seen: string[] = [];
      const one = run.within({ share: 0.4 }, async (part) => {
        const slept = part.sleep(1000); // written at once: the start of the other part is in the write after it
        await Promise.resolve();
        seen.push('one');
        await slept;
      });
      const two = run.within({ share: 0.4 }, (part) => part.step('two', [...seen], (known) => known, 'pure'));
      return done((await Promise.all([one, two]))[1]);
    };
    const begun = async () => (await stage.events('spawn-start')).map(({ path }) => path);
    await stage.crashed(agent, at('before', 'spawn-start', 2));
    expect(await begun()).toEqual(['/within.0']);

    const second = stage.open(agent);
    expect(await second.resume()).toMatchObject({ stop: 'suspended' });
    expect(await begun()).toEqual(['/within.0', '/within.1']);
    second.die();

    await new Promise<void>((resolve) => void stage.clock.after(1000, resolve));
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: ['one'] });
  });
});

describe('random numbers', () => {
  it('are the same on replay, and differ by draw, scope and run [R2-RUN-RANDOM]', async () => {
    const stage = moving();
    const drawn: number[][] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const numbers = [run.random(), run.random(), run.scope('a').random(), run.scope('b').random()];
      drawn.push(numbers);
      await run.wait({ name: 'go' });
      return done(null);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    await second.resume();
    expect(drawn[1]).toEqual(drawn[0]);
    expect(new Set(drawn[0]).size).toBe(4);
    for (const number of drawn[0] ?? []) expect(number >= 0 && number < 1).toBe(true);
    const other = moving();
    await (await other.open(agent).runtime.start('agent', null, { id: 'another', budget: budget() })).outcome();
    expect(drawn[2]).not.toEqual(drawn[0]);
  });
});

describe('notes', () => {
  it('are in the journal once, however often the code is replayed [R2-RUN-NOTE]', async () => {
    const stage = moving();
    let told = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      told++;
      run.note({ kind: 'phase', phase: 'plan' });
      await run.step('x', null, () => null, 'pure');
      run.scope('sub').note({ kind: 'verdict', good: true });
      await run.wait({ name: 'go' });
      run.note({ kind: 'phase', phase: 'act' });
      return done(null);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    await second.resume();
    expect(told).toBe(2);
    expect(await stage.events('note')).toEqual([
      { type: 'note', path: '', event: { kind: 'phase', phase: 'plan' } },
      { type: 'note', path: '/sub', event: { kind: 'verdict', good: true } },
      { type: 'note', path: '', event: { kind: 'phase', phase: 'act' } },
    ]);
  });

  it('of changed code do not divert a replay: they are told, never replayed from the journal [R2-RUN-NOTE]', async () => {
    const stage = moving();
    const agent =
      (notes: readonly string[]) =>
      async (run: Run): Promise<Outcome<unknown>> => {
        for (const kind of notes) run.note({ kind });
        return done(await run.wait({ name: 'go' }));
      };
    const life = stage.open(agent(['a', 'b']));
    await life.start();
    life.die();
    const second = stage.open(agent([]));
    await second.runtime.signal(RUN, 'go', 1);
    expect(await second.resume()).toMatchObject({ stop: 'done', value: 1 });
  });
});
