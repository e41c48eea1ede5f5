import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { flyball } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-archive-'));
const agents = join(folder, 'agents.mjs');
const [file, place] = [join(folder, 'runs.db'), join(folder, 'archive')];
beforeAll(() =>
  writeFileSync(
    agents,
    `export const agents = {
  echo: async (run, input) => ({ stop: 'done', value: await run.step('echo', input, () => input, 'pure') }),
  waiter: async (run) => ({ stop: 'done', value: await run.wait({ name: 'go' }) }),
};`,
  ),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const on = (...words: readonly string[]) => flyball([...words, '--db', file]);
const json = async (...words: readonly string[]) => {
  const { code, out, error } = await on(...words, '--json');
  return { code, error, data: out === '' ? undefined : JSON.parse(out.trim().split('\n').at(-1) ?? '') };
};
const idsThere = async () => (await json('runs')).data.runs.map(({ id }: { id: string }) => id).sort();

it('flyball archive moves finished runs to a folder, reads them there, and puts them back once [R10-ARCHIVE-COMMAND]', async () => {
  for (const id of ['a', 'b'])
    await on('run', agents, '--agent', 'echo', '--id', id, '--input', JSON.stringify('word '.repeat(2_000)));
  await on('run', agents, '--agent', 'waiter', '--id', 'open');
  const shown = (await json('show', 'a')).data;
  const dry = await on('archive', 'add', place, '--older', '0s');
  expect(dry.out).toMatch(/2 runs would be archived.*Nothing was changed/s);
  expect(await idsThere()).toEqual(['a', 'b', 'open']);
  expect((await json('archive', 'add', place, '--older', '0s', '--yes')).data.archived.sort()).toEqual(['a', 'b']);
  expect(await idsThere()).toEqual(['open']);
  expect((await json('archive', 'list', place)).data.runs.map(({ id }: { id: string }) => id)).toEqual(['a', 'b']);
  const read = await json('archive', 'show', place, 'a');
  expect(read.data.run).toMatchObject({ id: 'a', status: 'done' });
  expect(read.data.entries.length).toBeGreaterThan(2);
  expect((await on('archive', 'restore', place, 'a')).code).toBe(0);
  expect((await on('archive', 'restore', place, 'a')).code).toBe(8); // it is there
  expect((await json('show', 'a')).data).toEqual(shown);
  expect((await on('operations')).out).toMatch(/archive {2}b.*archive {2}a.*restore {2}a/s);
  expect((await on('check')).code).toBe(0);
  truncateSync(join(place, 'default', 'b.jsonl.gz'), 100);
  const broken = await on('archive', 'restore', place, 'b');
  expect([broken.code, broken.error]).toEqual([expect.any(Number), expect.stringContaining('is damaged')]);
  expect(await idsThere()).toEqual(['a', 'open']);
});

it('flyball archive says what is wrong with a place [R10-ARCHIVE-COMMAND]', async () => {
  expect((await on('archive', 'list', 'ftp://there')).error).toContain('An archive is a folder or s3://bucket/prefix');
  const bare = await on('archive', 'list', 's3://bucket');
  expect([bare.code, bare.error]).toEqual([2, expect.stringContaining('Set AWS_ACCESS_KEY_ID')]);
  expect((await on('archive', 'show', place, 'nowhere')).error).toContain('no archive of run nowhere');
});
