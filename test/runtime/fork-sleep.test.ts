import { done, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { lastOf } from './fork-stage.js';
import { RUN, still } from './stage.js';

const DAY = 24 * 3600_000;

async function sleeping() {
  const stage = still();
  const life = stage.open(async (run: Run) => {
    await run.sleep(DAY);
    return done('awake');
  });
  const started = life.start();
  await stage.clock.advance(1000);
  await started;
  return { stage, life, at: lastOf(await stage.entries(), 'sleep-start') };
}

describe('a sleep that began before the fork point', () => {
  it('ends in the fork when it would have ended in the parent [R7-FORK-SLEEP]', async () => {
    const { stage, life, at } = await sleeping();
    await stage.clock.advance(DAY / 2);
    const rested = (await life.runtime.fork(RUN, { at, id: 'fork' })).outcome();
    await stage.clock.advance(1000);
    const due = (await stage.entries()).flatMap(({ event }) => (event.type === 'sleep-start' ? [event.due] : []))[0];
    expect(await rested).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'sleep', until: due }] });
  });

  it('is over in a fork that is made after that [R7-FORK-SLEEP]', async () => {
    const { stage, life, at } = await sleeping();
    await stage.clock.advance(2 * DAY);
    const made = stage.clock.now();
    const ended = (await life.runtime.fork(RUN, { at, id: 'fork' })).outcome();
    await stage.clock.advance(1);
    expect(await ended).toMatchObject({ stop: 'done', value: 'awake' });
    expect((await stage.entries('fork')).find(({ event }) => event.type === 'sleep-end')?.at).toBe(made);
  });
});
