import { join } from 'node:path';
import { freePort, type TestServer } from './server.js';

/** A copy of a server that follows it, and may take over. */
export interface Standby {
  readonly url: string;
  /** It takes writes from here on. */
  promote(): void;
  stop(): void;
}

/** The name that the primary knows it by: `synchronous_standby_names`. */
export const STANDBY = 'standby';

export async function startStandby(primary: TestServer): Promise<Standby> {
  const data = join(primary.folder, 'standby');
  const port = await freePort();
  const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${STANDBY}`;
  primary.run('pg_basebackup', '-D', data, '-d', from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync');
  const flags = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories='${primary.folder}' -c fsync=off`;
  primary.run('pg_ctl', '-D', data, '-w', '-l', join(primary.folder, 'standby-log'), '-o', flags, 'start');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    promote: () => void primary.run('pg_ctl', '-D', data, '-w', 'promote'),
    stop: () => void primary.run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop'),
  };
}
