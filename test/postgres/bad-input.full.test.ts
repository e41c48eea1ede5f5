import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, FlyballError, memoryEngine } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  claimBy,
  LEASE_MS,
  nobodyIsGone,
  owner,
  START,
} from '../../packages/flyball/src/testing/contracts/engine-fixture.js';
import { Connection } from '../../packages/postgres/src/connection.js';
import { type PostgresEngine, type PostgresOptions, postgresEngine } from '../../packages/postgres/src/index.js';
import { migrate } from '../../packages/postgres/src/migrate.js';
import { settle } from '../../packages/postgres/src/options.js';
import { migrations } from '../../packages/postgres/src/schema.js';
import { entry, newRun } from './runs.js';
import { asAdmin, freshSchema, open, startServer, type TestServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'these tests need a server of their own');
if (why !== undefined) process.stdout.write(`Skipped bad input to PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('PostgreSQL that is not as it has to be', () => {
  let server: TestServer;
  const sql = (...texts: readonly string[]) => asAdmin(server.url, ...texts);
  const refusal = async (work: Promise<unknown>): Promise<FlyballError> => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(FlyballError);
    return error as FlyballError;
  };

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.remove());

  it.each([
    ['no address at all', 'mysql://somebody@there/db', 'CONFIG_INVALID', /begins with postgres:\/\//],
    ['a database that is not there', '/nowhere', 'CONFIG_INVALID', /database does not exist/],
    ['a user that is not there', 'stranger', 'CONFIG_INVALID', /user or the password/],
    [
      'nobody who answers',
      'postgres://postgres@127.0.0.1:1/postgres',
      'STORAGE_BUSY',
      /does not respond .* Nothing was written\. .*try again\./,
    ],
    ['an address without a host', 'postgres:///runs', 'CONFIG_INVALID', /has no host/],
    ['an address with nothing at all', 'postgres://', 'CONFIG_INVALID', /has no host/],
    ['a parameter that is misspelled', '?replicted=true', 'CONFIG_INVALID', /Did you mean replicated/],
    [
      'a certificate that is not there',
      '?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      'CONFIG_INVALID',
      /cannot be read .*\/nowhere\/ca\.pem/,
    ],
    ['TLS that the server does not offer', '?sslmode=require', 'CONFIG_INVALID', /does not offer TLS/],
  ])('%s is refused in a sentence [R10-PG-BAD-INPUT]', async (_, given, code, says) => {
    const url = given.startsWith('?')
      ? `${server.url}${given}`
      : given.startsWith('/')
        ? server.url.replace(/\/postgres$/, given)
        : given.includes(':')
          ? given
          : server.url.replace('postgres@', `${given}@`);
    const error = await refusal(open(url, { schema: freshSchema(), patienceMs: 300 }));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(says)]);
  });

  it('a name of a schema that would have to be quoted is refused [R10-PG-BAD-INPUT]', async () => {
    for (const schema of ['', 'A', 'a b', 'x"; DROP SCHEMA public; --', 'x'.repeat(60)])
      expect((await refusal(open(server.url, { schema }))).code).toBe('CONFIG_INVALID');
    expect((await refusal(open(server.url, { pollMs: 0 }))).message).toContain('pollMs');
  });

  it.each([
    ['a misspelled option', { replicatd: true }, /no option "replicatd"\. It has .*replicated/],
    ['a misspelled number of connections', { connections: { writer: 4 } }, /connections has no option "writer"/],
    ['a number in the place of both', { connections: 4 }, /connections takes an object/],
    ['yes in words', { replicated: 'yes' }, /replicated must be true or false, not "yes"/],
    ['no in words', { pooled: 'no' }, /pooled must be true or false/],
    [
      'a commit that is not waited for, and is not called off',
      { synchronousCommit: false },
      /must be one of on, .*not false/,
    ],
    ['a commit that waits for no replica', { synchronousCommit: 'local' }, /must be one of on, .*not "local"/],
    ['a clock of no kind', { leaseClock: 'db' }, /leaseClock must be database or caller/],
    ['longer than a timer can be', { statementMs: 3e12 }, /statementMs can be 86400000 \(a day\) at most/],
    ['no address', { url: undefined }, /needs a url/],
    ['a name of the system', { schema: 'pg_flyball' }, /do not begin with pg_/],
    ['a word of SQL', { schema: 'select' }, /"select" is a word of SQL/],
  ])('%s is refused in a sentence [R10-PG-BAD-INPUT] [R10-OPTIONS]', async (_, options, says) => {
    const given = { schema: freshSchema(), url: server.url, ...options } as unknown as PostgresOptions;
    const error = await refusal(postgresEngine({ patienceMs: 300, onNotice: () => undefined, ...given }));
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringMatching(says)]);
  });

  it.each(['memory', 'sqlite', 'postgres'])(
    '%s names the entry that leaves a hole in a journal [R19-MISPLACED]',
    async (kind) => {
      const folder = mkdtempSync(join(tmpdir(), 'misplaced-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const opening: Readonly<Record<string, () => Promise<Engine>>> = {
        memory: async () => memoryEngine(),
        sqlite: () => sqliteEngine({ path: join(folder, 'runs.db') }),
        postgres: () => open(server.url, { schema: freshSchema() }),
      };
      const engine = await (opening[kind] ?? expect.fail)();
      onTestFinished(() => engine.close());
      await engine.create(newRun('a'));
      const by = { owner: { id: 'me', host: 'h', bootId: 'b', pid: 1, startTime: 't' }, now: 0, leaseMs: 1e9 };
      const claim = await engine.claim('a', { ...by, isGone: () => false });
      await engine.append(claim, { entries: [entry(1)] });
      for (const [seqs, named] of [
        [[2, 4], 'entry 4'],
        [[2, 3, 5, 6], 'entry 5'],
        [[3, 4], 'entry 3'],
      ] as const) {
        const error = await refusal(engine.append(claim, { entries: seqs.map((seq) => entry(seq)) }));
        expect(error.message).toContain(`${named} of generation 0 does not follow`);
      }
    },
  );

  it('a database that cannot store all text is refused when it is opened [R10-PG-BAD-INPUT]', async () => {
    await sql("CREATE DATABASE narrow ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
    const error = await refusal(open(server.url.replace(/\/postgres$/, '/narrow'), { schema: freshSchema() }));
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringMatching(/LATIN1.*ENCODING 'UTF8'/)]);
  });

  it.each([false, true])(
    'numbers are kept where a database is set to round them, pooled: %s [R10-PG-BAD-INPUT]',
    async (pooled) => {
      const name = `rounds_${pooled}`;
      await sql(`CREATE DATABASE ${name}`, `ALTER DATABASE ${name} SET extra_float_digits = -5`);
      const engine = await open(server.url.replace(/\/postgres$/, `/${name}`), { schema: freshSchema(), pooled });
      const at = 1_700_000_000_123.5;
      await engine.create({ ...newRun('a'), createdAt: at, first: { entries: [{ ...entry(0), at }] } });
      expect((await engine.get('a'))?.createdAt).toBe(at);
      expect(await engine.read('a', { generation: 0 })).toMatchObject([{ at }]);
      await engine.close();
    },
  );

  it('rights that are missing are named, and nothing is left behind [R10-PG-BAD-INPUT]', async () => {
    const schema = freshSchema();
    await sql('CREATE ROLE poor LOGIN');
    const url = server.url.replace('postgres@', 'poor@');
    const error = await refusal(open(url, { schema }));
    expect([error.code, error.message]).toEqual(['STORAGE_READ_ONLY', expect.stringContaining('GRANT')]);
    expect(await sql(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
    await sql(`CREATE SCHEMA ${schema} AUTHORIZATION poor`); // somebody makes it for them
    const engine = await open(url, { schema });
    await engine.create(newRun('a'));
    await engine.close();
  });

  it('a user who may not write is refused when the engine is opened, and what the refusal advises helps [R19-PG-RIGHTS]', async () => {
    const schema = freshSchema();
    const role = `reads_${schema}`;
    await (await open(server.url, { schema })).close();
    await sql(`CREATE ROLE ${role} LOGIN`, `GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await sql(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    const url = server.url.replace('postgres@', `${role}@`);
    const error = await refusal(open(url, { schema }));
    expect(error).toMatchObject({ code: 'STORAGE_READ_ONLY', retryable: false });
    expect(error.message).toMatch(/\(missing: INSERT on runs, UPDATE on runs, INSERT on events, /);
    expect(error.message).toContain(`ALTER SCHEMA ${schema} OWNER TO ${role}`);
    expect(error.message).not.toContain('ON DATABASE');
    await sql(`GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    await sql(`REVOKE DELETE ON ${schema}.waits FROM ${role}`);
    expect((await refusal(open(url, { schema }))).message).toContain('(missing: DELETE on waits)');
    await sql(/GRANT .*? TO \w+/.exec(error.message)?.[0] ?? 'there is no GRANT');
    const engine = await open(url, { schema });
    await engine.create(newRun('a'));
    const claim = await claimBy(engine, 'a', 'me');
    await engine.append(claim, { entries: [entry(1)] });
    await engine.release(claim, { status: 'suspended', waiting: ['go'], now: START });
    await engine.post('a', { id: 'm', kind: 'signal', name: 'go', from: 'rita', at: START, body: '1' });
    const at = { tenant: 't', owner: 'o', collection: 'c', key: 'k' };
    await engine.store.propose(at, { id: 'p', over: 0, value: 1, now: START });
    expect(await engine.store.commit(at, 'p', START)).toMatchObject({ version: 1 });
    await engine.close();
  });

  it('a user who may not make tables in a schema that is there is told what helps [R19-PG-RIGHTS]', async () => {
    const schema = freshSchema();
    await sql(`CREATE ROLE looks_${schema} LOGIN`, `CREATE SCHEMA ${schema}`);
    const url = server.url.replace('postgres@', `looks_${schema}@`);
    const error = await refusal(open(url, { schema }));
    expect(error).toMatchObject({ code: 'STORAGE_READ_ONLY', message: expect.stringContaining('ALTER SCHEMA') });
    expect(error.message).not.toContain('ON DATABASE');
    await sql(`ALTER SCHEMA ${schema} OWNER TO looks_${schema}`);
    await (await open(url, { schema })).close();
  });

  it('a wrong password is refused, and is in no message [R10-PG-BAD-INPUT]', async () => {
    await sql("CREATE ROLE ada LOGIN PASSWORD 'right'");
    const rules = `${server.folder}/data/pg_hba.conf`;
    const before = readFileSync(rules, 'utf8');
    writeFileSync(rules, `host all ada 127.0.0.1/32 scram-sha-256\n${before}`);
    onTestFinished(async () => {
      writeFileSync(rules, before);
      await sql('SELECT pg_reload_conf()');
    });
    await sql('SELECT pg_reload_conf()', 'GRANT CREATE ON DATABASE postgres TO ada');
    const schema = freshSchema();
    const url = (password: string) => server.url.replace('postgres@', `ada${password}@`);
    for (const password of [':wrong', '']) {
      const error = await refusal(open(url(password), { schema, patienceMs: 300 }));
      expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('password')]);
      expect(error.message).not.toContain('wrong');
    }
    await (await open(url(':right'), { schema })).close();
  });

  it('a right that is taken away later is named; nothing is half written, and it goes on when it is back [R10-PG-BAD-INPUT]', async () => {
    const schema = freshSchema();
    await sql('CREATE ROLE weak LOGIN', `CREATE SCHEMA ${schema}`, `GRANT ALL ON SCHEMA ${schema} TO weak`);
    await (await open(server.url, { schema })).close();
    await sql(
      `GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO weak`,
      `GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schema} TO weak`,
    );
    const engine = await open(server.url.replace('postgres@', 'weak@'), { schema });
    await engine.create(newRun('a'));
    await sql(`REVOKE INSERT ON ${schema}.events FROM weak`);
    expect(await refusal(engine.create(newRun('b')))).toMatchObject({
      code: 'STORAGE_READ_ONLY',
      message: expect.stringContaining('lacks a privilege'),
    });
    expect((await engine.list({})).runs).toHaveLength(1);
    await sql(`GRANT INSERT ON ${schema}.events TO weak`);
    await engine.create(newRun('b'));
    await engine.close();
  });

  it('tables of an older version are upgraded with all that is in them, once, or not at all [R10-PG-MIGRATE]', async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema });
    await engine.create(newRun('a'));
    const settings = settle({ url: server.url, schema });
    const upgrade = async (step: string) => {
      const connection = new Connection(settings, { check: async () => undefined });
      await migrate(connection, schema, [...migrations(schema), step]).finally(() => connection.close());
    };
    const version = () => sql(`SELECT value FROM ${schema}.flyball_meta WHERE key = 'schema'`);
    const halfway = `CREATE TABLE ${schema}.extra (id int); SELECT 1 / 0;`;
    await expect(upgrade(halfway)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(await version()).toEqual([{ value: '1' }]);
    expect(await sql(`SELECT 1 FROM pg_tables WHERE schemaname = '${schema}' AND tablename = 'extra'`)).toEqual([]);
    const added = `CREATE TABLE ${schema}.extra (id int); INSERT INTO ${schema}.extra VALUES (1);`;
    await Promise.all(Array.from({ length: 4 }, () => upgrade(added)));
    expect(await version()).toEqual([{ value: '2' }]);
    expect(await sql(`SELECT id FROM ${schema}.extra`)).toEqual([{ id: 1 }]);
    expect((await engine.list({})).runs).toHaveLength(1);
    await engine.close();
    expect(await refusal(open(server.url, { schema }))).toMatchObject({ code: 'JOURNAL_NEWER' });
  });

  it('options in an address do not turn off what commits wait for [R10-PG-ADDRESS]', async () => {
    const schema = freshSchema();
    const url = `${server.url}?options=${encodeURIComponent('-c work_mem=7MB -c synchronous_commit=off')}`;
    const connection = new Connection(settle({ url, schema, synchronousCommit: 'remote_write', statementMs: 4_000 }), {
      check: async () => undefined,
    });
    const shown = async (name: string) => (await connection.run([{ text: `SHOW ${name}` }]))[0]?.[0]?.[name];
    expect([await shown('work_mem'), await shown('synchronous_commit'), await shown('statement_timeout')]).toEqual([
      '7MB',
      'remote_write',
      '4s',
    ]);
    await connection.close();
  });

  it('tables of another program, and of a newer version, are left as they are [R10-PG-BAD-INPUT] [R19-PG-WORDS]', async () => {
    const [theirs, newer] = [freshSchema(), freshSchema()];
    await sql(`CREATE SCHEMA ${theirs}`);
    await sql(`CREATE TABLE ${theirs}.invoices (id int)`);
    expect(await refusal(open(server.url, { schema: theirs }))).toMatchObject({ code: 'CONFIG_INVALID' });
    await (await open(server.url, { schema: newer })).close();
    await sql(`UPDATE ${newer}.flyball_meta SET value = '99' WHERE key = 'schema'`);
    const upgrade = await refusal(open(server.url, { schema: newer })); // of both packages: one alone would not do
    expect(upgrade).toMatchObject({
      code: 'JOURNAL_NEWER',
      message: expect.stringContaining('Upgrade flyball and @flyball/postgres together'),
      detail: { next: expect.stringContaining('npm install flyball@latest @flyball/postgres@latest') },
    });
    expect(await sql(`SELECT value FROM ${newer}.flyball_meta WHERE key = 'schema'`)).toEqual([{ value: '99' }]);
  });

  it('many that open an empty schema at once make the tables once [R10-PG-MIGRATE]', async () => {
    const schema = freshSchema();
    const engines = await Promise.all(
      Array.from({ length: 6 }, () => open(server.url, { schema, connections: { writers: 1, readers: 1 } })),
    );
    for (const [n, engine] of engines.entries()) await engine.create(newRun(`run-${n}`));
    expect((await engines[0]?.list({}))?.runs).toHaveLength(6);
    for (const engine of engines) await engine.close();
    expect(await sql(`SELECT value FROM ${schema}.flyball_meta WHERE key = 'schema'`)).toEqual([
      { value: String(migrations(schema).length) },
    ]);
  });

  it('a database that takes no writes is said to be one, and is used again when it does [R10-PG-BAD-INPUT]', async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema, patienceMs: 300 });
    await engine.create(newRun('a'));
    await sql('ALTER DATABASE postgres SET default_transaction_read_only = on');
    await cut(sql);
    const error = await refusal(engine.create(newRun('b')));
    expect([error.code, error.retryable]).toEqual(['STORAGE_READ_ONLY', true]);
    expect((await refusal(open(server.url, { schema, patienceMs: 300 }))).code).toBe('STORAGE_READ_ONLY');
    await sql('SET default_transaction_read_only = off', 'ALTER DATABASE postgres RESET default_transaction_read_only');
    await engine.create(newRun('b'));
    expect((await engine.list({})).runs).toHaveLength(2);
    await engine.close();
  });

  it('another database at the same address gets nothing written [R10-PG-BAD-INPUT]', async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema, patienceMs: 300 });
    await engine.create(newRun('a'));
    await sql(`ALTER SCHEMA ${schema} RENAME TO ${schema}_before`);
    await (await open(server.url, { schema })).close(); // somebody begins anew there
    await cut(sql);
    expect(await refusal(engine.create(newRun('b')))).toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('A different database'),
    });
    expect(await refusal(engine.get('a'))).toMatchObject({ code: 'STORAGE_FAILED' });
    expect(await sql(`SELECT id FROM ${schema}.runs`)).toEqual([]);
    await engine.close();
  });

  it('a schema that is begun anew under open connections gets nothing written, once a table was missed [R18-SCHEMA-ANEW]', async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema, patienceMs: 300 });
    for (const id of ['a', 'c', 'd', 'e']) await engine.create(newRun(id));
    await sql(`DROP SCHEMA ${schema} CASCADE`);
    expect(await refusal(engine.get('a'))).toMatchObject({ code: 'STORAGE_FAILED' });
    await (await open(server.url, { schema })).close(); // somebody begins anew there
    const refused = await Promise.all(['b', 'f', 'g', 'h', 'i'].map((id) => refusal(engine.create(newRun(id)))));
    for (const error of refused)
      expect(error).toMatchObject({ code: 'STORAGE_FAILED', message: expect.stringContaining('A different database') });
    expect(await refusal(engine.get('a'))).toMatchObject({ code: 'STORAGE_FAILED' });
    expect(await sql(`SELECT id FROM ${schema}.runs`)).toEqual([]);
    await engine.close();
  });

  it('a schema that is exchanged for another under open connections gets no run and no worker [R19-SCHEMA-EXCHANGED]', async () => {
    const [schema, fresh] = [freshSchema(), freshSchema()];
    const engine = await open(server.url, { schema, patienceMs: 300 });
    await engine.create(newRun('a'));
    const there = await open(server.url, { schema: fresh }); // somebody begins anew beside it
    for (const id of ['b', 'c']) await there.create(newRun(id));
    await there.close();
    const worker = { owner: owner('me'), leaseMs: LEASE_MS };
    const writes: readonly (readonly [what: string, write: (opened: PostgresEngine) => Promise<unknown>])[] = [
      ['create', (opened) => opened.create(newRun('d'))],
      ['claim', (opened) => claimBy(opened, 'b', 'me')],
      ['take', (opened) => opened.take({ now: START, limit: 9, agents: ['agent'], isGone: nobodyIsGone }, worker)],
      [
        'announce',
        (opened) => opened.announce({ id: 'w', owner: owner('me'), agents: {} }, { now: START, forMs: 60_000 }),
      ],
    ];
    const opened = await Promise.all(writes.map(() => open(server.url, { schema, patienceMs: 300 })));
    for (const each of opened) await Promise.all([1, 2, 3, 4].map(() => each.list({}))); // connections are open
    await sql(
      `BEGIN; ALTER SCHEMA ${schema} RENAME TO ${schema}_old; ALTER SCHEMA ${fresh} RENAME TO ${schema}; COMMIT`,
    );
    const different = { code: 'STORAGE_FAILED', message: expect.stringContaining('A different database') };
    for (const [index, [what, write]] of writes.entries()) {
      const each = opened[index] as PostgresEngine;
      expect(await refusal(write(each)), what).toMatchObject(different);
      expect(await refusal(each.list({})), what).toMatchObject(different); // known from here on, whatever is asked
      await each.close();
    }
    expect(await sql(`SELECT id, fence FROM ${schema}.runs ORDER BY id`)).toEqual([
      { id: 'b', fence: '0' },
      { id: 'c', fence: '0' },
    ]);
    expect(await sql(`SELECT id FROM ${schema}.workers`)).toEqual([]);
    await engine.close();
  });

  it('tables that somebody removed are missed in a sentence [R10-PG-BAD-INPUT]', async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema });
    await sql(`DROP TABLE ${schema}.events`);
    expect(await refusal(engine.create(newRun('a')))).toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('table is missing'),
    });
    await engine.close();
  });

  it('a statement that takes too long is given up, and says so [R10-PG-BAD-INPUT]', async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema, statementMs: 200, patienceMs: 300 });
    await engine.create(newRun('a'));
    const blocking = sql('BEGIN', `LOCK TABLE ${schema}.runs`, 'SELECT pg_sleep(1)', 'COMMIT');
    await expect
      .poll(
        async () =>
          (
            await sql(
              "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1)%' AND state = 'active' AND pid <> pg_backend_pid()",
            )
          ).length,
      )
      .toBeGreaterThan(0);
    expect(await refusal(engine.get('a'))).toMatchObject({ code: 'STORAGE_BUSY', retryable: true });
    await blocking;
    expect(await engine.get('a')).toBeDefined();
    await engine.close();
  });

  it('a replica that commits do not wait for is waited for and then refused, and losing records on purpose is said to be that [R10-PG-REPLICA] [R18-READ-ONLY]', async () => {
    const schema = freshSchema();
    const waits: string[] = [];
    const onNotice = (text: string) => void waits.push(text);
    const waiting = open(server.url, { schema, replicated: true, patienceMs: 1_500, onNotice });
    expect(await refusal(waiting)).toMatchObject({
      code: 'STORAGE_BUSY',
      retryable: true,
      message: expect.stringContaining('Set synchronous_standby_names'),
    });
    expect(waits).toEqual([expect.stringMatching(/^PostgreSQL is not ready yet \(Commits do not wait for a replica/)]);
    expect(await refusal(open(server.url, { schema, replicated: true, synchronousCommit: 'off' }))).toMatchObject({
      code: 'CONFIG_INVALID',
    });
    const notices: string[] = [];
    await (
      await open(server.url, { schema, synchronousCommit: 'off', onNotice: (text) => notices.push(text) })
    ).close();
    expect(notices).toEqual([expect.stringContaining('0.6 seconds')]);
    await asAdmin(server.url, "ALTER SYSTEM SET wal_writer_delay = '10s'");
    await asAdmin(server.url, 'SELECT pg_reload_conf()');
    const later: string[] = [];
    const hasTold = async () => {
      later.length = 0;
      await (
        await open(server.url, { schema, synchronousCommit: 'off', onNotice: (text) => later.push(text) })
      ).close();
      return later;
    };
    await expect.poll(hasTold, { interval: 50 }).toEqual([expect.stringContaining('the last 30 seconds')]);
    await asAdmin(server.url, 'ALTER SYSTEM RESET wal_writer_delay');
  });

  it('what cannot be stored as a name is refused, and what models say is kept whatever it is [R10-PG-BAD-INPUT]', async () => {
    const engine = await open(server.url, { schema: freshSchema() });
    for (const id of ['half \ud800', 'nul \u0000'])
      expect(await refusal(engine.create(newRun(id)))).toMatchObject({ code: 'INPUT_INVALID' });
    const body = '\u0001 begins with our mark \u0000 \udc00';
    await engine.create(newRun('a', { first: { entries: [entry(0, { body })] } }));
    expect((await engine.read('a', { generation: 0 }))[0]?.body).toBe(body);
    await engine.close();
  });
});

/** Ends the connections of everybody else. */
async function cut(sql: (text: string) => Promise<unknown>): Promise<void> {
  await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'flyball'");
}
