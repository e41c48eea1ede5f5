import { type Agents, budget, done, type Entry, type Run, type Runtime, type Tool } from 'flyball';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

/** Where runs are kept and who says whose turn it is: processes that have nothing in common but that. */
export interface Everywhere {
  /** A process that works on runs; of its own version of the agents. */
  worker(agents: Agents): Promise<Process>;
  /** A process that starts runs and tells them something, and works on none. */
  desk(agents: Agents): Promise<Process>;
  /** Ends all processes; the next ones find nothing of what was. */
  fresh(): Promise<void>;
  remove(): Promise<void>;
}

export interface Process {
  readonly runtime: Runtime;
  /** Ends it as a kill does. */
  die(): void;
}

interface Made {
  readonly what: string;
  readonly key: string;
}

/** What a run is promised wherever it is kept: the same sentences over memory, SQLite, PostgreSQL, and with Restate. */
export function runsContract(name: string, open: () => Promise<Everywhere>): void {
  describe(`runs: ${name}`, () => {
    const made: Made[] = [];
    let place: Everywhere | undefined;
    const at = async (): Promise<Everywhere> => {
      place ??= await open();
      return place;
    };
    beforeEach(async () => {
      made.length = 0;
      await (await at()).fresh();
    });
    afterAll(() => place?.remove());

    const agents = agentsThat(made);
    const both = async () => {
      const { worker, desk } = await at();
      return { worker: await worker(agents), desk: await desk(agents) };
    };
    const start = (runtime: Runtime, agent: string, id: string, given = {}) =>
      runtime.start(agent, null, { id, budget: budget(given) });
    const madeBy = (id: string) => made.filter(({ what }) => what.startsWith(`${id} `)).map(({ what }) => what);

    it('end on a worker, each step made once, wherever they were started', async () => {
      const { desk } = await both();
      const handle = await start(desk.runtime, 'counts', 'a');
      expect(await handle.finished()).toMatchObject({ stop: 'done', value: 3 });
      expect(madeBy('a')).toEqual(['a 0', 'a 1', 'a 2']);
      expect(desk.runtime.loaded()).toBe(0);
      await expect(start(desk.runtime, 'counts', 'a')).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    });

    it('wait for what anybody tells them, and take the same message once', async () => {
      const { desk, worker } = await both();
      const handle = await start(desk.runtime, 'asks', 'a');
      expect(await handle.outcome()).toMatchObject({ stop: 'suspended' });
      await desk.runtime.signal('a', 'go', 'first', { id: 'm' });
      await worker.runtime.signal('a', 'go', 'again', { id: 'm' });
      expect(await handle.finished()).toMatchObject({ stop: 'done', value: 'first' });
      expect(madeBy('a')).toEqual(['a before', 'a after']);
    });

    it('sleep, and wake up by themselves', async () => {
      const { desk } = await both();
      const handle = await start(desk.runtime, 'naps', 'a');
      expect(await handle.finished()).toMatchObject({ stop: 'done' });
      expect(kindsIn(await desk.runtime.entries('a'))).toContain('sleep-start');
    });

    it('roll back when they fail, newest first', async () => {
      const { desk } = await both();
      const handle = await start(desk.runtime, 'fails', 'a');
      expect(await handle.finished()).toMatchObject({ stop: 'failed' });
      expect(madeBy('a')).toEqual(['a one', 'a two', 'a undo two', 'a undo one']);
    });

    it('are canceled from anywhere while they wait, and undo what they did', async () => {
      const { desk } = await both();
      const handle = await start(desk.runtime, 'waits', 'a');
      expect(await handle.outcome()).toMatchObject({ stop: 'suspended' });
      await desk.runtime.cancel('a', { by: 'ann', why: 'enough' });
      expect(await handle.finished()).toMatchObject({ stop: 'cancelled' });
      expect(madeBy('a')).toEqual(['a one', 'a undo one']);
      await expect(desk.runtime.signal('a', 'go')).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
    });

    it('stop at a limit, and go on under a larger one', async () => {
      const { desk } = await both();
      const handle = await start(desk.runtime, 'calls', 'a', { toolCalls: 2 });
      expect(await handle.outcome()).toMatchObject({ stop: 'bounded' });
      const larger = await desk.runtime.resume('a', { budget: { toolCalls: 9 }, by: 'ann' });
      expect(await larger.finished()).toMatchObject({ stop: 'done', value: 3 });
      expect(madeBy('a')).toEqual(['a 0', 'a 1', 'a 2']);
    });

    it('pause where somebody says so, and resume', async () => {
      const { desk } = await both();
      const handle = await start(desk.runtime, 'waits', 'a');
      expect(await handle.outcome()).toMatchObject({ stop: 'suspended' });
      await desk.runtime.pause('a', { by: 'ann' });
      await expect.poll(async () => (await desk.runtime.get('a')).status).toBe('paused');
      await desk.runtime.signal('a', 'go', 'told');
      await desk.runtime.resume('a', { by: 'ann' });
      expect(await desk.runtime.handle('a').finished()).toMatchObject({ stop: 'done', value: 'told' });
    });

    it('are forked, and the fork goes on by itself', async () => {
      const { desk } = await both();
      const handle = await start(desk.runtime, 'waits', 'a');
      expect(await handle.outcome()).toMatchObject({ stop: 'suspended' });
      const last = (await desk.runtime.entries('a')).at(-1)?.seq ?? 0;
      const fork = await desk.runtime.fork('a', { at: last, id: 'b', by: 'ann' });
      expect(await fork.outcome()).toMatchObject({ stop: 'suspended' });
      await desk.runtime.signal('b', 'go', 'in the fork');
      expect(await fork.finished()).toMatchObject({ stop: 'done', value: 'in the fork' });
      expect(made.map(({ what }) => what)).toEqual(['a one']);
      expect((await desk.runtime.get('a')).status).toBe('suspended');
    });

    it('of a process that was killed are taken over: what has a key is made again under it, what has none is asked about', async () => {
      const { worker, desk } = await at();
      const dying = await worker(agents);
      const clerk = await desk(agents);
      const repeated = await start(clerk.runtime, 'repeats', 'a');
      const asked = await start(clerk.runtime, 'acts once', 'b');
      await expect.poll(() => made.length).toBe(2);
      dying.die();
      await worker(agents);
      expect(await repeated.finished()).toMatchObject({ stop: 'done' });
      expect(madeBy('a')).toEqual(['a store', 'a store']);
      expect(new Set(made.filter(({ what }) => what === 'a store').map(({ key }) => key)).size).toBe(1);
      const outcome = await asked.outcome();
      expect(outcome).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
      const token = outcome.stop === 'suspended' ? (outcome.waiting[0]?.token ?? '') : '';
      await clerk.runtime.signal('b', token, { happened: true, result: 'paid' }, { from: 'ann' });
      expect(await asked.finished()).toMatchObject({ stop: 'done', value: 'paid' });
      expect(madeBy('b')).toEqual(['b pay']);
    });
  });
}

function kindsIn(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ event }) => event.type);
}

function agentsThat(made: Made[]): Agents {
  const note =
    (run: Run, what: string, result?: unknown) =>
    (_input: unknown, { key }: { readonly key: string }) => {
      made.push({ what: `${run.id} ${what}`, key });
      return result;
    };
  const undoable = (run: Run, what: string) =>
    run.step(what, null, note(run, what), {
      class: 'undoable',
      compensate: async () => void made.push({ what: `${run.id} undo ${what}`, key: '' }),
    });
  /** Acts, and does not come back in its first life: whoever is killed then was in the middle of it. */
  const stuckOnce = (run: Run, what: string) => (input: unknown, how: { readonly key: string }) => {
    const isFirst = !made.some((each) => each.what === `${run.id} ${what}`);
    note(run, what)(input, how);
    return isFirst ? new Promise<never>(() => undefined) : 'again';
  };
  return {
    counts: async (run) => {
      for (let n = 0; n < 3; n++) await run.step('count', n, note(run, String(n)), 'idempotent');
      return done(3);
    },
    calls: async (run) => {
      const tool: Tool<number, number> = {
        name: 'count',
        description: 'Counts.',
        effect: 'idempotent',
        execute: async (n, { key }) => {
          made.push({ what: `${run.id} ${n}`, key });
          return n;
        },
      };
      for (let n = 0; n < 3; n++) await run.call(tool, n);
      return done(3);
    },
    asks: async (run) => {
      await run.step('before', null, note(run, 'before'), 'idempotent');
      const answer = await run.wait({ name: 'go' });
      await run.step('after', null, note(run, 'after'), 'idempotent');
      return done(answer);
    },
    naps: async (run) => {
      await run.sleep(300);
      return done(null);
    },
    fails: async (run) => {
      await undoable(run, 'one');
      await undoable(run, 'two');
      throw new Error('no more');
    },
    waits: async (run) => {
      await undoable(run, 'one');
      return done(await run.wait({ name: 'go' }));
    },
    repeats: async (run) => done(await run.step('store', null, stuckOnce(run, 'store'), 'idempotent')),
    'acts once': async (run) =>
      done(
        await run.step('pay', null, stuckOnce(run, 'pay'), {
          class: 'undoable',
          compensate: async () => undefined,
          timeoutMs: 60_000,
        }),
      ),
  };
}
