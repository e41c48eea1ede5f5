import { done, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, moving, RUN, still } from './stage.js';

describe('all', () => {
  it('settles each branch, in order, and a failed one is a result [R2-RUN-ALL]', async () => {
    const outcome = await moving()
      .open(async (run: Run) => {
        const results = await run.all<string>(
          [
            async (on) => on.step('a', null, () => 'one', 'pure'),
            async () => {
              throw new Error('second broke');
            },
            async (on) =>
              on.step(
                'c',
                null,
                () => {
                  throw new Error('third failed');
                },
                'pure',
              ),
            async () => 'four',
          ],
          4,
        );
        return done(results.map((result) => (result.ok ? result.value : result.error.message)));
      })
      .start();
    expect(outcome).toMatchObject({ value: ['one', 'second broke', 'third failed', 'four'] });
  });

  it('has at most `width` branches open, started in order [R2-RUN-ALL]', async () => {
    const stage = still();
    const gates = Array.from({ length: 5 }, () => gate<number>());
    const started: number[] = [];
    const life = stage.open(async (run: Run) => {
      const results = await run.all(
        gates.map(
          (one, n) => (on: Run) =>
            on.step(
              'work',
              n,
              () => {
                started.push(n);
                return one.opened;
              },
              'pure',
            ),
        ),
        2,
      );
      return done(results.map((result) => result.ok && result.value));
    });
    const ended = life.start();
    await turns(20);
    expect(started).toEqual([0, 1]);
    gates[1]?.open(1);
    await turns(10);
    expect(started).toEqual([0, 1, 2]);
    gates[0]?.open(0);
    await turns(10);
    expect(started).toEqual([0, 1, 2, 3]);
    for (const n of [2, 3, 4]) gates[n]?.open(n);
    expect(await ended).toMatchObject({ value: [0, 1, 2, 3, 4] });
  });

  it('starts branches on replay as it did live, although others end first then [R2-RUN-ALL]', async () => {
    const stage = moving();
    const lives: string[][] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const order: string[] = [];
      lives.push(order);
      await run.all(
        [300, 100, 200, 50].map((ms, n) => async (on: Run) => {
          order.push(`start ${n}`);
          await on.sleep(ms);
          order.push(`end ${n}`);
        }),
        2,
      );
      await run.wait({ name: 'go' });
      return done(order);
    };
    const life = stage.open(agent, { options: { suspendAfterMs: 1000 } });
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done' });
    expect(lives[0]).toEqual(['start 0', 'start 1', 'end 1', 'start 2', 'end 0', 'start 3', 'end 2', 'end 3']);
    expect(lives[1]).toEqual(lives[0]);
  });

  it('of nothing is nothing', async () => {
    expect(
      await moving()
        .open(async (run: Run) => done(await run.all([], 3)))
        .start(),
    ).toMatchObject({ stop: 'done', value: [] });
  });

  it.each([0, 1.5, Number.NaN, -1])('refuses a width of %s', async (width) => {
    expect(
      await moving()
        .open(async (run: Run) => done(await run.all([async () => 1], width)))
        .start(),
    ).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID', message: expect.stringContaining('width') } });
  });
});

describe('first', () => {
  it('returns the first to succeed; losers are aborted and what they did is undone before it resolves [R2-RUN-FIRST]', async () => {
    const stage = still();
    const log: string[] = [];
    const win = gate<string>();
    let aborted: unknown;
    const life = stage.open(async (run: Run) => {
      const winner = await run.first<string>([
        async (on) => {
          await on.step(
            'book',
            'hotel',
            (name) => {
              log.push(`book ${name}`);
            },
            {
              class: 'undoable',
              compensate: async (name) => {
                log.push(`undo ${name}`);
              },
            },
          );
          return on.step(
            'slow',
            null,
            (_input, { signal }) =>
              new Promise<string>((_resolve, reject) =>
                signal.addEventListener('abort', () => {
                  aborted = signal.reason;
                  reject(signal.reason as Error);
                }),
              ),
            'pure',
          );
        },
        async (on) => on.step('fast', null, () => win.opened, 'pure'),
      ]);
      log.push(`won: ${winner}`);
      return done(winner);
    });
    const ended = life.start();
    await turns(20);
    win.open('fast one');
    expect(await ended).toMatchObject({ stop: 'done', value: 'fast one' });
    expect(log).toEqual(['book hotel', 'undo hotel', 'won: fast one']);
    expect(aborted).toMatchObject({ code: 'CANCELLED' });
    expect(await stage.events('rollback-end')).toMatchObject([{ scope: '/first.0.0', report: { success: true } }]);
  });

  it('lets a branch that failed not win, unless all do [R2-RUN-FIRST]', async () => {
    const outcome = await moving()
      .open(async (run: Run) => {
        const won = await run.first([
          async () => {
            throw new Error('a failed');
          },
          (on) => on.step('b', null, () => 'b', 'pure'),
        ]);
        const none = await run
          .first([
            async () => {
              throw new Error('first');
            },
            async (on) => {
              await on.step('x', null, () => 1, 'pure');
              throw new Error('last');
            },
          ])
          .catch((error: Error) => error.message);
        return done([won, none]);
      })
      .start();
    expect(outcome).toMatchObject({ value: ['b', 'last'] });
  });

  it('does not undo a loser twice when the run fails later', async () => {
    const undone: string[] = [];
    const book = (on: Run, name: string): Promise<unknown> =>
      on.step('book', name, () => name, {
        class: 'undoable',
        compensate: async (input) => {
          undone.push(input);
        },
      });
    const stage = moving();
    const outcome = await stage
      .open(
        async (run: Run) => {
          await book(run, 'before');
          await run.first<unknown>([
            async (on) => {
              await book(on, 'loser');
              await on.sleep(10_000);
            },
            async (on) => {
              await on.sleep(100);
              return book(on, 'winner');
            },
          ]);
          throw new Error('later');
        },
        { options: { suspendAfterMs: 1000 } },
      )
      .start();
    expect(outcome).toMatchObject({ stop: 'failed' });
    expect(undone).toEqual(['loser', 'winner', 'before']);
  });

  it('ends the same on replay, without undoing again [R2-RUN-FIRST]', async () => {
    const stage = moving();
    const log: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const winner = await run.first<unknown>([
        async (on) => {
          await on.step('book', null, () => log.push('book'), {
            class: 'undoable',
            compensate: async () => {
              log.push('undo');
            },
          });
          await on.sleep(10_000);
          return 'slow';
        },
        async (on) => {
          await on.sleep(100);
          return 'fast';
        },
      ]);
      await run.wait({ name: 'go' });
      return done(winner);
    };
    const life = stage.open(agent, { options: { suspendAfterMs: 1000 } });
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done', value: 'fast' });
    expect(log).toEqual(['book', 'undo']);
  });

  it('needs a branch', async () => {
    expect(
      await moving()
        .open(async (run: Run) => done(await run.first([])))
        .start(),
    ).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
  });

  it('tells a loser through its signal', async () => {
    const stage = still();
    const win = gate<number>();
    let reason: unknown;
    const life = stage.open(async (run: Run) =>
      done(
        await run.first<unknown>([
          async (on) => {
            on.signal.addEventListener('abort', () => {
              reason = on.signal.reason;
            });
            return on.wait({ name: 'never' });
          },
          (on) => on.step('win', null, () => win.opened, 'pure'),
        ]),
      ),
    );
    const ended = life.start();
    await turns(10);
    win.open(1);
    expect(await ended).toMatchObject({ value: 1 });
    expect(reason).toMatchObject({ code: 'CANCELLED', message: expect.stringContaining('another branch won') });
  });
});
