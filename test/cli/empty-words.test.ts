import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { flyball } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-empty-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const unset = 'is empty. If its value comes from a variable, the variable may be unset.';

it.each([
  ['runs'],
  ['run', 'agent.yaml'],
  ['check'],
  ['prune', '--older', '1d'],
  ['keys', 'list'],
  ['serve'],
  ['doctor', '--no-ask'],
])('an empty --db is refused: %s [R19-CLI-EMPTY]', async (...words) => {
  for (const empty of ['', ' ']) {
    const refused = await flyball([...words, '--db', empty]);
    expect([refused.code, refused.error]).toEqual([2, expect.stringContaining(`--db ${unset}`)]);
  }
});

it('an empty place of an archive is refused, and no run is moved into the current folder [R19-CLI-EMPTY]', async () => {
  const agents = join(folder, 'agents.mjs');
  writeFileSync(agents, "export const agents = { echo: async () => ({ stop: 'done', value: 1 }) };");
  const db = ['--db', join(folder, 'runs.db')];
  await flyball(['run', agents, '--id', 'one', ...db]);
  const [before, seen] = [process.cwd(), () => readdirSync(folder).sort()];
  const files = seen();
  process.chdir(folder);
  try {
    for (const words of [
      ['add', '', '--older', '0s', '--yes'],
      ['list', ''],
      ['show', ' ', 'one'],
      ['restore', '', 'one'],
    ]) {
      const refused = await flyball(['archive', ...words, ...db]);
      expect([refused.code, refused.error]).toEqual([2, expect.stringContaining(`The place of the archive ${unset}`)]);
    }
  } finally {
    process.chdir(before);
  }
  expect(seen()).toEqual(files);
  expect((await flyball(['runs', ...db])).out).toContain('one');
});
