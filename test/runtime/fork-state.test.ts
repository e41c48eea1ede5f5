import { budget, done, failed, type Outcome, type Run, type Tool } from 'flyball';
import { supervised } from 'flyball/patterns';
import { requestsIn } from 'flyball/people';
import { describe, expect, it } from 'vitest';
import { everyFork, lastOf, NO, toTheEnd, YES } from './fork-stage.js';
import { moving, RUN } from './stage.js';

const STAYS = { options: { suspendAfterMs: 60_000 } };
const NO_LUCK = failed({ code: 'EFFECT_FAILED', message: 'no', retryable: false });

function booking(world: string[]): Tool<{ readonly n: string }, string> {
  return {
    name: 'book',
    description: 'Books.',
    effect: { class: 'idempotent', compensate: async ({ n }) => void world.push(`undo ${n}`) },
    execute: async ({ n }) => {
      world.push(`book ${n}`);
      return 'booked';
    },
  };
}

describe('a fork of a later generation', () => {
  it('knows what people told the run in generations before [F-X9]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run, input) => {
      if (input === null) {
        await run.sleep(10);
        return run.continueWith(1);
      }
      const told = run.instructions().map(({ text }) => text);
      await run.step('think', { told }, () => 1, 'pure');
      await run.sleep(10);
      return done(run.instructions().map(({ text }) => text));
    }, STAYS);
    await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    await life.runtime.redirect(RUN, 'Never send to Bob', { by: 'ann' });
    expect(await toTheEnd(life, RUN)).toMatchObject({ value: ['Never send to Bob'] });
    const forks = await everyFork(stage, life, { run: RUN, generation: 1, live: false });
    expect(forks.map((fork) => (fork as { value?: unknown }).value)).toEqual(forks.map(() => ['Never send to Bob']));
  });

  it('sees in what it inherits what earlier generations had spent, and pays for none of it [F-X9]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run, input) => {
      if (input === null) {
        for (let n = 0; n < 3; n++) run.budget.take('iterations');
        await run.sleep(1);
        return run.continueWith(1);
      }
      await run.step('left', { left: run.budget.remaining('iterations') }, () => 1, 'pure');
      await run.sleep(5);
      return done(run.budget.spent().iterations);
    }, STAYS);
    expect(await life.start()).toMatchObject({ value: 3 });
    for (const fork of await everyFork(stage, life, { run: RUN, generation: 1, live: false }))
      expect(fork).toMatchObject({ stop: 'done', usage: { iterations: 0 } });
  });

  it('of a fork sees what that fork had spent in its own part, as it saw it [F-X9]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      for (let n = 0; n < 3; n++) {
        run.budget.take('iterations');
        await run.step('left', { left: run.budget.remaining('iterations') }, () => n, 'pure');
        await run.sleep(5);
      }
      return done(run.budget.spent().iterations);
    }, STAYS);
    await life.start();
    const [first] = (await stage.entries()).filter(({ event }) => event.type === 'sleep-end');
    await life.runtime.fork(RUN, { at: first?.seq ?? -1, id: 'fork', budget: budget({ iterations: 9 }) });
    expect(await toTheEnd(life, 'fork')).toMatchObject({ stop: 'done', value: 2 });
    for (const { at, ...fork } of await everyFork(stage, life, { run: 'fork', generation: 0, live: false }))
      expect(fork, `fork at ${at}`).toMatchObject({ stop: 'done' });
  });

  it('undoes what it did itself, and nothing that its parent undid passes for that [F-X3]', async () => {
    const stage = moving();
    const world: string[] = [];
    const book = booking(world);
    let more = false;
    const life = stage.open(async (run: Run, input) => {
      if (input === null) {
        for (const n of ['a', 'b', 'c']) await run.call(book, { n });
        return run.continueWith(1);
      }
      await run.call(book, { n: 'd' });
      if (more) for (const n of ['e', 'f']) await run.call(book, { n });
      return NO_LUCK;
    }, STAYS);
    expect(await life.start()).toMatchObject({ stop: 'failed', rollback: { success: true } });
    more = true;
    const entries = (await stage.entries()).filter(({ generation }) => generation === 1);
    for (const { seq } of entries.filter(({ event }) => event.type === 'complete')) {
      world.length = 0;
      const id = `fork-${seq}`;
      await life.runtime.fork(RUN, { at: seq, generation: 1, live: true, id });
      expect(await toTheEnd(life, id)).toMatchObject({ stop: 'failed' });
      const booked = world.filter((said) => said.startsWith('book')).map((said) => said.slice(5));
      const undone = world.filter((said) => said.startsWith('undo')).map((said) => said.slice(5));
      expect(booked.length).toBeGreaterThan(0);
      expect(undone).toEqual(booked.reverse());
    }
  });
});

describe('a fork and who it is', () => {
  it("repeats the id and the subject that went into its parent's effects, whoever makes it [F-X8]", async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      const before = [run.id, run.subject];
      await run.step('open ticket', { ref: run.id, for: run.subject }, () => 1, 'pure');
      await run.sleep(5);
      await run.step('close ticket', { ref: run.id, for: run.subject }, () => 1, 'pure');
      return done([before, run.id, run.subject]);
    }, STAYS);
    await life.runtime.start('agent', null, { id: RUN, budget: budget(), subject: 'customer' });
    await toTheEnd(life, RUN);
    for (const by of [undefined, 'operator'] as const) {
      const of = { run: RUN, generation: 0, live: false, ...(by === undefined ? {} : { by }) };
      for (const { at, ...fork } of await everyFork(stage, life, of))
        expect(fork, `fork at ${at}`).toMatchObject({
          stop: 'done',
          value: [[expect.any(String), 'customer'], expect.any(String), 'customer'],
        });
    }
  });

  it('has its own id once it does what its parent did not, in every life the same [F-X8]', async () => {
    const stage = moving();
    const ids: string[] = [];
    const agent = async (run: Run) => {
      await run.step('a', run.id, () => 1, 'pure');
      const waited = run.wait({ name: 'go', request: run.id });
      ids.push(run.id);
      await waited;
      await run.step('b', run.id, () => ids.push(`acts as ${run.id}`), 'pure');
      return done(run.id);
    };
    const life = stage.open(agent);
    await life.start();
    const point = lastOf(await stage.entries(), 'wait-start');
    await (await life.runtime.fork(RUN, { at: point, id: 'first', by: 'ada' })).outcome();
    expect(await life.runtime.get('first')).toMatchObject({ subject: 'ada' });
    await life.runtime.signal('first', 'go');
    life.die();
    const next = stage.open(agent); // another process replays the fork's own part too
    expect(await (await next.runtime.wake('first')).outcome()).toMatchObject({ stop: 'done', value: 'first' });

    const ofFork = lastOf(await stage.entries('first'), 'complete');
    const second = await next.runtime.fork('first', { at: ofFork, id: 'second' });
    expect(await second.outcome()).toMatchObject({ stop: 'done', value: 'second' });
    expect(ids.filter((said) => said.startsWith('acts'))).toEqual(['acts as first']);
  });

  it('is asked about by guards as who made it [F-X8]', async () => {
    const stage = moving();
    const asked: string[] = [];
    const act: Tool<null, number> = { name: 'act', description: 'Acts.', effect: 'pure', execute: async () => 1 };
    const life = stage.open(
      async (run: Run) => {
        await run.sleep(5);
        await run.call(act, null);
        return done(run.subject);
      },
      {
        ...STAYS,
        seams: {
          'tool.pre': [
            (next) => (value, ctx) => {
              asked.push(`${ctx.runId} ${ctx.subject}`);
              return next(value, ctx);
            },
          ],
        },
      },
    );
    await life.runtime.start('agent', null, { id: RUN, budget: budget(), subject: 'customer' });
    await toTheEnd(life, RUN);
    await life.runtime.fork(RUN, { at: lastOf(await stage.entries(), 'sleep-end'), id: 'fork', by: 'operator' });
    expect(await toTheEnd(life, 'fork')).toMatchObject({ value: 'customer' });
    expect(asked).toEqual([`${RUN} customer`, 'fork operator']);
  });
});

describe('the approval of a live fork', () => {
  const acting = (acts: string[]) => async (run: Run, input: unknown) => {
    const n = (input as number | null) ?? 0;
    await run.step('act', n, () => acts.push(`act ${n}`), 'idempotent');
    return n < 3 ? run.continueWith(n + 1) : done(n);
  };

  it.each([
    ['yes', YES, 4],
    ['no', NO, 0],
  ] as const)(
    'is asked once, whatever number of generations follow, and a %s stands [F-X10]',
    async (_word, verdict, made) => {
      const stage = moving();
      const acts: string[] = [];
      const agent = acting(acts);
      const life = stage.open(
        (run: Run, input: unknown) =>
          agent(run, input).catch((error) => {
            if (error.code !== 'APPROVAL_REJECTED') throw error;
            const n = (input as number | null) ?? 0;
            return n < 3 ? run.continueWith(n + 1) : done(n);
          }),
        STAYS,
      );
      await life.start();
      acts.length = 0;
      let asked = 0;
      await life.runtime.fork(RUN, { at: 0, generation: 0, live: true, id: 'fork' });
      const outcome = await toTheEnd(life, 'fork', () => {
        asked++;
        return verdict;
      });
      expect(outcome).toMatchObject({ stop: 'done', value: 3 });
      expect(asked).toBe(1);
      expect(acts).toHaveLength(made);
    },
  );

  const threeBranches = (acts: string[]) => async (run: Run) => {
    const branches = [1, 2, 3].map((n) => (on: Run) => on.step('act', n, () => acts.push(`act ${n}`), 'idempotent'));
    return done((await run.all(branches, 3)).map(({ ok }) => ok));
  };

  it.each([
    ['yes', YES, [true, true, true]],
    ['no', NO, [false, false, false]],
  ] as const)('is asked once for all branches, and a %s is for each of them [F-X10]', async (_word, verdict, ok) => {
    const stage = moving();
    const acts: string[] = [];
    const agent = threeBranches(acts);
    const life = stage.open(agent);
    await life.start();
    acts.length = 0;
    const fork = await life.runtime.fork(RUN, { at: 0, live: true, id: 'fork' });
    const asked = await fork.outcome();
    expect('waiting' in asked && asked.waiting.map(({ name }) => name)).toEqual(['approve:live-fork']);
    life.die();
    const next = stage.open(agent);
    expect(await toTheEnd(next, 'fork', () => verdict)).toMatchObject({ stop: 'done', value: ok });
    expect(requestsIn('fork', await stage.entries('fork'))).toHaveLength(1);
    expect(acts).toHaveLength(ok.filter((one) => one).length);
  });

  it('is asked again by another branch when the one that asked has lost [F-X10]', async () => {
    const stage = moving();
    const acts: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const act = (on: Run, n: number) => on.step('act', n, () => acts.push(`act ${n}`), 'idempotent');
      const race = (on: Run) => on.first<unknown>([(one) => act(one, 1), (other) => other.sleep(50)]);
      const results = await run.all<unknown>([race, (on) => act(on, 2)], 2);
      return done(results.map(({ ok }) => ok));
    };
    const life = stage.open(agent);
    await life.start();
    acts.length = 0;
    const fork = await life.runtime.fork(RUN, { at: 0, live: true, id: 'fork' });
    await fork.outcome();
    await new Promise<void>((resolve) => stage.clock.after(100, resolve));
    expect(await toTheEnd(life, 'fork')).toMatchObject({ stop: 'done', value: [true, true] });
    expect(acts).toEqual(['act 2']);
  });
});

describe('a supervised scope', () => {
  const baseline = { suite: 's 1', score: 1, minimum: 0.5, classes: ['pure', 'idempotent'] };

  it('is not widened by a later process, in a later generation or a fork either [F-X5]', async () => {
    const stage = moving();
    const sent: number[] = [];
    const mail: Tool<number, string> = {
      name: 'mail',
      description: 'Sends a mail.',
      effect: 'idempotent',
      execute: async (n) => {
        sent.push(n);
        return 'sent';
      },
    };
    const body = async (run: Run, input: unknown): Promise<Outcome<unknown>> => {
      if (input === null) {
        await run.wait({ name: 'go' });
        return run.continueWith(1);
      }
      return done((await run.call(mail, 1)).ok);
    };
    const narrow = stage.open(supervised(body, { allow: ['pure'], baseline }));
    await narrow.start();
    narrow.die();
    const wide = stage.open(supervised(body, { allow: ['pure', 'idempotent'], baseline }));
    await wide.runtime.signal(RUN, 'go');
    expect(await wide.resume()).toMatchObject({ stop: 'done', value: false });
    for (const generation of [0, 1]) {
      const entries = (await stage.entries()).filter((entry) => entry.generation === generation);
      const at = generation === 1 ? 0 : lastOf(entries, 'wait-start');
      await wide.runtime.fork(RUN, { at, generation, live: true, id: `fork-${generation}` });
      expect(await toTheEnd(wide, `fork-${generation}`)).toMatchObject({ stop: 'done', value: false });
    }
    expect(sent).toEqual([]);
  });
});
