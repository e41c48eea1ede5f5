import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budget, createRuntime, done } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { afterAll, expect, it } from 'vitest';
import { flyball } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-small-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const agents = join(folder, 'agents.mjs');
writeFileSync(
  agents,
  `export const agents = {
  echo: async (run, input) => ({ stop: 'done', value: input }),
  sleeper: async (run) => { await run.sleep(3_600_000); return { stop: 'done', value: null }; },
};`,
);
const db = ['--db', join(folder, 'runs.db')];

it.each(['', ' ', 'two words', 'a\nb'])('a run has an id that can be typed: %j is none [F-O9]', async (id) => {
  const refused = await flyball(['run', agents, '--agent', 'echo', '--id', id, ...db]);
  expect(refused.code).toBe(2);
  expect(refused.error).toContain('1 to 200 characters without spaces');
});

it('input that is not UTF-8 is refused, and not replaced [F-O9]', async () => {
  const file = join(folder, 'latin1.json');
  writeFileSync(file, Buffer.from('"caf\xe9"', 'latin1'));
  const refused = await flyball(['run', agents, '--agent', 'echo', '--input', `@${file}`, ...db]);
  expect(refused.code).toBe(2);
  expect(refused.error).toContain('is not UTF-8');
});

it('nobody is asked to answer a run that sleeps [F-O9]', async () => {
  const { code, out } = await flyball(['run', agents, '--agent', 'sleeper', '--id', 'asleep', ...db]);
  expect(code).toBe(3);
  expect(out).toContain('A server continues it then. Without a server, continue with:');
  expect(out).not.toContain('Answer with');
});

it('says to start the program of a run that no file started [R6-CLI-GRAMMAR]', async () => {
  const path = join(folder, 'program.db');
  const engine = await sqliteEngine({ path });
  const runtime = createRuntime({ engine, agents: { asks: async (run) => done(await run.wait({ name: 'go' })) } });
  await (await runtime.start('asks', null, { budget: budget(), id: 'own' })).outcome();
  await runtime.close();
  await engine.close();
  const refused = await flyball(['resume', 'own', '--db', path]);
  expect(refused.code).toBe(7);
  expect(refused.error).toContain('was not started from a file');
  expect(refused.error).toContain('Start the program that started it');
  expect(refused.error).not.toContain('--agent');
});

it('names the help of the command that was used wrongly, also of one in a group [R6-CLI-GRAMMAR]', async () => {
  const refused = await flyball(['keys', 'create', ...db]);
  expect(refused.error).toContain('Run flyball keys create --help for usage and examples.');
});

it('the first key says that it closes the doors; the second has nothing to close [R8-WAYS-FIRST-KEY]', async () => {
  const make = (name: string) => flyball(['keys', 'create', '--name', name, '--scope', 'runs:read', ...db]);
  const closes = 'and their studio, require credentials';
  expect((await make('one')).out).toContain(closes);
  expect((await make('two')).out).not.toContain(closes);
});

it.each([[['runs']], [['plugin', 'nothing']], [['__complete', '--', 'ru']]])(
  'an address of a database with a slip in it ends %j in a sentence, and is not shown [R10-WORK-DB-SLIPS]',
  async (words) => {
    const { code, out, error } = await flyball(words, { FLYBALL_DB: 'postgres:/u:SECRET@host/x' });
    if (words[0] === 'runs') expect([code, error]).toEqual([2, expect.stringContaining('cannot be read as one')]);
    expect(out + error).not.toContain('SECRET');
  },
);
