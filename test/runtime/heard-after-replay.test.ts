import { done, type Engine, memoryEngine, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, type Life, RUN, still } from './stage.js';

/** Two steps. The first process dies inside the second; what the next one begins is in `made`. */
async function replayed(meddle: (life: Life) => unknown, engine?: Engine) {
  const stage = still(engine);
  const never = gate();
  const made: string[] = [];
  const agent = (inSecond: () => unknown, between: () => unknown) => async (run: Run) => {
    await run.step('first', null, () => void made.push('first'), 'idempotent');
    between();
    await run.step('second', null, inSecond, 'pure');
    return done(run.instructions().map(({ text }) => text));
  };
  const first = stage.open(
    agent(
      () => never.opened,
      () => undefined,
    ),
  );
  void first.start();
  await turns(20);
  await stage.clock.advance(1_000);
  expect(await stage.events('complete')).toHaveLength(1);
  first.die();
  made.length = 0;
  const next: Life = stage.open(
    agent(
      () => made.push('second'),
      () => meddle(next), // said while the first step is replayed, before the second one is asked for
    ),
  );
  return { stage, next, made };
}

const once = (say: (life: Life) => unknown) => {
  let isSaid = false;
  return (life: Life): void => {
    if (!isSaid) void say(life);
    isSaid = true;
  };
};

/** Tells nobody that something was written, as between processes until somebody looks. */
const untold = (): Engine => ({ ...memoryEngine(), watch: () => () => undefined });

describe('what is said to a run while its past is replayed', () => {
  it.each([
    ['the process at work', undefined],
    ['one that tells nobody', untold()],
  ])('holds it, where it is a pause, before anything new begins: from %s [R7-BODIES-REPLAY]', async (_who, engine) => {
    const { stage, next, made } = await replayed(
      once(({ runtime }) => runtime.pause(RUN, { by: 'ada' })),
      engine,
    );
    expect(await next.resume()).toMatchObject({ stop: 'suspended', paused: true });
    expect(made).toEqual([]);
    expect(await stage.events('run-pause')).toEqual([{ type: 'run-pause', by: 'ada' }]);
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
    expect(await next.resume()).toMatchObject({ stop: 'done' });
    expect(made).toEqual(['second']);
  });

  it('ends it, where it is a cancellation, before anything new begins [R7-BODIES-REPLAY]', async () => {
    const { stage, next, made } = await replayed(once(({ runtime }) => runtime.cancel(RUN, { by: 'ada' })));
    const outcome: Outcome<unknown> = await next.resume();
    expect(outcome).toMatchObject({ stop: 'cancelled' });
    expect(made).toEqual([]);
    expect(await stage.events('cancel')).toHaveLength(1);
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
  });

  it('changes nothing, where it is a pause that was taken back', async () => {
    const { next, made } = await replayed(
      once(async ({ runtime }) => {
        await runtime.pause(RUN);
        await runtime.resume(RUN);
      }),
    );
    expect(await next.resume()).toMatchObject({ stop: 'done' });
    expect(made).toEqual(['second']);
  });
});
