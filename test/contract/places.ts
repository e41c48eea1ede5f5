import { type Agents, createRuntime, type Dispatcher, type Engine } from 'flyball';
import { testHost } from 'flyball/testing';
import { type Balancer, balancer } from '../../bench/measure/balancer.js';
import { restateDispatcher } from '../../packages/restate/src/index.js';
import { freePort } from '../postgres/server.js';
import type { TestRestate } from '../restate/server.js';
import type { Everywhere, Process } from './runs-contract.js';

/** Storage of its own for each test: `open` answers one more connection to it, `fresh` begins anew. */
export interface Storage {
  open(): Promise<Engine>;
  fresh(): Promise<void>;
  remove(): Promise<void> | void;
}

type Working = 'worker' | 'elsewhere';

interface Called {
  readonly dispatcher: Dispatcher & { ready(): Promise<void> };
  close(): Promise<void>;
}

/** Processes on one storage. `dispatch` makes what says whose turn it is; without it they look for work themselves. */
export function placeOn(storage: Storage, dispatch?: (as: Working) => Promise<Called>): Everywhere {
  const closing: (() => Promise<void>)[] = [];
  const gone = new Set<string>();
  let names = 0;
  const open = async (agents: Agents, as: Working): Promise<Process> => {
    const engine = await storage.open();
    const host = testHost(`process-${process.pid}-${++names}`, gone);
    const called = await dispatch?.(as);
    const options = { suspendAfterMs: 20, pollMs: 20, ...(as === 'elsewhere' ? { worker: as } : {}) };
    const dispatcher = called === undefined ? {} : { dispatcher: called.dispatcher };
    const runtime = createRuntime({ engine, agents, host, options, onProblem: () => undefined, ...dispatcher });
    await called?.dispatcher.ready();
    let isDead = false;
    closing.push(async () => {
      if (!isDead) await runtime.close();
      if (!isDead) await called?.close();
      await engine.close();
    });
    return {
      runtime,
      die() {
        isDead = true;
        host.die();
        runtime.abandon();
        void called?.close();
      },
    };
  };
  const clear = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  return {
    worker: (agents) => open(agents, 'worker'),
    desk: (agents) => open(agents, 'elsewhere'),
    async fresh() {
      await clear();
      await storage.fresh();
    },
    async remove() {
      await clear();
      await storage.remove();
    },
  };
}

/** Workers that a Restate calls through one address. Each test has services of its own there. */
export function dispatchedBy(restate: TestRestate): {
  readonly dispatch: (as: Working) => Promise<Called>;
  fresh(): Promise<void>;
  close(): void;
} {
  let door: Balancer | undefined;
  let era = 0;
  return {
    async dispatch(as) {
      const port = await freePort();
      const dispatcher = restateDispatcher({
        url: restate.urls,
        admin: restate.admins,
        listen: `127.0.0.1:${port}`,
        address: door?.url ?? '',
        name: `c${process.pid}-${era}`,
        sweepMs: 300,
        onProblem: () => undefined,
      });
      if (as === 'worker') door?.ports.add(port);
      const close = async () => {
        door?.ports.delete(port);
        await dispatcher.close();
      };
      return { dispatcher, close };
    },
    async fresh() {
      door?.close();
      door = await balancer();
      era += 1;
    },
    close: () => door?.close(),
  };
}
