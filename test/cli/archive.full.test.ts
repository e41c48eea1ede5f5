import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
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

it('flyball archive moves finished runs to a folder, reads them there, and puts them back once, whole [R10-ARCHIVE-COMMAND] [R19-RESTORED-EXPORT]', async () => {
  for (const id of ['a', 'b'])
    await on('run', agents, '--agent', 'echo', '--id', id, '--input', JSON.stringify('word '.repeat(2_000)));
  await on('run', agents, '--agent', 'waiter', '--id', 'open');
  const shown = (await json('show', 'a')).data;
  const exported = async () => {
    const texts: string[] = [];
    for (const format of ['audit', 'entries']) {
      const out = join(folder, format);
      expect((await on('export', 'a', '--format', format, '--out', out)).code).toBe(0);
      texts.push(readFileSync(out, 'utf8'));
    }
    return texts;
  };
  const whole = await exported();
  expect(whole[1]).toContain('run-end');
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
  expect(await exported()).toEqual(whole);
  const twice = await on('archive', 'restore', place, 'a');
  expect([twice.code, twice.error]).toEqual([8, expect.stringContaining('Run a is in the database already')]);
  expect(twice.error).not.toContain('--id');
  expect((await json('show', 'a')).data).toEqual(shown);
  expect((await on('operations')).out).toMatch(/archive {2}b.*archive {2}a.*restore {2}a/s);
  expect((await on('check')).code).toBe(0);
  truncateSync(join(place, 'default', 'b.jsonl.gz'), 100);
  const broken = await on('archive', 'restore', place, 'b');
  expect([broken.code, broken.error]).toEqual([expect.any(Number), expect.stringContaining('is damaged')]);
  expect(broken.error).not.toContain('Make a copy of'); // the database is sound
  expect(await idsThere()).toEqual(['a', 'open']);
});

it('flyball archive restores a file of another database only with --trust-file [R10-ARCHIVE-FORGED]', async () => {
  await on('run', agents, '--agent', 'echo', '--id', 'moving', '--input', '"here"');
  expect((await json('archive', 'add', place, '--older', '0s', '--yes')).data.archived).toContain('moving');
  const other = (...words: readonly string[]) => flyball([...words, '--db', join(folder, 'other.db')]);
  await other('run', agents, '--agent', 'echo', '--id', 'first', '--input', '1');
  const refused = await other('archive', 'restore', place, 'moving');
  expect([refused.code, refused.error]).toEqual([2, expect.stringMatching(/operations log.*--trust-file/s)]);
  expect((await other('archive', 'show', place, 'moving')).out).toContain('nothing shows who wrote this file');
  expect((await other('runs')).out).not.toContain('moving');
  expect((await other('archive', 'restore', place, 'moving', '--trust-file')).code).toBe(0);
  expect((await other('show', 'moving')).out).toContain('here');
  expect((await other('operations', '--json')).out).toContain('the file was trusted');
});

it('flyball archive restores into a database that does not exist yet [R19-ARCHIVE-NEW]', async () => {
  await on('run', agents, '--agent', 'echo', '--id', 'far', '--input', '"far"');
  await json('archive', 'add', place, '--older', '0s', '--yes');
  const fresh = (...words: readonly string[]) => flyball([...words, '--db', join(folder, 'fresh.db')]);
  expect((await fresh('archive', 'restore', place, 'far')).code).toBe(2); // no log lists it
  expect(existsSync(join(folder, 'fresh.db'))).toBe(false);
  expect(await fresh('archive', 'restore', place, 'far', '--trust-file')).toMatchObject({ code: 0, error: '' });
  expect((await fresh('show', 'far')).out).toContain('far');
  await fresh('prune', '--older', '0s', '--yes');
  const pruned = await fresh('archive', 'restore', place, 'far', '--trust-file');
  expect([pruned.code, pruned.error]).toEqual([8, expect.stringContaining('Run far was pruned or erased')]);
  expect(pruned.error).not.toContain('--id');
});

it.each([['list'], ['show', 'a'], ['restore', 'a']])(
  'flyball archive %s refuses a folder that is not there [R19-ARCHIVE-NEW]',
  async (command, ...ids) => {
    const nowhere = join(folder, 'nowhere');
    const { code, error } = await on('archive', command, nowhere, ...ids);
    expect([code, error]).toEqual([2, expect.stringContaining(`There is no folder ${nowhere}`)]);
  },
);

it('flyball archive shows a fork without the run that it was forked from [R10-ARCHIVE-COMMAND]', async () => {
  await on('run', agents, '--agent', 'echo', '--id', 'parent', '--input', '"p"');
  await on('fork', 'parent', '--at', '0', '--id', 'child');
  const { archived } = (await json('archive', 'add', place, '--older', '0s', '--yes')).data;
  expect(archived).toEqual(expect.arrayContaining(['child', 'parent']));
  const shown = await json('archive', 'show', place, 'child');
  expect([shown.code, shown.data.run.fork]).toEqual([0, { run: 'parent', generation: 0, seq: 0 }]);
});

it('flyball archive lists what others put there as what it is [R10-ARCHIVE-HOSTILE]', async () => {
  const odd = join(folder, 'odd');
  mkdirSync(join(odd, 'acme'), { recursive: true });
  for (const name of ['%.jsonl.gz', '%41.jsonl.gz', 'notes.txt', 'run_1.jsonl.gz'])
    writeFileSync(join(odd, 'acme', name), 'x');
  symlinkSync(folder, join(odd, 'beta'));
  const { code, data } = await json('archive', 'list', odd);
  expect([code, data.runs]).toEqual([0, [{ tenant: 'acme', id: 'run_1', key: 'acme/run_1.jsonl.gz' }]]);
  expect(data.unreadable).toEqual(['acme/%.jsonl.gz', 'acme/%41.jsonl.gz', 'acme/notes.txt', 'beta']);
  expect((await on('archive', 'list', odd)).out).toContain('acme/%.jsonl.gz is not the archive of a run');
  expect((await on('archive', 'show', odd, 'x', '--tenant', 'beta')).error).toContain('Links are not followed');
});

it('flyball archive says what is wrong with a place [R10-ARCHIVE-COMMAND]', async () => {
  expect((await on('archive', 'list', 'ftp://there')).error).toContain('An archive is a folder or s3://bucket/prefix');
  const bare = await on('archive', 'list', 's3://bucket');
  expect([bare.code, bare.error]).toEqual([2, expect.stringContaining('Set AWS_ACCESS_KEY_ID')]);
  expect((await on('archive', 'show', place, 'nowhere')).error).toContain('no archive of run nowhere');
});
