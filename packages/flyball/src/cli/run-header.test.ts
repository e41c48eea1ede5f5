import { budget, createRuntime, done, memoryEngine, type Run } from 'flyball';
import { expect, it } from 'vitest';
import { summarise } from '../views/summary.js';
import { commandLineFor } from './command-line.js';
import { headerLines } from './run-header.js';

it.each([
  ['asleep', (run: Run) => run.sleep(3_600_000)],
  ['paused', (run: Run) => run.wait({ name: 'go' })],
])('a run that no file started and that is %s is not to be resumed here [F-K12]', async (how, rests) => {
  const engine = memoryEngine();
  const agent = async (run: Run) => done((await rests(run)) ?? null);
  const runtime = createRuntime({ engine, agents: { agent }, options: { worker: false, suspendAfterMs: 1 } });
  const lines = async (source?: string) => {
    const id = `r-${source ?? 'none'}`;
    const from = source === undefined ? {} : { source };
    await (await runtime.start('agent', null, { id, budget: budget(), ...from })).outcome();
    if (how === 'paused') await runtime.pause(id);
    if (how === 'paused') await (await runtime.wake(id)).outcome();
    const entries = await runtime.entries(id);
    const shown = {
      record: await runtime.get(id),
      summary: summarise(entries),
      entries,
      command: commandLineFor(undefined),
    };
    return headerLines(shown, { paint: (_color, text) => text, width: 200 }).join('\n');
  };
  expect(await lines('agent.ts')).toContain('flyball resume r-agent.ts');
  const none = await lines();
  expect(none).not.toContain('flyball resume');
  expect(none).toContain('the program that started it');
  await runtime.close();
});

it('a stalled run shows the whole error, with what to do about it, in a narrow window and in a pipe [R19-WHOLE-SENTENCES]', async () => {
  const engine = memoryEngine();
  const options = { worker: false, suspendAfterMs: 1 };
  const open = (version: string, name: string) =>
    createRuntime({
      engine,
      agents: { agent: { version, agent: async (run: Run) => done(await run.wait({ name })) } },
      options,
    });
  const first = open('1', 'go');
  await (await first.start('agent', null, { id: 'r', budget: budget() })).outcome();
  await first.close();
  const second = open('2', 'begin');
  const resumed = await second.resume('r');
  await expect(resumed.outcome()).rejects.toThrow('At #0 the journal holds the wait "go"');
  const [record, entries] = [await second.get('r'), await second.entries('r')];
  const shown = { record, summary: summarise(entries), entries, command: commandLineFor(undefined) };
  for (const width of [40, 100])
    expect(headerLines(shown, { paint: (_color, text) => text, width }).join('\n')).toContain(
      `  stalled  ${record.attention}\n`,
    );
  expect(record.attention).toContain('Start a worker with the code that wrote this run, then retry the run.');
  await second.close();
});
