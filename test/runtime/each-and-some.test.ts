import { type Arrived, done, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, eventsOf, moving } from './stage.js';

const AWAKE = { options: { suspendAfterMs: 1e9 } };

/** What branches did to the world, and took back. */
function ledgerOf(): { readonly log: string[]; book(run: Run, n: number, ms?: number): Promise<number> } {
  const log: string[] = [];
  return {
    log,
    book: async (run, n, ms = 0) => {
      await run.step('book', n, (x) => void log.push(`book ${x}`), {
        class: 'undoable',
        compensate: async (x) => void log.push(`undo ${x}`),
        verify: async (x) => ({ happened: log.includes(`book ${x}`) ? 'yes' : 'no', result: undefined }) as const,
      });
      if (ms > 0) await run.sleep(ms);
      return n;
    },
  };
}

const valuesOf = (arrived: readonly Arrived<number>[]): unknown =>
  arrived.map((one) => (one.ok ? one.value : one.error.message));

describe('run.some', () => {
  it('undoes nobody who voted, and whoever was on the way [R11-N4-QUORUM]', async () => {
    const { log, book } = ledgerOf();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const votes = await run.some(
        [0, 1, 2].map((n) => (on: Run) => book(on, n, n * 1000)),
        { need: 2, width: 3 },
      );
      return done(votes.map(({ index }) => index));
    };
    expect(await moving().open(agent, AWAKE).start()).toMatchObject({ stop: 'done', value: [0, 1] });
    expect(log).toEqual(['book 0', 'book 1', 'book 2', 'undo 2']);
  });

  it('begins no more branches than it has width, and none that it does not need [R11-N4-WIDTH]', async () => {
    const { log, book } = ledgerOf();
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(
        valuesOf(
          await run.some(
            [0, 1, 2, 3].map((n) => (on: Run) => book(on, n)),
            { need: 2, width: 1 },
          ),
        ),
      );
    expect(await moving().open(agent, AWAKE).start(null, { width: 1 })).toMatchObject({ stop: 'done', value: [0, 1] });
    expect(log).toEqual(['book 0', 'book 1']);
  });

  it('gives what there is when all have settled, or at its deadline [R11-N4-DEADLINE]', async () => {
    const { log, book } = ledgerOf();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const all = await run.some<number>([(on) => book(on, 0), async () => Promise.reject(new Error('no'))], {
        need: 2,
        width: 2,
      });
      const inTime = await run.some(
        [1, 2].map((n) => (on: Run) => book(on, n, n * 60_000)),
        { need: 2, width: 2, deadline: run.now() + 90_000 },
      );
      return done([valuesOf(all), valuesOf(inTime)]);
    };
    expect(await moving().open(agent, AWAKE).start()).toMatchObject({
      value: [expect.arrayContaining([0, 'no']), [1]],
    });
    expect(log).toEqual(['book 0', 'book 1', 'book 2', 'undo 2']);
  });

  it('refuses a quorum that can never be [R11-N4-QUORUM]', async () => {
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.some([], { need: 1, width: 1 }));
    expect(await moving().open(agent, AWAKE).start()).toMatchObject({ failure: { code: 'CONFIG_INVALID' } });
  });
});

describe('run.each', () => {
  it('answers a reader that asks ahead of what has come, and one that waits when the loop is left [R11-N4-EACH]', async () => {
    const { book } = ledgerOf();
    const branches = [0, 1].map((n) => (on: Run) => book(on, n, n * 1000));
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const ahead = run.each(branches, { width: 2 })[Symbol.asyncIterator]();
      const read = await Promise.all([ahead.next(), ahead.next(), ahead.next()]);
      const left = run.each([(on: Run) => on.sleep(60_000)], { width: 1 })[Symbol.asyncIterator]();
      const waits = left.next();
      await left.return?.();
      return done([...read.map((one) => one.done === true || one.value.index), (await waits).done]);
    };
    expect(await moving().open(agent, AWAKE).start()).toMatchObject({ stop: 'done', value: [0, 1, true, true] });
  });

  it('gives results in the order in which they come, failures too [R11-N4-EACH]', async () => {
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const seen: unknown[] = [];
      const branches = [3, 1, 2].map((n) => async (on: Run) => {
        await on.sleep(n * 1000);
        if (n === 2) throw new Error('no');
        return n;
      });
      for await (const one of run.each(branches, { width: 3 })) seen.push([one.index, one.ok ? one.value : 'failed']);
      return done(seen);
    };
    const wanted = [
      [1, 1],
      [2, 'failed'],
      [0, 3],
    ];
    expect(await moving().open(agent, AWAKE).start()).toMatchObject({ stop: 'done', value: wanted });
  });

  it('keeps what is done and cancels what is open when the loop is left, by break and by throw [R11-N4-LEAVE]', async () => {
    for (const way of ['break', 'throw'] as const) {
      const { log, book } = ledgerOf();
      const agent = async (run: Run): Promise<Outcome<unknown>> => {
        const loop = async (): Promise<void> => {
          for await (const one of run.each(
            [0, 1, 2, 3].map((n) => (on: Run) => book(on, n, n * 1000)),
            { width: 3 },
          )) {
            if (one.index === 0) continue;
            if (way === 'throw') throw new Error('enough');
            break;
          }
        };
        await loop().catch(() => undefined);
        return done(null);
      };
      expect((await moving().open(agent, AWAKE).start()).stop).toBe('done');
      expect(log).toEqual(['book 0', 'book 1', 'book 2', 'book 3', 'undo 3', 'undo 2']);
    }
  });

  it('begins when it is read, and goes on while its reader does something else [R11-N4-EACH]', async () => {
    const begun: number[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const branches = [0, 1, 2].map((n) => (on: Run) => on.step('look', n, (x) => begun.push(x), 'pure'));
      const unread = run.each(branches, { width: 3 });
      await run.step('before', null, () => turns(3), 'pure');
      const before = begun.length;
      let after = 0;
      for await (const _one of unread) {
        await run.sleep(1000);
        after ||= begun.length;
      }
      return done([before, after]);
    };
    expect(await moving().open(agent, AWAKE).start()).toMatchObject({ value: [0, 3] });
  });

  it('ends as without a crash wherever it dies [R11-N4-CRASH]', async () => {
    const agentOf = (book: (run: Run, n: number, ms?: number) => Promise<number>) =>
      async function agent(run: Run): Promise<Outcome<unknown>> {
        const seen: number[] = [];
        for await (const one of run.each(
          [0, 1, 2].map((n) => (on: Run) => book(on, n, n * 1e7)),
          { width: 2 },
        )) {
          seen.push(one.index);
          if (seen.length === 2) break;
        }
        const votes = await run.some(
          [3, 4, 5].map((n) => (on: Run) => book(on, n, n * 1e7)),
          { need: 2, width: 3 },
        );
        return done([seen, valuesOf(votes)]);
      };
    for (const [when, type, nth] of [
      ['after', 'intent', 1],
      ['after', 'complete', 2],
      ['after', 'sleep-start', 1],
      ['after', 'sleep-end', 1],
      ['before', 'rollback-start', 1],
      ['after', 'rollback-end', 1],
      ['after', 'intent', 5],
      ['before', 'run-end', 1],
    ] as const) {
      const stage = moving();
      const { log, book } = ledgerOf();
      await stage.crashed(agentOf(book), at(when, type, nth), { ...AWAKE, limits: { wallMs: 1e12 } });
      const outcome = await stage.open(agentOf(book), AWAKE).resume();
      expect(outcome, `${when} ${type} ${nth}`).toMatchObject({
        stop: 'done',
        value: [
          [0, 1],
          [3, 4],
        ],
      });
      const undone = new Set(log.filter((line) => line.startsWith('undo')));
      expect(undone, `${when} ${type} ${nth}`).toEqual(new Set(['undo 2', 'undo 5']));
      expect(eventsOf(await stage.entries(), 'run-end').length).toBe(1);
    }
  });
});
