import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Rows } from '../../packages/postgres/src/connection.js';
import { driver } from '../../packages/postgres/src/driver.js';
import { type PostgresEngine, type PostgresOptions, postgresEngine } from '../../packages/postgres/src/index.js';

/** A PostgreSQL of its own, in a folder that goes with it. */
export interface TestServer {
  readonly url: string;
  readonly folder: string;
  readonly port: number;
  /** Runs a program of PostgreSQL as the user it belongs to. */
  run(program: string, ...args: readonly string[]): string;
  /** Ends it as a loss of power does; `start` goes on from what is on the disk. */
  kill(): void;
  start(): void;
  remove(): void;
}

/** Where PostgreSQL's programs are, or undefined. `FLYBALL_POSTGRES_PROGRAMS` names those of another version. */
export function programs(): string | undefined {
  const given = process.env['FLYBALL_POSTGRES_PROGRAMS'];
  const isThere = (folder: string) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl'));
  if (given !== undefined) return isThere(given) ? given : undefined;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find(isThere);
}

/** Why there can be no server here; undefined where there can be one. */
export function whyNoServer(): string | undefined {
  return process.env['FLYBALL_POSTGRES_URL'] === undefined ? whyNoneFrom(programs()) : undefined;
}

/** The same of one with these programs. */
export function whyNoneFrom(folder: string | undefined): string | undefined {
  if (folder === undefined) return 'PostgreSQL is not installed (initdb and pg_ctl were not found)';
  if (process.getuid?.() === 0 && spawnSync('id', ['postgres']).status !== 0)
    return 'initdb refuses to run as root, and there is no user postgres';
  return undefined;
}

export async function startServer(
  settings: Readonly<Record<string, string>> = {},
  programsIn = programs(),
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-postgres-'));
  const data = join(folder, 'data');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
    chownSync(folder, id('-u'), id('-g'));
  }
  chmodSync(folder, 0o700);
  const run = (program: string, ...args: readonly string[]): string => {
    const path = join(programsIn ?? '', program);
    const [command = path, ...before] = isRoot ? ['runuser', '-u', 'postgres', '--', path] : [path];
    const done = spawnSync(command, [...before, ...args], {
      encoding: 'utf8',
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stdout}${done.stderr}`);
    return done.stdout;
  };
  const port = await freePort();
  const given = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    fsync: 'off',
    ...settings,
  };
  const flags = Object.entries(given).map(([name, value]) => `-c ${name}='${value}'`);
  const start = (): void =>
    void run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', flags.join(' '), 'start');
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C');
  start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    port,
    run,
    start,
    kill: () => void run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop'),
    remove() {
      try {
        run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      } catch {
        // it is down already
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server that the tests of a file share: one that is given, or one of their own. */
export async function sharedServer(): Promise<Pick<TestServer, 'url' | 'remove'>> {
  const url = process.env['FLYBALL_POSTGRES_URL'];
  return url === undefined ? startServer() : { url, remove: () => undefined };
}

/** Statements of somebody who administers the server, in one session. Answers the rows of the last. */
export async function asAdmin(url: string, ...texts: readonly string[]): Promise<Rows> {
  const { Client, types } = await driver();
  const client = new Client({
    connectionString: url,
    pipeline: false,
    keepAlive: false,
    connectionTimeoutMillis: 5_000,
    application_name: 'admin',
    types,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: Rows = [];
    for (const text of texts) rows = (await client.query(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

let schemas = 0;

/** A schema of its own in which each test begins. */
export function freshSchema(): string {
  schemas += 1;
  return `t${process.pid}_${schemas}`;
}

export function open(url: string, given: Partial<PostgresOptions> = {}): Promise<PostgresEngine> {
  return postgresEngine({ url, leaseClock: 'caller', pollMs: 50, onNotice: () => undefined, ...given });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
