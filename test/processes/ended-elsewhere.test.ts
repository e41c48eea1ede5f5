import { type Agent, budget, createRuntime, done, type Engine, memoryEngine } from 'flyball';
import { testHost } from 'flyball/testing';
import { expect, it } from 'vitest';

it('a worker that comes too late for a run tells whoever waits how it ended, not that it came late [R2-WORKER]', async () => {
  const engine = memoryEngine();
  const agent: Agent<null, unknown> = async (run) => done(await run.wait({ name: 'go' }));
  const quick = createRuntime({ engine, agents: { agent }, host: testHost('quick'), options: { worker: false } });
  await (await quick.start('agent', null, { id: 'run', budget: budget() })).outcome();

  let isFirst = true;
  const overtaken: Engine = {
    ...engine,
    take: async (query, by) => {
      if (isFirst && (await engine.due(query)).length > 0) {
        isFirst = false;
        await (await quick.resume('run')).outcome(); // between looking and taking the other one takes it and ends it
      }
      return engine.take(query, by);
    },
  };
  const late = createRuntime({ engine: overtaken, agents: { agent }, host: testHost('late') });
  const finished = late.handle('run').finished();
  await quick.signal('run', 'go', 'on');
  expect(await finished).toMatchObject({ stop: 'done', value: 'on' });
  expect(isFirst).toBe(false);
  await late.close();
  await quick.close();
});
