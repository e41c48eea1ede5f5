import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budget, createRuntime, done } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeHost } from '../../packages/flyball/src/adapters/host-node/node-host.js';
import { runProgram } from '../../packages/flyball/src/cli/program.js';
import { flyball } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-told-'));
const path = join(folder, 'runs.db');
const on = (...words: readonly string[]) => flyball([...words, '--db', path]);
const reason = `It does not match the journal, ${'because of what was changed, '.repeat(8)}in the end.`;

beforeAll(async () => {
  const agents = join(folder, 'agents.mjs');
  writeFileSync(agents, "export const agents = { echo: async () => ({ stop: 'done', value: 1 }) };");
  for (const id of ['one', 'two', 'three']) await on('run', agents, '--id', id, '--tenant', 'acme');
  const engine = await sqliteEngine({ path });
  const runtime = createRuntime({ engine, agents: { desk: async () => done(1) }, options: { worker: 'elsewhere' } });
  await runtime.start('desk', null, { budget: budget(), id: 'stuck' });
  const by = { owner: nodeHost().owner(), now: Date.now(), leaseMs: 60_000, isGone: () => false };
  const claim = await engine.claim('stuck', by);
  if (claim === undefined) throw new Error('Nobody else has the run.');
  await engine.release(claim, { status: 'stalled', attention: reason, now: Date.now() });
  await runtime.close();
  await engine.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('runs are listed with the whole reason of a stalled run, and cut only to the width of a terminal [R19-RUNS-LIST]', async () => {
  expect((await on('runs')).out).toContain(reason);
  let shown = '';
  const out = { isTTY: true, columns: 90, write: (text: string) => (shown += text) };
  await runProgram(['runs', '--db', path], { out, error: out, env: {} });
  expect(shown).not.toContain(reason);
  expect(shown.split('\n').every((line) => line.length <= 90)).toBe(true);
});

it('the command for the next page of runs has the filters and the limit of this one [R19-RUNS-LIST]', async () => {
  const filter = ['--status', 'done', '--agent', 'echo', '--tenant', 'acme', '--limit', '1'];
  const more = /^More: flyball (runs .*) --db .*$/m;
  const [, first = ''] = more.exec((await on('runs', ...filter)).out) ?? [];
  expect(first).toMatch(/^runs --status done --agent echo --tenant acme --limit 1 --cursor \S+$/);
  const [, second = ''] = more.exec((await on(...first.split(' '))).out) ?? [];
  const last = await on(...second.split(' '));
  expect(last.out).toContain('one');
  expect(last.out).not.toContain('More:');
});

it.each([
  ['check', ['check'], 'flyball runs --status stalled'],
  ['backup', ['backup', 'copy.db'], 'use pg_dump or pg_basebackup'],
  ['restore', ['restore', 'copy.db'], 'use pg_restore or psql'],
  ['prune --vacuum', ['prune', '--older', '1d', '--vacuum'], 'PostgreSQL frees space itself: run prune without'],
])('%s says what does the same on a server [R19-SERVER-TOOLS]', async (name, words, instead) => {
  const refused = await flyball([...words, '--db', 'postgres://u@127.0.0.1:1/x']);
  expect([refused.code, refused.error]).toEqual([
    2,
    expect.stringContaining(`flyball ${name} works on database files`),
  ]);
  expect(refused.error).toContain(instead);
});

it('bulk commands say in how many runs something was asked for, and when none matches [R19-BULK-WORDS]', async () => {
  for (const yes of [[], ['--yes']])
    expect((await on('bulk', 'retry', '--code', 'NOPE', ...yes)).out).toBe('No run matches. Nothing was changed.\n');
  expect((await on('bulk', 'retry', '--yes')).out).toBe(
    'Asked to retry 1 run. A server on this database will do it.\n',
  );
});

it('prune says how many runs and contents it removed [R19-PRUNE-WORDS]', async () => {
  const other = join(folder, 'pruned.db');
  await flyball(['run', join(folder, 'agents.mjs'), '--id', 'old', '--db', other]);
  const { out } = await flyball(['prune', '--older', '0s', '--yes', '--db', other]);
  expect(out).toMatch(/^1 run and \d+ stored contents? removed\.$/m);
});

it('an archive without the run is listed by the command that the error names [R19-ARCHIVE-ADVICE]', async () => {
  const place = join(folder, 'old runs');
  await on('archive', 'add', place, '--older', '0s', '--agent', 'echo', '--yes');
  for (const what of ['show', 'restore']) {
    const refused = await on('archive', what, place, 'one', '--tenant', 'other');
    expect([refused.code, refused.error]).toEqual([
      7,
      expect.stringContaining('no archive of run one of tenant other'),
    ]);
    expect(refused.error).toContain(`To list the runs in the archive, use: flyball archive list '${place}'`);
  }
});

it('owner gone shows a real id in its help, and says that the whole id is needed [R19-OWNER-ID]', async () => {
  const { out } = await flyball(['owner', 'gone', '--help']);
  expect(out).toContain('flyball owner gone node-3:1:31c5a92d');
  expect(nodeHost().owner().id).toMatch(/^.+:\d+:[0-9a-f]{8}$/);
  expect((await on('owner', 'gone', 'node-3')).error).toContain('Give the whole id.');
});
