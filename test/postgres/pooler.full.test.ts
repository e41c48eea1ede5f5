import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimBy, entry, newRun, START } from './runs.js';
import { freePort, freshSchema, open, startServer, type TestServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ?? (spawnSync('pgbouncer', ['--version']).status === 0 ? undefined : 'pgbouncer is not installed');
if (why !== undefined) process.stdout.write(`Skipped PgBouncer: ${why}.\n`);

describe.skipIf(why !== undefined)('PgBouncer', () => {
  let server: TestServer;
  let poolers: readonly ReturnType<typeof spawn>[] = [];
  let url: string;
  /** Of one that takes what a connection sets and does nothing with it. */
  let silentUrl: string;
  let sessionUrl: string;
  let statementUrl: string;

  beforeAll(async () => {
    server = await startServer();
    const main = await startPooler(server);
    const silent = await startPooler(server, { more: 'ignore_startup_parameters = options,extra_float_digits\n' });
    const session = await startPooler(server, { mode: 'session' });
    const statement = await startPooler(server, { mode: 'statement' });
    poolers = [main, silent, session, statement].map(({ pooler }) => pooler);
    sessionUrl = session.url;
    statementUrl = statement.url;
    url = main.url;
    silentUrl = silent.url;
  });
  afterAll(() => {
    for (const pooler of poolers) pooler.kill('SIGKILL');
    server.remove();
  });

  it.each(['transaction', 'session'])(
    'works in %s mode when the engine is told of it [R10-PG-POOLER] [R19-PG-POOL-MODES]',
    async (mode) => {
      const schema = freshSchema();
      const connections = mode === 'session' ? { writers: 1, readers: 1 } : { writers: 4, readers: 4 }; // a session keeps its connection, and there are three
      const engine = await open(mode === 'session' ? sessionUrl : url, { schema, pooled: true, connections });
      const ids = Array.from({ length: 30 }, (_, n) => `run-${n}`);
      await Promise.all(
        ids.map(async (id) => {
          await engine.create(newRun(id));
          const claim = await claimBy(engine, id, 'me');
          for (const seq of [1, 2, 3]) await engine.append(claim, { entries: [entry(seq)] });
          await engine.release(claim, { status: 'suspended', waiting: ['go'], now: START });
        }),
      );
      const heard: (string | undefined)[] = [];
      engine.watch((runId) => heard.push(runId));
      await engine.post('run-0', { id: 'm', kind: 'signal', name: 'go', from: 'rita', at: START, body: '1' });
      expect(heard).toContain('run-0');
      for (const id of ids) expect(await engine.read(id, { generation: 0 })).toHaveLength(4);
      const at = { tenant: 't', owner: 'o', collection: 'c', key: 'k' };
      await engine.store.propose(at, { id: 'p', over: 0, value: { kept: true }, now: START });
      expect(await engine.store.commit(at, 'p', START)).toMatchObject({ version: 1, value: { kept: true } });
      await engine.close();
    },
  );

  it('is named at once when the engine is not told of it [R10-PG-POOLER]', async () => {
    const error = await open(url, { schema: freshSchema() }).then(
      (engine) => engine.close(),
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('pooled: true') });
  });

  it('is told how its mode has to be set where that is the session or the statement mode [R19-PG-POOL-MODES]', async () => {
    for (const at of [sessionUrl, statementUrl])
      await expect(open(at, { schema: freshSchema() })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(
          /belongs to a connection pooler \(.*pooled: true .*transaction and session modes/,
        ),
      });
    for (let tries = 0; tries < 10; tries += 1)
      await expect(open(statementUrl, { schema: freshSchema(), pooled: true })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/pooler in statement mode \(.*\)\. Set it to transaction or session mode/),
      });
  });

  it('is named at once when it ignores what a connection sets [R10-PG-POOLER]', async () => {
    const error = await open(silentUrl, { schema: freshSchema() }).then(
      (engine) => engine.close(),
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/belongs to a connection pooler \(.*statement_timeout is 0 ms.*pooled: true/),
    });
    const engine = await open(silentUrl, { schema: freshSchema(), pooled: true });
    await engine.create(newRun('a'));
    await engine.close();
  });
});

async function startPooler(server: TestServer, { mode = 'transaction', more = '' } = {}) {
  const port = await freePort();
  const folder = mkdtempSync(join(server.folder, 'pooler-'));
  const file = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  writeFileSync(users, '"postgres" ""\n');
  writeFileSync(
    file,
    `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\n` +
      `auth_type = trust\nauth_file = ${users}\npool_mode = ${mode}\ndefault_pool_size = 3\n${more}`,
  );
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  const user = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  for (const path of [folder, file, users]) {
    chmodSync(path, path === folder ? 0o700 : 0o600);
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
  }
  const pooler = spawn('pgbouncer', [file], { stdio: 'ignore', ...user });
  while (!(await answers(port))) await sleep(20);
  return { pooler, url: server.url.replace(`:${server.port}/`, `:${port}/`) };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
