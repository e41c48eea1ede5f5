import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { asAdmin, freePort, startServer, type TestServer } from '../postgres/server.js';

/** Ends every process of a server at once, as the kernel does when memory is short: nothing is written any more. */
export function killHard(data: string): void {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const parent = readFileSync(file, 'utf8').split('\n')[0]?.trim() ?? '';
  spawnSync('kill', ['-STOP', parent]); // it would start others for those who connect just now
  const children = childrenOf(parent);
  spawnSync('kill', ['-9', parent, ...children]);
  // one that is left would keep the memory they share, and no server could start
  while (spawnSync('ps', ['-o', 'pid=', '-p', [parent, ...children].join(',')]).stdout.length > 0);
}

function childrenOf(parent: string): readonly string[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', parent], { encoding: 'utf8' });
  return stdout.split(/\s+/).filter((pid) => pid !== '');
}

const NAME = 'standby';

/** A server and its synchronous standby, which change places again and again. */
export class Pair {
  private readonly server: TestServer;
  private readonly places: readonly { readonly data: string; readonly port: number }[];
  private primary = 0;

  private constructor(server: TestServer, places: Pair['places']) {
    this.server = server;
    this.places = places;
  }

  static async start(): Promise<Pair> {
    const server = await startServer({ max_connections: '200' });
    const places = [
      { data: join(server.folder, 'data'), port: server.port },
      { data: join(server.folder, 'other'), port: await freePort() },
    ];
    const pair = new Pair(server, places);
    await pair.follow();
    return pair;
  }

  get urls(): readonly string[] {
    return this.places.map(({ port }) => `postgres://postgres@127.0.0.1:${port}/postgres`);
  }

  /** The primary is killed, and the standby takes over. Then the old one's place is taken by a new standby. */
  async failOver(): Promise<void> {
    killHard(this.placeOf(this.primary).data);
    this.primary = 1 - this.primary;
    this.server.run('pg_ctl', '-D', this.placeOf(this.primary).data, '-w', 'promote');
  }

  /** Makes a standby in the free place, and lets every commit wait for it. */
  async follow(): Promise<void> {
    const [from, to] = [this.placeOf(this.primary), this.placeOf(1 - this.primary)];
    const url = this.urls[this.primary] ?? '';
    rmSync(to.data, { recursive: true, force: true });
    const source = `host=127.0.0.1 port=${from.port} user=postgres application_name=${NAME}`;
    this.server.run('pg_basebackup', '-D', to.data, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync');
    const flags = `-c listen_addresses=127.0.0.1 -c port=${to.port} -c unix_socket_directories='${this.server.folder}' -c fsync=off -c max_connections=200`;
    this.server.run('pg_ctl', '-D', to.data, '-w', '-l', join(this.server.folder, 'log'), '-o', flags, 'start');
    await asAdmin(url, `ALTER SYSTEM SET synchronous_standby_names = '${NAME}'`, 'SELECT pg_reload_conf()');
    const isSync = () => asAdmin(url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    while ((await isSync()).length === 0) await pause(50);
  }

  remove(): void {
    for (const { data } of this.places) killHard(data);
    this.server.remove();
  }

  private placeOf(index: number): { readonly data: string; readonly port: number } {
    return this.places[index] ?? { data: '', port: 0 };
  }
}
