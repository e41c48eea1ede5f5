import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freshSchema, type TestServer } from '../postgres/server.js';
import { fleet, type Kind, played, some, staged, WORKERS } from './kind.js';
import { killHard, Pair } from './pair.js';
import { type FaultProxy, faultProxy, type Weather } from './proxy.js';
import { LEASE_MS, Stage, type Told, type Worker } from './stage.js';

const killPostgres: Kind = {
  name: 'postgres-killed',
  about: 'SIGKILL of all processes of the server, which is started again',
  run: (faults) =>
    staged(async (stage, server) => {
      await fleet(WORKERS, () => stage.worker());
      while (stage.faults < faults) {
        await stage.acts();
        await pause(some(0, 200));
        killHard(join(server.folder, 'data'));
        stage.faults += 1;
        server.start();
      }
    }),
};

/** Each worker reaches the database through a proxy of its own. */
function throughProxies(
  work: (stage: Stage, proxies: readonly FaultProxy[], workers: readonly Worker[]) => Promise<void>,
): Promise<Told> {
  return staged(async (stage, server: TestServer) => {
    const proxies = await Promise.all(Array.from({ length: WORKERS }, () => faultProxy(() => server.port)));
    const urls = proxies.map(({ port }) => server.url.replace(`:${server.port}/`, `:${port}/`));
    const workers = await fleet(WORKERS, (n) => stage.worker({ urls: [urls[n] ?? ''] }));
    await work(stage, proxies, workers);
  });
}

const cutCommits: Kind = {
  name: 'commit-cut',
  about: 'the connection is cut when a commit has been sent, before or after it reaches the server',
  run: (faults) =>
    throughProxies(async (stage, proxies) => {
      while (stage.faults < faults) {
        const when = stage.faults % 2 === 0 ? 'after' : 'before';
        const how = stage.faults % 4 < 2 ? 'ended' : 'reset';
        await proxies[stage.faults % proxies.length]?.cutCommit(when, how);
        stage.faults += 1;
        await pause(some(5, 60));
      }
    }),
};

/** One worker after the other has bad weather for a while. */
async function storms(
  stage: Stage,
  places: { readonly proxies: readonly FaultProxy[]; readonly workers: readonly Worker[] },
  given: { readonly faults: number; readonly weather: Weather; readonly forMs: () => number },
): Promise<void> {
  while (stage.faults < given.faults) {
    const at = stage.faults % WORKERS;
    const proxy = places.proxies[at];
    await stage.acts(places.workers[at]);
    await pause(some(0, 60));
    stage.storm();
    proxy?.weather(given.weather);
    await pause(given.forMs());
    proxy?.weather('fair');
    stage.faults += 1;
    await pause(some(300, 600));
    await stage.calm();
  }
}

const parted: Kind = {
  name: 'partition',
  about: 'one worker and the database do not reach each other for longer than a lease',
  run: (faults) =>
    throughProxies((stage, proxies, workers) =>
      storms(stage, { proxies, workers }, { faults, weather: 'parted', forMs: () => LEASE_MS * some(1.1, 1.6) }),
    ),
};

const stalled: Kind = {
  name: 'stall',
  about: 'what one worker and the database say to each other arrives up to two seconds late',
  run: (faults) =>
    throughProxies((stage, proxies, workers) =>
      storms(stage, { proxies, workers }, { faults, weather: 'stalled', forMs: () => some(200, 2_000) }),
    ),
};

const failOver: Kind = {
  name: 'fail-over',
  about: 'SIGKILL of the primary; its synchronous standby takes over, and a new standby is made',
  async run(faults) {
    const pair = await Pair.start();
    try {
      return await played(await Stage.open({ urls: pair.urls, schema: freshSchema() }), async (stage) => {
        await fleet(WORKERS, () => stage.worker());
        while (stage.faults < faults) {
          await stage.acts();
          await pause(some(0, 200));
          await pair.failOver();
          stage.faults += 1;
          await pair.follow();
        }
      });
    } finally {
      pair.remove();
    }
  },
};

export const postgresKinds: readonly Kind[] = [killPostgres, cutCommits, parted, stalled, failOver];
