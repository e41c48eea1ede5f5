import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { flyball } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-move-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [old, fresh, archive] = ['old.db', 'new.db', 'archive'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];

/** The commands of docs/postgres.md, one line each, for the files of this test. */
function printed(): readonly (readonly string[])[] {
  const page = readFileSync(join(root, 'docs/postgres.md'), 'utf8');
  const [, section = ''] = /^## Move from SQLite\n(.*?)^## /ms.exec(page) ?? [];
  const lines = [...section.matchAll(/^flyball (?!.*\|).*$/gm)].map(([line]) => line.replace(/ +#.*/, ''));
  const given: Readonly<Record<string, string>> = {
    '/archive': archive,
    '"$NEW"': fresh,
    '.flyball/flyball.db': old,
  };
  return lines.map((line) =>
    line
      .split(' ')
      .slice(1)
      .map((word) => given[word] ?? word),
  );
}

it('the commands that move from one database to another work as they are printed [R19-MOVE-DATABASE]', async () => {
  const agents = join(folder, 'agents.mjs');
  writeFileSync(
    agents,
    `export const agents = {
  echo: async (run, input) => ({ stop: 'done', value: await run.step('echo', input, () => input, 'pure') }),
  waiter: async (run) => ({ stop: 'done', value: await run.wait({ name: 'go' }) }),
};`,
  );
  const on = async (db: string, ...words: readonly string[]) => flyball([...words, '--db', db]);
  await on(old, 'run', agents, '--agent', 'echo', '--id', 'run_1f0c', '--tenant', 'acme', '--input', '"moved"');
  await on(old, 'run', agents, '--agent', 'waiter', '--id', 'open', '--tenant', 'acme');

  const commands = printed();
  expect(commands.map((words) => words.slice(0, 2).join(' '))).toEqual([
    'keys create',
    'archive add',
    'archive list',
    'archive restore',
  ]);
  for (const words of commands) expect(await flyball(words), words.join(' ')).toMatchObject({ code: 0, error: '' });

  const runsIn = async (db: string) =>
    JSON.parse((await on(db, 'runs', '--json')).out).runs.map(({ id, tenant }: { id: string; tenant: string }) => [
      tenant,
      id,
    ]);
  expect(await runsIn(old)).toEqual([['acme', 'open']]);
  expect(await runsIn(fresh)).toEqual([['acme', 'run_1f0c']]);
  expect((await on(fresh, 'show', 'run_1f0c')).out).toContain('moved');
  expect((await on(fresh, 'keys', 'list')).out).toContain('admin');
});
