import type { Dispatcher } from 'flyball';
import { type Balancer, balancer } from '../../bench/measure/balancer.js';
import { restateDispatcher } from '../../packages/restate/src/index.js';
import type { Called, Dispatching } from '../crash/dispatching.js';
import type { TestRestate } from './server.js';

/** Made-up dates lie far ahead of Restate's clock: its timers ring long after a program has ended, and the test lets time pass. */
const AHEAD_MS = 20 * 365 * 86_400_000;
/** Below those that a machine gives to whoever asks for any: a port is closed some time after its process has died. */
const FIRST_PORT = 20_000 + ((process.pid * 64) % 10_000);
const PORTS = 64;

/** A Restate that says whose turn it is, for one process after the other. */
export async function dispatchingBy(restate: TestRestate): Promise<Dispatching & { close(): void }> {
  const door = await balancer();
  const pace = new Pace();
  let opened = 0;
  return {
    start: Date.now() + AHEAD_MS,
    open() {
      pace.begin();
      return calledAt(FIRST_PORT + (opened++ % PORTS), { restate, door, pace });
    },
    isOnItsWay: () => pace.isOnItsWay,
    settled: () => pace.settled(),
    close: () => door.close(),
  };
}

function calledAt(
  port: number,
  { restate, door, pace }: { readonly restate: TestRestate; readonly door: Balancer; readonly pace: Pace },
): Called {
  const real = restateDispatcher({
    url: restate.urls,
    admin: restate.admins,
    listen: `127.0.0.1:${port}`,
    address: door.url,
    onProblem: () => undefined, // processes die, and the next one registers anew
  });
  const dispatcher: Dispatcher = {
    ...real,
    dispatch(runId) {
      pace.handedOver(runId);
      return real.dispatch(runId);
    },
    attend: (driver) =>
      real.attend?.({
        agents: driver.agents,
        has: (runId) => driver.has(runId),
        get: (runId) => driver.get(runId),
        overdue: async () => ({ runs: [] }), // by the real clock, it would find runs of programs before
        drive: (runId) => pace.driven(runId, () => driver.drive(runId)),
      }) ?? (() => undefined),
  };
  door.ports.clear();
  door.ports.add(port);
  return {
    dispatcher,
    options: { worker: true },
    ready: () => real.ready(),
    cut() {
      door.ports.delete(port);
      door.cut();
      void real.close();
    },
  };
}

/**
 * How far Restate is with the runs that it was handed. Whatever it has driven after a run was handed over has seen what that
 * was about, also where it is a call that a process before took along half done.
 */
class Pace {
  private readonly runs = new Map<string, { handedOver: number; begun: number; isDriven: boolean }>();
  private life = 0;
  private order = 0;

  /** A process that died takes along what it knew; whoever comes next has the run driven anew. */
  begin(): void {
    this.life += 1;
    this.runs.clear();
  }

  get isOnItsWay(): boolean {
    return [...this.runs.values()].some(({ handedOver, begun, isDriven }) => !isDriven && begun < handedOver);
  }

  handedOver(runId: string): void {
    this.of(runId).handedOver = ++this.order;
  }

  async driven<T>(runId: string, drive: () => Promise<T>): Promise<T> {
    const run = this.of(runId);
    run.begun = ++this.order;
    run.isDriven = true;
    try {
      return await drive();
    } finally {
      run.isDriven = false;
    }
  }

  async settled(): Promise<void> {
    const { life } = this;
    const isUnderWay = () => this.isOnItsWay || [...this.runs.values()].some(({ isDriven }) => isDriven);
    while (life === this.life && isUnderWay()) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  private of(runId: string) {
    const run = this.runs.get(runId) ?? { handedOver: 0, begun: 0, isDriven: false };
    this.runs.set(runId, run);
    return run;
  }
}
