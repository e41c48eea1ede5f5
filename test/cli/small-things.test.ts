import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

it('the first key says that it closes the doors; the second has nothing to close [R8-WAYS-FIRST-KEY]', async () => {
  const make = (name: string) => flyball(['keys', 'create', '--name', name, '--scope', 'runs:read', ...db]);
  const closes = 'and their studio, require credentials';
  expect((await make('one')).out).toContain(closes);
  expect((await make('two')).out).not.toContain(closes);
});
