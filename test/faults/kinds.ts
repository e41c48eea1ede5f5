import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { asAdmin, freshSchema, startServer, type TestServer } from '../postgres/server.js';
import { testHost, whyNoHosts } from './hosts.js';
import { killHard, Pair } from './pair.js';
import { faultProxy } from './proxy.js';
import { LEASE_MS, Stage, type Told, type Worker } from './stage.js';

/** Makes this many faults of one kind under load, and answers what the ledger says afterwards. */
export interface Kind {
  readonly name: string;
  readonly about: string;
  /** Why it cannot be tried here. */
  readonly why?: () => string | undefined;
  run(faults: number): Promise<Told>;
}

const WORKERS = 3;
const PATIENCE_MS = 240_000;
const some = (from: number, to: number): number => from + Math.random() * (to - from);
const any = <T>(all: readonly T[]): number => Math.floor(Math.random() * all.length);

/** With a server of its own, and what goes with it. */
async function staged(
  work: (stage: Stage, server: TestServer) => Promise<void>,
  given: Partial<Parameters<typeof Stage.open>[0]> = {},
): Promise<Told> {
  const server = await startServer({ max_connections: '200', listen_addresses: '*' });
  try {
    const stage = await Stage.open({ urls: [server.url], schema: freshSchema(), ...given });
    try {
      await work(stage, server);
      return await stage.finish(PATIENCE_MS);
    } catch (error) {
      await stage.close();
      throw error;
    }
  } finally {
    server.remove();
  }
}

async function fleet(size: number, make: (n: number) => Promise<Worker>): Promise<Worker[]> {
  return Promise.all(Array.from({ length: size }, (_, n) => make(n)));
}

/** Kills workers one after the other, each in the middle of what it is doing, and starts others. */
async function killing(faults: number, make: (n: number) => Promise<Worker>): Promise<void> {
  const workers = await fleet(WORKERS, make);
  for (let n = 0; n < faults; n += 1) {
    await pause(some(50, 350));
    const at = any(workers);
    const old = workers[at];
    old?.child.kill('SIGKILL');
    await old?.ended;
    workers[at] = await make(n);
  }
}

/** Each worker reaches the database through a proxy of its own. */
async function throughProxies(
  stage: Stage,
  server: TestServer,
  work: (proxies: readonly Awaited<ReturnType<typeof faultProxy>>[]) => Promise<void>,
): Promise<void> {
  const proxies = await Promise.all(Array.from({ length: WORKERS }, () => faultProxy(() => server.port)));
  const urls = proxies.map(({ port }) => server.url.replace(`:${server.port}/`, `:${port}/`));
  await fleet(WORKERS, (n) => stage.worker({ urls: [urls[n] ?? ''] }));
  await work(proxies);
}

const killWorkers: Kind = {
  name: 'worker killed',
  about: 'SIGKILL of one of three workers, and another is started',
  run: (faults) => staged((stage) => killing(faults, () => stage.worker())),
};

const clocksApart: Kind = {
  name: 'clocks apart',
  about: 'SIGKILL of workers whose clocks are an hour behind, right, and an hour ahead',
  // timers go by the clock of whoever set them (docs/many-machines.md): this is about leases, take-over and doubts
  run: (faults) =>
    staged((stage) => killing(faults, (n) => stage.worker({ offsetMs: ((n % 3) - 1) * 3_600_000 })), { sleeps: false }),
};

const killPostgres: Kind = {
  name: 'PostgreSQL killed',
  about: 'SIGKILL of all processes of the server, which is started again',
  run: (faults) =>
    staged(async (stage, server) => {
      await fleet(WORKERS, () => stage.worker());
      for (let n = 0; n < faults; n += 1) {
        await pause(some(200, 700));
        killHard(join(server.folder, 'data'));
        server.start();
      }
    }),
};

const cutCommits: Kind = {
  name: 'commit cut',
  about: 'the connection is cut when a commit has been sent, before or after it reaches the server',
  run: (faults) =>
    staged((stage, server) =>
      throughProxies(stage, server, async (proxies) => {
        for (let n = 0; n < faults; n += 1) {
          await proxies[any(proxies)]?.cutCommit(n % 2 === 0 ? 'after' : 'before');
          await pause(some(5, 60));
        }
      }),
    ),
};

const parted: Kind = {
  name: 'partition',
  about: 'one worker and the database do not reach each other for longer than a lease',
  run: (faults) =>
    staged((stage, server) =>
      throughProxies(stage, server, async (proxies) => {
        for (let n = 0; n < faults; n += 1) {
          const proxy = proxies[n % proxies.length];
          stage.isCalm = false;
          proxy?.weather('parted');
          await pause(LEASE_MS * some(1.1, 1.6));
          proxy?.weather('fair');
          await pause(some(300, 600));
          stage.isCalm = true;
          await pause(some(50, 300));
        }
      }),
    ),
};

const stalled: Kind = {
  name: 'stall',
  about: 'what one worker and the database say to each other arrives up to two seconds late',
  run: (faults) =>
    staged((stage, server) =>
      throughProxies(stage, server, async (proxies) => {
        for (let n = 0; n < faults; n += 1) {
          const proxy = proxies[n % proxies.length];
          stage.isCalm = false;
          proxy?.weather('stalled');
          await pause(some(200, 2_000));
          proxy?.weather('fair');
          await pause(some(300, 600));
          stage.isCalm = true;
          await pause(some(20, 200));
        }
      }),
    ),
};

const stopped: Kind = {
  name: 'worker stopped',
  about: 'SIGSTOP of a worker for longer than its lease, then SIGCONT',
  run: (faults) =>
    staged(async (stage) => {
      const workers = await fleet(WORKERS, () => stage.worker());
      for (let n = 0; n < faults; n += 1) {
        const worker = workers[n % workers.length];
        stage.isCalm = false;
        worker?.child.kill('SIGSTOP');
        await pause(LEASE_MS * some(1.1, 1.5));
        worker?.child.kill('SIGCONT');
        await pause(some(300, 600)); // what it was about to do when it was stopped it does now, or never
        stage.isCalm = true;
        await pause(some(50, 300));
      }
    }),
};

const failOver: Kind = {
  name: 'fail-over',
  about: 'SIGKILL of the primary; its synchronous standby takes over, and a new standby is made',
  async run(faults) {
    const pair = await Pair.start();
    try {
      const stage = await Stage.open({ urls: pair.urls, schema: freshSchema() });
      try {
        await fleet(WORKERS, () => stage.worker());
        for (let n = 0; n < faults; n += 1) {
          await pause(some(200, 600));
          await pair.failOver();
          await pair.follow();
        }
        return await stage.finish(PATIENCE_MS);
      } catch (error) {
        await stage.close();
        throw error;
      }
    } finally {
      pair.remove();
    }
  },
};

const deployed: Kind = {
  name: 'deployment',
  about: 'a worker of the next version starts, and one of the oldest is stopped with SIGTERM',
  run: (faults) =>
    staged(async (stage) => {
      const workers = await fleet(WORKERS, () => stage.worker());
      for (let n = 0; n < faults; n += 1) {
        workers.push(await stage.worker({ version: String(2 + Math.floor(n / WORKERS)) }));
        const old = workers.shift();
        old?.child.kill('SIGTERM');
        const code = await old?.ended;
        if (code !== 0) throw new Error(`A worker that was told to stop exited with ${code}.`);
      }
    }),
};

const hosts: Kind = {
  name: 'host cut off',
  about:
    'workers as hosts of their own (network, host name, processes); the cable of one is out for longer than a lease',
  why: whyNoHosts,
  async run(faults) {
    const all = Array.from({ length: WORKERS }, (_, n) => testHost(n));
    try {
      return await staged(async (stage, server) => {
        const nets = all.map(({ gateway }) => `host all all ${gateway.replace(/\d+$/, '0')}/24 trust\n`);
        appendFileSync(join(server.folder, 'data', 'pg_hba.conf'), nets.join(''));
        await asAdmin(server.url, 'SELECT pg_reload_conf()');
        await fleet(WORKERS, (n) => {
          const { gateway, command } = all[n] ?? { gateway: '', command: [] };
          return stage.worker({ urls: [server.url.replace('127.0.0.1', gateway)] }, command);
        });
        for (let n = 0; n < faults; n += 1) {
          const host = all[n % all.length];
          stage.isCalm = false;
          host?.cable('out');
          await pause(LEASE_MS * some(1.1, 1.6));
          host?.cable('in');
          await pause(some(400, 800));
          stage.isCalm = true;
          await pause(some(50, 300));
        }
      });
    } finally {
      for (const host of all) host.remove();
    }
  },
};

export const KINDS: readonly Kind[] = [
  killWorkers,
  killPostgres,
  cutCommits,
  parted,
  stalled,
  stopped,
  failOver,
  deployed,
  clocksApart,
  hosts,
];
