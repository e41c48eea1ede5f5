import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { asAdmin, type TestServer } from '../postgres/server.js';
import { type TestHost, testHost, whyNoHosts } from './hosts.js';
import { fleet, type Kind, killing, some, staged, WORKERS } from './kind.js';
import { LEASE_MS, type Stage, type StageOrders, type Told, type Worker, type WorkerOrders } from './stage.js';

const killWorkers: Kind = {
  name: 'worker-killed',
  about: 'SIGKILL of one of three workers on one machine, and another is started',
  run: (faults) => staged((stage) => killing(stage, faults, () => stage.worker())),
};

const stopped: Kind = {
  name: 'worker-stopped',
  about: 'SIGSTOP of a worker for longer than its lease, then SIGCONT',
  run: (faults) =>
    staged(async (stage) => {
      const workers = await fleet(WORKERS, () => stage.worker());
      while (stage.faults < faults) {
        const worker = workers[stage.faults % workers.length];
        await stage.acts(worker);
        await pause(some(0, 60));
        stage.storm();
        worker?.child.kill('SIGSTOP');
        await pause(LEASE_MS * some(1.1, 1.5));
        worker?.child.kill('SIGCONT');
        stage.faults += 1;
        await worker?.settled(); // what it was about to do when it was stopped it does now, or never
        await stage.calm();
      }
    }),
};

/** As workers have it: the one of the other kinds is so short that a busy machine takes runs from workers that are well. */
const USUAL_LEASE_MS = 15_000;

const deployed: Kind = {
  name: 'deployment',
  about:
    'three workers of the next version start under load, and the old ones are stopped with SIGTERM, one after the other',
  isGraceful: true,
  run: (faults) =>
    staged(async (stage) => {
      const make = (version: string) => fleet(WORKERS, () => stage.worker({ version, leaseMs: USUAL_LEASE_MS }));
      let old = await make('1');
      for (let version = 2; stage.faults < faults; version += 1) {
        const next = await make(String(version));
        for (const worker of old) await stop(stage, worker);
        old = next;
      }
    }),
};

async function stop(stage: Stage, worker: Worker): Promise<void> {
  await stage.acts(worker);
  const code = await worker.stop();
  if (code !== 0) throw new Error(`A worker that was told to stop exited with ${code}.`);
  stage.faults += 1;
}

type OnHosts = (stage: Stage, hosts: readonly TestHost[], make: MakeOn) => Promise<void>;
type MakeOn = (n: number, given?: Partial<WorkerOrders>) => ReturnType<Stage['worker']>;

/** Workers as hosts of their own: network, host name, process numbers. The database is on none of them. */
async function onHosts(work: OnHosts, given: Partial<StageOrders> = {}): Promise<Told> {
  const hosts = Array.from({ length: WORKERS }, (_, n) => testHost(n));
  try {
    return await staged(async (stage, server) => {
      await letIn(server, hosts);
      const make: MakeOn = (n, orders) => {
        const { gateway, command } = hosts[n] ?? { gateway: '', command: [] };
        return stage.worker({ urls: [server.url.replace('127.0.0.1', gateway)], ...orders }, command);
      };
      await work(stage, hosts, make);
    }, given);
  } finally {
    for (const host of hosts) host.remove();
  }
}

async function letIn(server: TestServer, hosts: readonly TestHost[]): Promise<void> {
  const nets = hosts.map(({ gateway }) => `host all all ${gateway.replace(/\d+$/, '0')}/24 trust\n`);
  appendFileSync(join(server.folder, 'data', 'pg_hba.conf'), nets.join(''));
  await asAdmin(server.url, 'SELECT pg_reload_conf()');
}

const hostKilled: Kind = {
  name: 'host-killed',
  about: 'SIGKILL of all processes of one of three hosts; another starts under the same name',
  why: whyNoHosts,
  run: (faults) => onHosts((stage, _hosts, make) => killing(stage, faults, (n) => make(n))),
};

const hostCutOff: Kind = {
  name: 'host-cut-off',
  about: 'the cable of one of three hosts is out for longer than a lease',
  why: whyNoHosts,
  run: (faults) =>
    onHosts(async (stage, hosts, make) => {
      const workers = await fleet(WORKERS, (n) => make(n));
      while (stage.faults < faults) {
        const host = hosts[stage.faults % hosts.length];
        await stage.acts(workers[stage.faults % hosts.length]);
        await pause(some(0, 60));
        stage.storm();
        host?.cable('out');
        await pause(LEASE_MS * some(1.1, 1.6));
        host?.cable('in');
        stage.faults += 1;
        await pause(some(400, 800));
        await stage.calm();
      }
    }),
};

const HOUR_MS = 3_600_000;

const clocksApart: Kind = {
  name: 'clocks-apart',
  about: 'SIGKILL of hosts whose clocks are an hour behind, right, and an hour ahead',
  why: whyNoHosts,
  // timers go by the clock of whoever set them (docs/many-machines.md): this is about leases, take-over and doubts
  run: (faults) =>
    onHosts((stage, _hosts, make) => killing(stage, faults, (n) => make(n, { offsetMs: (n - 1) * HOUR_MS })), {
      sleeps: false,
    }),
};

export const workerKinds: readonly Kind[] = [killWorkers, stopped, deployed, hostKilled, hostCutOff, clocksApart];
