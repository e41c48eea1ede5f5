import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { budget, done, type Run, type Tool } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFile } from '../../adapters/engine-sqlite/available-drivers.test-data.js';
import type { Entry } from '../../core/events.js';
import { createRuntime } from '../../create-runtime.js';
import { verifyAudit } from '../../views/audit.js';
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

const STEERING = 'a\u009b31m\u202eb\u2028c\u2066d\u007f';
const RAW = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

async function steering(run: Run) {
  run.note({ kind: 'observation', type: 'decision', content: STEERING });
  run.note({ kind: 'loop-start', loop: '' });
  run.note({ kind: 'iteration', n: 1, loop: '' });
  await run.call(diary, { day: STEERING });
  run.note({ kind: 'loop-end', loop: '', reason: STEERING, iterations: 1, toolCalls: 1 });
  await run.step('fail', STEERING, () => Promise.reject(new Error(STEERING)), 'pure');
  return done(STEERING);
}

async function exported(format: string, name: 'agent' | 'steering' = 'agent'): Promise<string> {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  const engine = await file.open();
  const runtime = createRuntime({ engine, agents: { agent, steering }, options: { worker: false } });
  const handle = await runtime.start(name, null, { id: 'r1', budget: budget() });
  expect(await handle.outcome()).toMatchObject({ stop: name === 'agent' ? 'done' : 'failed' });
  expect(JSON.stringify(await runtime.entries('r1'))).toContain(name === 'agent' ? SECRET : STEERING);
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

const FORMATS = [
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
];

describe('flyball export', () => {
  it.each(FORMATS)('writes nothing private as %s [R3-OBS-PRIVATE]', async (format) => {
    expect(await exported(format)).not.toContain(SECRET);
  });

  it.each(FORMATS)('writes nothing that steers a terminal as %s [R8-TRIAL3-A12]', async (format) => {
    expect(await exported(format, 'steering')).not.toMatch(RAW);
  });

  it('means the same with the escapes, and its audit verifies [R8-TRIAL3-A12]', async () => {
    const lines = (await exported('audit', 'steering')).trim().split('\n');
    expect(verifyAudit(lines)).toMatchObject({ ok: true, run: 'r1' });
    const raw = lines.map((line) => line.replaceAll(/\\u202e/g, '\u202e'));
    expect(verifyAudit(raw)).toMatchObject({ ok: false });
    const entries = (await exported('entries', 'steering')).trim().split('\n');
    const ended = entries.map((line) => (JSON.parse(line) as Entry).event).find(({ type }) => type === 'run-end');
    expect(ended).toMatchObject({ outcome: { because: STEERING } });
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
