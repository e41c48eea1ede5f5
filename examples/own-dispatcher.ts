// #region broker
import { setMaxListeners } from 'node:events';
import { type Dispatcher, type Driver, FlyballError } from 'flyball';

const RETRY_MS = 100;
const SWEEP_MS = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Decides which of the runtimes that have joined works on a run. It keeps everything in memory. */
export class Broker {
  private readonly drivers = new Map<Driver, AbortController>();
  private readonly queue = new Set<string>();
  private readonly driven = new Set<string>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly sweeping = setInterval(() => void this.sweep(), SWEEP_MS);
  private turn = 0;

  /** The dispatcher of one more process. `die`: the connection to it broke. */
  join(): { readonly dispatcher: Dispatcher; die(): void } {
    const joined = new Map<Driver, AbortController>();
    const dispatcher: Dispatcher = {
      dispatch: async (runId) => this.enqueue(runId),
      attend: (driver) => {
        const connection = new AbortController();
        setMaxListeners(0, connection.signal); // one for each run that is driven there
        joined.set(driver, connection);
        this.drivers.set(driver, connection);
        this.work(); // for what was dispatched before
        return () => void this.drivers.delete(driver);
      },
    };
    const die = (): void => {
      for (const [driver, connection] of joined) {
        this.drivers.delete(driver);
        connection.abort();
      }
    };
    return { dispatcher, die };
  }

  close(): void {
    clearInterval(this.sweeping);
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.queue.clear();
  }

  private enqueue(runId: string): void {
    this.queue.add(runId);
    this.work();
  }

  /** A run that is being driven stays in the queue: what is new may have come too late for that call to see it. */
  private work(): void {
    if (this.drivers.size === 0) return;
    for (const runId of this.queue) {
      if (this.driven.has(runId)) continue;
      this.queue.delete(runId);
      void this.drive(runId);
    }
  }

  private async drive(runId: string): Promise<void> {
    this.driven.add(runId);
    try {
      const [driver, connection] = await this.choose(runId);
      const { wakeAt } = await unlessBroken(connection.signal, driver.drive(runId));
      if (wakeAt !== undefined) this.enqueueIn(wakeAt - Date.now(), runId);
    } catch (error) {
      const isRemoved = error instanceof FlyballError && error.code === 'RUN_NOT_FOUND';
      if (!isRemoved) this.enqueueIn(RETRY_MS, runId);
    } finally {
      this.driven.delete(runId);
      this.work();
    }
  }

  /** Another one each time: the one before may have refused because the run is better off elsewhere. */
  private async choose(runId: string): Promise<[Driver, AbortController]> {
    const [any] = this.drivers;
    if (any === undefined) throw new Error('All processes have left.');
    const { agent } = await unlessBroken(any[1].signal, any[0].get(runId));
    const able = [...this.drivers].filter(([driver]) => driver.agents.includes(agent));
    const chosen = able[this.turn++ % able.length];
    if (chosen === undefined) throw new Error(`Nobody works on runs of "${agent}" now.`);
    return chosen;
  }

  /** Too early does no harm: `drive` answers again until when the run sleeps. */
  private enqueueIn(ms: number, runId: string): void {
    clearTimeout(this.timers.get(runId));
    const ring = (): void => {
      this.timers.delete(runId);
      this.enqueue(runId);
    };
    this.timers.set(runId, setTimeout(ring, Math.min(Math.max(ms, 1), LONGEST_TIMER_MS)));
  }

  /** Finds runs that nobody dispatched, and those that a broker before this one knew of. */
  private async sweep(): Promise<void> {
    for (const [driver, { signal }] of this.drivers) {
      let cursor: string | undefined;
      do {
        const behind = cursor === undefined ? {} : { cursor };
        const asked = driver.overdue({ forMs: SWEEP_MS, limit: 100, ...behind });
        const page = await unlessBroken(signal, asked).catch(() => undefined);
        for (const { id } of page?.runs ?? []) if (!this.driven.has(id)) this.enqueue(id);
        cursor = page?.cursor;
      } while (cursor !== undefined);
    }
  }
}

/** Rejects when the connection breaks first: no answer comes then. */
function unlessBroken<T>(connection: AbortSignal, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const broke = (): void => reject(new Error('The connection to the process broke.'));
    connection.addEventListener('abort', broke);
    void answer.then(resolve, reject).finally(() => connection.removeEventListener('abort', broke));
  });
}

// #endregion

// #region contract
import { describe, it } from 'node:test'; // or from 'vitest'
import { dispatcherContract } from 'flyball/testing';

dispatcherContract({ describe, it }, 'mine', async () => {
  const broker = new Broker(); // each test has one of its own
  return { process: async () => broker.join(), close: async () => broker.close() };
});
// #endregion
