import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { repetitions } from '../repetitions.js';

const START = join(root, 'packages/flyball/dist-examples/studio/start.js');
const { FLYBALL_MODEL: _model, OPENAI_API_KEY: _key, OLLAMA_HOST: _host, ...inherited } = process.env;
const env = { ...inherited, NODE_OPTIONS: '', FLYBALL_DEMONSTRATION: '1', OLLAMA_HOST: 'http://127.0.0.1:9' };

/** Every sentence of `npm start` about a crash, held against the journal in the moment in which it is printed. */
it('npm start speaks of a crash only when the journal has the takeover [F-T3]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const child = spawn(process.execPath, [START, '--port', '0'], { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const spoken = /^ +(month-end-\w+): (.*\b(?:killed|took|takes)\b.*)$/m;
  while (!spoken.test(said)) {
    if (child.exitCode !== null) throw new Error(`It ended without a word about the crash:\n${said}`);
    await once(child.stdout, 'data');
  }
  const [, run = '', sentence = ''] = spoken.exec(said) ?? [];
  const engine = await sqliteEngine({ path: join(folder, '.flyball/studio/studio.db') });
  const runtime = createRuntime({ engine, agents: {}, options: { worker: false } });
  const entries = await runtime.entries(run);
  await runtime.close();
  await engine.close();

  const attempts = entries.flatMap(({ event }) => (event.type === 'attempt-start' ? [event] : []));
  expect(attempts.map(({ why }) => why)).toEqual(['start', 'takeover']);
  const [first, second] = attempts.map(({ owner }) => owner.pid);
  expect(second).toBe(child.pid);
  expect(sentence).toContain(`process ${first} was killed`);
  expect(sentence).toContain(`process ${second} resumed the run`);
  const cut = /in the middle of (\S+),/.exec(sentence)?.[1];
  const at = entries.findIndex(({ event }) => event.type === 'attempt-start' && event.why === 'takeover');
  const before = entries.slice(0, at).map(({ event }) => event);
  const open = before.flatMap((event) =>
    event.type === 'intent' &&
    !before.some(({ type, ...end }) => type === 'complete' && 'id' in end && end.id === event.id)
      ? [event.name]
      : [],
  );
  expect(open).toEqual(cut === undefined ? [] : [cut]);
  child.kill('SIGINT');
  await once(child, 'exit');
});

it('npm start -- --check holds again and again, and says what the journal says [F-T3]', async () => {
  for (let n = 0; n < repetitions({ sample: 2, full: 5 }); n++) {
    const child = spawn(process.execPath, [START, '--check'], { cwd: root, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    const [code] = await once(child, 'close');
    expect(code, said).toBe(0);
    expect(said).toMatch(/month-end-\w+: process \d+ was killed .*, and process \d+ resumed the run\./);
    expect(said).toContain('The check passed');
  }
});
