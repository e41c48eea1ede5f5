import { done, type Engine, memoryEngine, type Outcome, type Run, type Tool } from 'flyball';
import { turns } from 'flyball/testing';
import { expect, it } from 'vitest';
import { gate, moving, RUN, Stage } from './stage.js';

const look: Tool<null, null> = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => null };

it('a process that stood still between two generations lets go of a run that another one brought to its bound [R10-SIM-LET-GO]', async () => {
  const stage = moving(memoryEngine());
  const [reaching, going] = [gate(), gate()];
  const append: Engine['append'] = async (claim, batch) => {
    await stage.engine.append(claim, batch);
    if (batch.generation !== 1) return;
    reaching.open();
    await going.opened;
  };
  const agent = async (run: Run, input: unknown): Promise<Outcome<unknown>> => {
    if (input === null) return run.continueWith('more');
    return done((await run.call(look, null)).content);
  };
  const here = new Stage(stage.clock, { ...stage.engine, append }).open(agent);
  stage.open(agent); // so that the next one has another name than the one here
  const there = stage.open(agent);
  const ended = here.start(null, { toolCalls: 0 }).catch((error: unknown) => error);
  await reaching.opened;
  const owner = { id: 'somebody', host: 'h', bootId: 'b', pid: 2, startTime: '2' };
  const claim = await stage.engine.claim(RUN, { owner, now: stage.clock.now(), leaseMs: 1e9, isGone: () => true });
  await stage.engine.release(claim, { status: 'pending', now: stage.clock.now() });
  expect(await there.resume()).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });
  going.open();
  expect(await ended).toMatchObject({ stop: 'bounded' });
  await turns(20);
  expect(here.runtime.loaded()).toBe(0);
  expect(await here.resume({ budget: { toolCalls: 5 } })).toMatchObject({ stop: 'done' });
});
