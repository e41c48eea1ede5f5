import { done, type Outcome, type Run, type Session } from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { counter, forever, slow } from './endless.js';
import { gate, moving, still } from './stage.js';

it('a promise that nobody awaits does not bring the process down', async () => {
  const { tool } = counter();
  const unhandled: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (reason) => unhandled.push(reason));
  try {
    const life = moving().open(async (run: Run): Promise<Outcome<unknown>> => {
      const forgotten = run.step(
        'slow',
        null,
        slow(
          () => undefined,
          () => undefined,
        ),
        'pure',
      );
      await forever(run, tool);
      return done(await forgotten);
    });
    expect(await life.start(null, { toolCalls: 1 })).toMatchObject({ stop: 'bounded' });
    await turns();
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener);
  }
  expect(unhandled).toEqual([]);
});

describe('parallel branches', () => {
  it('share the bound: the one that exceeds it ends all, and what is in flight is aborted [R2-SHOW-BUDGET-NESTED] [R2-BUDGET-ABORT]', async () => {
    const { tool, executed } = counter();
    let reason: unknown;
    const begun = gate();
    const life = moving().open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.all(
        [
          (on) =>
            on.step(
              'slow',
              null,
              slow(
                () => begun.open(),
                (why) => {
                  reason = why;
                },
              ),
              'pure',
            ),
          async (on) => {
            await on.step('ready', null, () => begun.opened.then(() => null), 'pure');
            return forever(on, tool);
          },
        ],
        2,
      );
      return done('unreachable');
    });
    expect(await life.start(null, { toolCalls: 2 })).toMatchObject({
      stop: 'bounded',
      bound: 'toolCalls',
      usage: { toolCalls: 2 },
    });
    expect(reason).toMatchObject({ code: 'BOUND_REACHED' });
    expect(executed).toEqual([0, 1]);
  });

  it('reserve worst cases side by side: together they never exceed a bound [R2-BUDGET-RESERVE] [R2-SHOW-BUDGET-NESTED]', async () => {
    const replies = gate();
    const model = {
      ...scriptedModel({
        talker: async () => {
          await replies.opened;
          return { text: 'ok', usage: { input: 1, output: 1 } };
        },
      }),
      countTokens: () => 1,
    };
    const session: Session = { name: 'talker', model, setup: 'Talk.', sampling: { maxOutputTokens: 100 } };
    const stage = still();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.all(
        [0, 1, 2].map((n) => (on: Run) => on.ask(session, `${n}`)),
        3,
      );
      return done('all three');
    });
    const ended = life.start(null, { tokensOut: 250 });
    await turns(20);
    // two worst cases of 100 fit into 250, although each call would have used only 1
    expect(model.requests.length).toBeLessThanOrEqual(2);
    replies.open();
    // the third had waited for room
    expect(await ended).toMatchObject({ stop: 'done', usage: { tokensOut: 3 } });
    expect(model.requests.length).toBe(3);
  });

  it('are ended by time while each of them is in flight, model calls included [R2-SHOW-BUDGET-NESTED] [R2-BUDGET-ABORT]', async () => {
    const stage = still();
    const signals: AbortSignal[] = [];
    const model = scriptedModel({
      talker: (_request, _n, how) => {
        signals.push(how.signal);
        return new Promise(() => {});
      },
    });
    const session: Session = { name: 'talker', model, setup: 'Talk.' };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.all<unknown>(
        [
          (on) => on.ask(session, 'a'),
          (on) => on.spawn(async (child: Run) => done((await child.ask(session, 'b')).text), null, { share: 0.5 }),
        ],
        2,
      );
      return done(null);
    });
    const ended = life.start(null, { wallMs: 500 });
    await model.reached('talker', 2);
    await stage.clock.advance(500);
    expect(await ended).toMatchObject({ stop: 'bounded', bound: 'wallMs' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
