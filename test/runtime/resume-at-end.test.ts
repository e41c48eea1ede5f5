import { done, memoryEngine, type Run, type Tool } from 'flyball';
import { expect, it } from 'vitest';
import { gate, moving, RUN } from './stage.js';

const tool: Tool<number, number> = { name: 'count', description: 'Counts.', effect: 'pure', execute: async (n) => n };

it('a run that has come to a limit is resumed with a larger budget as soon as it is given back, and not told to be running [R19-RESUME-AT-END]', async () => {
  const inner = memoryEngine();
  const slow = gate();
  const released = gate();
  const engine = {
    ...inner,
    async release(...given: Parameters<typeof inner.release>) {
      await inner.release(...given);
      if (given[1].status === 'bounded') {
        released.open();
        await slow.opened; // the answer is late
      }
    },
  };
  const life = moving(engine).open(async (run: Run) => {
    for (let n = 0; n < 3; n++) await run.call(tool, n);
    return done('all');
  });
  void life.start(null, { toolCalls: 1 });
  await released.opened;
  expect(await inner.get(RUN)).toMatchObject({ status: 'bounded' });
  const resumed = life.resume({ budget: { toolCalls: 9 } });
  await new Promise((resolve) => setTimeout(resolve, 20));
  slow.open();
  expect(await resumed).toMatchObject({ stop: 'done', value: 'all' });
});
