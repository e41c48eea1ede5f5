import { once } from 'node:events';
import { type Agent, budget, createRuntime, done, type Engine, memoryEngine } from 'flyball';
import { testHost } from 'flyball/testing';
import { expect, it } from 'vitest';

it('a run at a bound can be given more while a worker that came late looks at it [R7-KILLS]', async () => {
  const engine = memoryEngine();
  const look = { name: 'look', description: 'Looks.', effect: 'pure' as const, execute: async () => 'seen' };
  const agent: Agent<null, unknown> = async (run) => {
    for (const n of [1, 2]) await run.call(look, { n });
    return done('both');
  };
  const first = createRuntime({ engine, agents: { agent }, host: testHost('first'), options: { worker: false } });
  const bounded = await first.start('agent', null, { id: 'run', budget: budget({ toolCalls: 1 }) });
  expect(await bounded.outcome()).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });

  const asked = new EventTarget();
  const taking = once(asked, 'taking');
  const gate = once(asked, 'go on');
  let isLate = true;
  const behind: Engine = {
    ...engine,
    // it looks while the other one has the run end at its bound
    take: async (query, by) => {
      if (!isLate) return engine.take(query, by);
      isLate = false;
      asked.dispatchEvent(new Event('taking'));
      await gate;
      return engine.take(query, by);
    },
  };
  const second = createRuntime({ engine: behind, agents: { agent }, host: testHost('second') });
  await taking;
  const resumed = second.resume('run', { budget: { toolCalls: 5 } });
  resumed.catch(() => undefined); // looked at below
  asked.dispatchEvent(new Event('go on'));
  expect(await (await resumed).outcome()).toMatchObject({ stop: 'done', value: 'both' });
  await second.close();
  await first.close();
});

it('a run at a bound can be given more in a process that does not know yet that it lost it [R7-STOPS]', async () => {
  const engine = memoryEngine();
  const gone = new Set<string>();
  const stopped = testHost('stopped', gone);
  let isFirst = true;
  const look = {
    name: 'look',
    description: 'Looks.',
    effect: 'pure' as const,
    execute: async () => {
      if (!isFirst) return 'seen';
      isFirst = false;
      return new Promise<string>(() => undefined); // the first process stands still here
    },
  };
  const agent: Agent<null, unknown> = async (run) => {
    for (const n of [1, 2]) await run.call(look, { n });
    return done('both');
  };
  const parts = { engine, agents: { agent }, options: { worker: false } };
  const first = createRuntime({ ...parts, host: stopped });
  const left = await first.start('agent', null, { id: 'run', budget: budget({ toolCalls: 1 }) });
  const lost = expect(left.outcome()).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' });
  await expect.poll(() => isFirst).toBe(false);
  stopped.die(); // for the others: it is taken over
  const second = createRuntime({ ...parts, host: testHost('second', gone) });
  expect(await (await second.resume('run')).outcome()).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });

  const resumed = await first.resume('run', { budget: { toolCalls: 5 } });
  expect(await resumed.outcome()).toMatchObject({ stop: 'done', value: 'both' });
  await lost;
  await second.close();
  await first.close({ drainMs: 0 });
});
