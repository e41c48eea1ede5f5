import { budget, done, memoryStore, type Outcome, type Run } from 'flyball';
import { capture, memory } from 'flyball/memory';
import { describe, expect, it } from 'vitest';
import { everyFork, toTheEnd } from '../runtime/fork-stage.js';
import { moving, RUN } from '../runtime/stage.js';

const STAYS = { options: { suspendAfterMs: 60_000 } };

describe('a run that writes to memory', () => {
  const store = memoryStore();
  const kept = memory({ store });
  const captured = capture({ store, session: 's1', agent: 'helper' });
  const ways: readonly (readonly [string, (run: Run) => Promise<unknown>])[] = [
    ['remember', (run) => kept.remember(run, 'episodic', { content: 'The sky is blue.', trust: 'user' })],
    ['working memory', (run) => kept.remember(run, 'working', { content: 'Look up.', trust: 'model' })],
    ['a capture', (run) => captured.flush(run, [{ type: 'llm_response', content: 'It is blue.' }])],
  ];

  it.each(ways)('can be forked after it, by anybody: %s [F-X8]', async (_what, write) => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      await write(run);
      await run.sleep(5);
      await write(run);
      return done(1);
    }, STAYS);
    await life.runtime.start('agent', null, { id: RUN, budget: budget(), subject: 'customer' });
    await toTheEnd(life, RUN);
    const forks = await everyFork(stage, life, { run: RUN, generation: 0, live: true, by: 'operator' });
    expect(forks.length).toBeGreaterThan(4);
    for (const { at, ...fork } of forks) expect(fork, `fork at ${at}`).toMatchObject({ stop: 'done', value: 1 });
  });
});
