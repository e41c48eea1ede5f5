import { expect, it } from 'vitest';
import { AGENTS } from './flyball.js';
import { projectWith } from './project-with-package.js';

const project = (module: string) => projectWith('flyball-drawer', 'engines', module);

const DRAWER = `
import { sqliteEngine } from ${JSON.stringify(import.meta.resolve('../../packages/flyball/dist/adapters/engine-sqlite/index.js'))};
export const engines = { drawer: (address) => sqliteEngine({ path: address.split('/').at(-1) + '.db' }) };`;

it('a package that the project depends on opens its own addresses for every command [R10-WORK-DB]', async () => {
  const here = project(DRAWER);
  const db = ['--db', 'drawer://ada:secret@oak/top'];
  const ran = await here.flyball('run', AGENTS, '--agent', 'greet', '--input', '{"name":"Ada"}', '--id', 'one', ...db);
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Ada: draft 1') });
  const listed = await here.flyball('runs', '--json', ...db);
  expect(JSON.parse(listed.out).runs).toMatchObject([{ id: 'one', status: 'done' }]);
  const check = await here.flyball('check', ...db);
  expect([check.code, check.error]).toEqual([2, expect.stringContaining('drawer://ada@oak/top')]);
  expect(ran.out + ran.error + listed.error + check.error).not.toContain('secret');
});

it('an address that nobody opens, and a package that opens none, are told in a sentence [R10-WORK-DB]', async () => {
  const here = project('export const other = 1;');
  const empty = await here.flyball('runs', '--db', 'drawer://oak/top');
  expect([empty.code, empty.error]).toEqual([2, expect.stringContaining('exports no "engines"')]);
  const none = project(DRAWER);
  const unknown = await none.flyball('runs', '--db', 'mysql://root:secret@host/x');
  expect([unknown.code, unknown.error]).toEqual([
    2,
    expect.stringContaining('No installed package opens mysql://root@host/x.'),
  ]);
  expect(unknown.error).not.toContain('secret');
});
