import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { budget, done, type Run, type Tool } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFile } from '../../adapters/engine-sqlite/available-drivers.test-data.js';
import { createRuntime } from '../../create-runtime.js';
import { placeOf } from '../place.js';
import { screenOn } from '../screen.js';
import { exportCommand } from './export.js';

const SECRET = 'hunter2';

const diary: Tool<{ day: string }, string> = {
  name: 'diary',
  description: 'reads the diary',
  effect: 'idempotent',
  execute: async () => `I wrote ${SECRET}`,
};

const weather: Tool<null, string> = {
  ...diary,
  name: 'weather',
  effect: 'pure',
  execute: async () => 'it rains',
} as never;

async function agent(run: Run) {
  run.note({ kind: 'private', tools: ['diary'] });
  run.note({ kind: 'observation', type: 'decision', content: `trust ${SECRET}`, tags: ['private'] });
  run.note({ kind: 'loop-start', loop: '' });
  run.note({ kind: 'iteration', n: 1, loop: '' });
  await run.call(diary, { day: SECRET });
  await run.call(weather, null);
  run.note({ kind: 'loop-end', loop: '', reason: 'completed', iterations: 1, toolCalls: 2 });
  const confessor = async (child: Run) => {
    child.note({ kind: 'private' });
    return done(await child.step('hear', SECRET, (text) => text, 'idempotent'));
  };
  await run.spawn(confessor, SECRET, {});
  return done('it rains');
}

async function exported(format: string): Promise<string> {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  const engine = await file.open();
  const runtime = createRuntime({ engine, agents: { agent }, options: { worker: false } });
  const handle = await runtime.start('agent', null, { id: 'r1', budget: budget() });
  expect(await handle.outcome()).toMatchObject({ stop: 'done' });
  expect(JSON.stringify(await runtime.entries('r1'))).toContain(SECRET);
  await runtime.close();
  await engine.close();
  const out = join(dirname(file.path), 'out.json');
  const silent = { write: () => true };
  let code: number | undefined;
  const command = exportCommand(async (options, _subject, work) => {
    const screen = screenOn({ out: silent, error: silent, env: {} }, false);
    code = await work({ screen, place: placeOf(options.db, {}), env: {} });
  });
  await command.parseAsync(['r1', '--db', file.path, '--format', format, '--out', out], { from: 'user' });
  expect(code).toBe(0);
  return readFileSync(out, 'utf8');
}

describe('flyball export', () => {
  it.each([
    'audit',
    'entries',
    'metrics',
    'observations',
    'failures',
    'loops',
    'trace',
    'checkpoint',
    'provenance',
    'cost',
  ])('writes nothing private as %s [R3-OBS-PRIVATE]', async (format) => {
    expect(await exported(format)).not.toContain(SECRET);
  });

  it('writes observations a line each, and still tells that the private calls were made [R3-OBS-CAPTURE]', async () => {
    const lines = (await exported('observations')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: 'tool_call', content: 'it rains', session: 'r1', agent: 'agent', metadata: { tool: 'weather' } },
    ]);
    expect(await exported('entries')).toContain('"name":"diary"');
  });

  it('writes loops with a step an iteration and an action a tool call [R3-OBS-TRACE]', async () => {
    const [loop] = JSON.parse(await exported('loops')) as { steps: { actions: { tool: string }[] }[] }[];
    expect(loop?.steps.map(({ actions }) => actions.map(({ tool }) => tool))).toEqual([['diary', 'weather']]);
  });
});
