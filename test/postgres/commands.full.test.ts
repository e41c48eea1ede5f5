import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { AGENTS, type Desk, newDesk } from '../cli/flyball.js';
import { monthsOf, PAST } from './months.js';
import { asAdmin, freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped commands on PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('commands on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  let here: Desk;
  let address: string;
  beforeAll(async () => {
    server = await sharedServer();
    address = `${server.url.replace('postgres@', 'postgres:unasked@')}?schema=${freshSchema()}`;
    here = newDesk({ env: { FLYBALL_DB: address } });
  });
  afterAll(() => {
    here?.clear();
    server?.remove();
  });

  const run = (id: string, agent: string, input: unknown) =>
    here.flyball('run', AGENTS, '--agent', agent, '--input', JSON.stringify(input), '--id', id);

  it('run, list, show, answer and resume runs, by --db and FLYBALL_DB [R10-WORK-DB]', async () => {
    expect(await here.flyball('runs')).toMatchObject({ code: 0, out: expect.stringMatching(/^No runs yet: postgres/) });
    expect(await run('one', 'greet', { name: 'Ada' })).toMatchObject({ code: 0 });
    const waits = await run('two', 'form', null);
    expect(waits.out).toContain('two');
    expect(await here.flyball('signal', 'two', 'form', '{"age":36}')).toMatchObject({ code: 0 });
    const listed = JSON.parse((await here.flyball('runs', '--json')).out) as { readonly runs: readonly unknown[] };
    expect(listed.runs).toMatchObject([
      { id: 'two', status: 'done' },
      { id: 'one', status: 'done' },
    ]);
    const elsewhere = newDesk();
    onTestFinished(() => elsewhere.clear());
    const shown = await elsewhere.flyball('show', 'two', '--db', address);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('"age":36') });
    const doctor = await here.flyball('doctor', '--no-ask', '--json');
    expect(doctor.out).toContain('2 runs');
    expect(waits.out + shown.out + doctor.out).not.toContain('unasked');
  });

  it('commands that only read make nothing where nothing is stored [R10-WORK-READS-MAKE-NOTHING]', async () => {
    const schema = freshSchema();
    const typo = `${server.url}?schema=${schema}`;
    const desk = newDesk({ env: { FLYBALL_DB: typo } });
    onTestFinished(() => desk.clear());
    for (const words of [['runs'], ['inbox'], ['doctor', '--no-ask'], ['keys', 'list']])
      expect(await desk.flyball(...words), words.join(' ')).toMatchObject({ code: 0 });
    expect((await desk.flyball('runs')).out).toMatch(
      /^No runs yet: postgres:.* has no Flyball tables yet\. They are created when .*To start one/,
    );
    for (const words of [['workers'], ['operations'], ['owner', 'list'], ['prune', '--older', '1d']])
      expect(await desk.flyball(...words), words.join(' ')).toMatchObject({
        code: 2,
        error: expect.stringContaining(schema),
      });
    expect((await desk.flyball('show', 'one')).error).toMatch(
      /There is no run one: postgres:.* has no Flyball tables yet/,
    );
    expect(await asAdmin(server.url, `SELECT nspname FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
    expect(await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{"name":"Ada"}')).toMatchObject({
      code: 0,
    });
    expect((await desk.flyball('runs')).out).toContain('greet');
  });

  it('prune, erase, hold, operations and export work there; those of files say so [R10-WORK-DB]', async () => {
    await run('old', 'greet', { name: 'Bob' });
    expect(await here.flyball('hold', 'old', '--reason', 'audit')).toMatchObject({ code: 0 });
    expect(await here.flyball('prune', '--older', '0d', '--yes')).toMatchObject({ code: 0 });
    const left = JSON.parse((await here.flyball('runs', '--json')).out) as { readonly runs: readonly unknown[] };
    expect(left.runs).toMatchObject([{ id: 'old' }]);
    expect((await here.flyball('operations', '--json')).out).toContain('"hold"');
    for (const words of [
      ['check'],
      ['backup', 'copy.db'],
      ['restore', 'copy.db'],
      ['prune', '--older', '1d', '--vacuum'],
    ])
      expect(await here.flyball(...words)).toMatchObject({
        code: 2,
        error: expect.stringContaining('works on database files'),
      });
  });

  it.skipIf(spawnSync('jq', ['--version']).status !== 0)(
    'a move from SQLite, with all runs of all tenants, works as it is printed [R19-MOVE-DATABASE]',
    async () => {
      const desk = newDesk();
      onTestFinished(() => desk.clear());
      const fresh = `${server.url}?schema=${freshSchema()}`;
      for (const [id, tenant] of [
        ['run_1f0c', 'acme'],
        ['run_2', 'acme'],
        ['run_3', 'other'],
      ] as const)
        await desk.flyball(
          'run',
          AGENTS,
          '--agent',
          'greet',
          '--input',
          '{"name":"Ada"}',
          '--id',
          id,
          '--tenant',
          tenant,
        );
      const page = readFileSync(join(root, 'docs/postgres.md'), 'utf8');
      const [, section = ''] = /^## Move from SQLite\n(.*?)^## /ms.exec(page) ?? [];
      const fences = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands).join('');
      const script = fences
        .replace(/(?<=export NEW=).*/, `'${fresh}'`)
        .replaceAll(' /archive', ` ${join(desk.folder, 'archive')}`);
      await desk.paste(script);
      const { out } = await desk.flyball('runs', '--json', '--db', fresh);
      const moved = JSON.parse(out) as { readonly runs: readonly { readonly id: string; readonly tenant: string }[] };
      expect(moved.runs.map(({ id, tenant }) => `${tenant} ${id}`).sort()).toEqual([
        'acme run_1f0c',
        'acme run_2',
        'other run_3',
      ]);
      expect((await desk.flyball('runs')).out).toBe('No matching runs.\n');
      expect((await desk.flyball('keys', 'list', '--db', fresh)).out).toContain('admin');
    },
  );

  it('prune and archive drop a month that is over as a whole, and restore puts a run of it back [R10-PG-MONTHS]', async () => {
    const schema = freshSchema();
    const months = monthsOf(server.url, schema);
    const desk = newDesk({ env: { FLYBALL_DB: `${server.url}?schema=${schema}` } });
    onTestFinished(() => desk.clear());
    const size = async () =>
      (
        await months.sql(`SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c
        WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND relname LIKE 'events%'`)
      )[0]?.['bytes'];
    await (await open(server.url, { schema })).close();
    const empty = await size();
    const ahead = await months.partitions();
    const place = join(desk.folder, 'archive');
    for (const remove of [['prune'], ['archive', 'add', place]]) {
      await months.make(PAST);
      await months.turnTo(PAST);
      for (const id of [`${remove[0]}-1`, `${remove[0]}-2`])
        await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{"name":"Ada"}', '--id', id);
      await months.turnTo();
      expect(Object.keys(await months.stored(`${remove[0]}-1`))).toEqual([`events_${PAST}`]);
      expect(await desk.flyball(...remove, '--older', '0d', '--yes')).toMatchObject({ code: 0 });
      expect(await months.partitions()).toEqual(ahead);
      expect(await size()).toBe(empty);
    }
    expect(await desk.flyball('archive', 'restore', place, 'archive-1')).toMatchObject({ code: 0 });
    expect(Object.keys(await months.stored('archive-1'))).toEqual([`events_${await months.thisMonth()}`]);
    expect((await desk.flyball('show', 'archive-1')).out).toContain('done');
    expect((await desk.flyball('operations', '--json')).out.match(/"action":"(prune|archive|restore)"/g)).toHaveLength(
      5,
    );
  });

  it('serve keeps its runs and keys there, and stops in order [R10-WORK-DB]', async () => {
    const key = await here.flyball('keys', 'create', '--name', 'ci', '--scope', 'admin', '--json');
    const { secret } = JSON.parse(key.out) as { readonly secret: string };
    const serving = here.talk('serve', AGENTS, '--port', '0', '--json');
    onTestFinished(() => void serving.child.kill('SIGKILL'));
    await serving.says('"serving"');
    const line =
      serving
        .out()
        .split('\n')
        .find((text) => text.includes('"serving"')) ?? '{}';
    const { url } = JSON.parse(line) as { readonly url: string };
    const answer = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ agent: 'greet', input: { name: 'Eve' } }),
    });
    expect(answer.status, await answer.clone().text()).toBe(202);
    serving.child.kill('SIGTERM');
    const ended = await serving.ended;
    expect(ended.code).toBe(0);
    expect(ended.out + ended.error).not.toContain('unasked');
    expect((await here.flyball('runs')).out).toContain('greet');
  });

  it('a user who may only read can look at runs, and is told at once what is missing for a server [R19-PG-RIGHTS]', async () => {
    const schema = freshSchema();
    const owned = `${server.url}?schema=${schema}`;
    const desk = newDesk({ env: { FLYBALL_DB: owned } });
    onTestFinished(() => desk.clear());
    const made = await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{"name":"Ada"}', '--id', 'one');
    expect(made).toMatchObject({ code: 0 });
    const role = `reads_${schema}`;
    await asAdmin(
      server.url,
      `CREATE ROLE ${role} LOGIN`,
      `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    );
    const reading = ['--db', owned.replace('postgres@', `${role}@`)];
    for (const words of [['runs'], ['show', 'one'], ['inbox'], ['workers']])
      expect(await desk.flyball(...words, ...reading), words.join(' ')).toMatchObject({ code: 0 });
    for (const words of [
      ['serve', AGENTS, '--port', '0'],
      ['mcp', AGENTS],
    ])
      expect(await desk.flyball(...words, ...reading), words.join(' ')).toMatchObject({
        code: 9,
        error: expect.stringContaining(`The database user ${role} may not write to the schema ${schema}`),
      });
    const started = await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{"name":"Bob"}', ...reading);
    expect(started).toMatchObject({ code: 9, error: expect.stringContaining('GRANT SELECT, INSERT, UPDATE, DELETE') });
  });

  it('a server that does not answer, or refuses, is told in a sentence without the password [R10-WORK-DB]', async () => {
    const gone = await here.flyball('runs', '--db', 'postgres://ada:secret@127.0.0.1:1/x');
    expect(gone.code).toBeGreaterThan(0);
    expect(gone.error.split('\n').length).toBeLessThanOrEqual(4); // what it waits for, what became of it, what to do
    const wrong = await here.flyball('runs', '--db', `${server.url}?schema=Not%20One`);
    expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining('cannot be the name of a schema') });
    expect(gone.error + wrong.error).not.toContain('secret');
  });
});
