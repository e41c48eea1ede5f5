import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRun } from './runs.js';
import { asAdmin, freshSchema, open, startServer, type TestServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'these tests need a server of their own') ??
  (spawnSync('openssl', ['version']).status === 0 ? undefined : 'openssl is not installed');
if (why !== undefined) process.stdout.write(`Skipped TLS of PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('PostgreSQL over TLS', () => {
  let server: TestServer;
  const folder = mkdtempSync(join(tmpdir(), 'flyball-tls-'));
  const file = (name: string): string => join(folder, name);

  beforeAll(async () => {
    for (const name of ['right', 'other']) authority(folder, name);
    certificate(folder, 'localhost', 'DNS:localhost');
    server = await startServer();
    for (const name of ['localhost.pem', 'localhost.key']) {
      writeFileSync(join(server.folder, name), readFileSync(file(name)), { mode: 0o600 });
      const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
      if (process.getuid?.() === 0) chownSync(join(server.folder, name), id('-u'), id('-g'));
    }
    await asAdmin(
      server.url,
      `ALTER SYSTEM SET ssl_cert_file = '${server.folder}/localhost.pem'`,
      `ALTER SYSTEM SET ssl_key_file = '${server.folder}/localhost.key'`,
      'ALTER SYSTEM SET ssl = on',
      'SELECT pg_reload_conf()',
    );
    while ((await asAdmin(server.url, 'SHOW ssl'))[0]?.['ssl'] !== 'on') await sleep(50);
  });
  afterAll(() => {
    server.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const at = (host: string, query: string) => `${server.url.replace('127.0.0.1', host)}?${query}`;
  const full = (ca: string) => `sslmode=verify-full&sslrootcert=${file(`${ca}.pem`)}`;

  it('works with the certificate of its authority, in the address and in code [R10-PG-TLS]', async () => {
    const ca = readFileSync(file('right.pem'), 'utf8');
    for (const [url, tls] of [
      [at('localhost', full('right')), undefined],
      [at('localhost', ''), { ca }],
    ] as const) {
      const engine = await open(url, { schema: freshSchema(), ...(tls === undefined ? {} : { tls }) });
      await engine.create(newRun('a'));
      const sessions = await asAdmin(
        server.url,
        "SELECT DISTINCT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'flyball'",
      );
      expect(sessions).toEqual([{ ssl: true }]);
      await engine.close();
    }
  });

  it.each([
    ['without the certificate of its authority', () => at('localhost', 'sslmode=verify-full')],
    ['with that of another authority', () => at('localhost', full('other'))],
    ['under another name', () => at('127.0.0.1', full('right'))],
  ])('is refused in a sentence %s [R10-PG-TLS]', async (how, url) => {
    const refused = await open(url(), { schema: freshSchema() }).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(
        how === 'under another name'
          ? /^The certificate of PostgreSQL is for another host name \(.+\)\. Connect with a host name/
          : /^The certificate of PostgreSQL cannot be verified \(.+\)\. Add the certificate/,
      ),
    });
  });
});

function openssl(folder: string, ...words: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function authority(folder: string, name: string): void {
  const out = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '2', '-subj', `/CN=authority ${name}`];
  openssl(folder, 'req', '-x509', ...KEY, ...out);
}

function certificate(folder: string, name: string, names: string): void {
  openssl(folder, 'req', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
  writeFileSync(join(folder, 'names.ext'), `subjectAltName=${names}`);
  const by = ['-CA', 'right.pem', '-CAkey', 'right.key', '-CAcreateserial', '-days', '2', '-extfile', 'names.ext'];
  openssl(folder, 'x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by);
}
