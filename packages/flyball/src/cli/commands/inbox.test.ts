import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budget, createRuntime, done, type Run } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../program.js';

async function said(...words: readonly string[]): Promise<string> {
  let out = '';
  const write = (text: string) => (out += text);
  await runProgram(words, { out: { write }, error: { write }, env: {} });
  return out;
}

it('a doubt says why only a person can tell, and lists the commands that answer it [R19-DOUBT-WHY]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-inbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'runs.db');
  const pay = () => {
    throw Object.assign(new Error('the connection broke'), { inDoubt: true });
  };
  const agent = async (run: Run) =>
    done(await run.step('pay', { euros: 5 }, pay, { class: 'undoable', compensate: async () => undefined }));
  const runtime = createRuntime({ engine: await sqliteEngine({ path }), agents: { agent } });
  const handle = await runtime.start('agent', null, { id: 'r1', budget: budget() });
  await handle.outcome();
  await runtime.close();

  const why = 'pay was started, but its end was not recorded, and it cannot be checked automatically. Did it happen?';
  const answers = [`flyball answer r1 '{"happened":true,"result":null}'`, `flyball answer r1 '{"happened":false}'`];
  const listed = await said('inbox', '--db', path);
  expect(listed).toContain(`    ${why}\n`);
  for (const answer of answers) expect(listed).toContain(`    ${answer}`);
  const shown = await said('show', 'r1', '--db', path);
  expect(shown).toContain(`           ${why}\n`);
  for (const answer of answers) expect(shown).toContain(`           ${answer}`);
});
