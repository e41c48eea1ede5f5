import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryEngine } from '../../adapters/engine-memory/memory-engine.js';
import { systemClock } from '../../adapters/host-node/system-clock.js';
import type { Agents } from '../../core/agent-types.js';
import { budget } from '../../core/budget.js';
import type { Dispatcher, Driver, Rested } from '../../ports/dispatcher.js';
import type { RunRecord, RunStatus } from '../../ports/engine.js';
import { openRuntime } from '../../runtime/open-runtime.js';
import type { RuntimeOptions } from '../../runtime/options.js';
import type { Runtime } from '../../runtime/runtime.js';
import { type Mortal, mortal } from '../mortal.js';
import { testHost } from '../test-host.js';

/** A dispatching system to test with `dispatcherContract`. It has nothing to do yet. */
export interface OpenDispatcher {
  /** The dispatcher of one more process that belongs to this system. */
  process(): Promise<DispatchingProcess>;
  /** Ends the system, and what is left of its processes. Their runtimes are closed by then. */
  close(): Promise<void>;
}

interface DispatchingProcess {
  readonly dispatcher: Dispatcher;
  /** Resolves when the process can be called. Asked for after its runtime has attended. */
  ready?(): Promise<unknown>;
  /** Nobody reaches the process any more, and nobody was told before: as after a kill. */
  die(): void | Promise<void>;
}

/** Short, so that a dispatcher that finds the runs of a dead process by `overdue` finds them soon. */
const LEASE_MS = 1_000;
const OPTIONS: Partial<RuntimeOptions> = { suspendAfterMs: 20, pollMs: 20, leaseMs: LEASE_MS, drainMs: 200 };
const LOOK_MS = 5;
const ENDED: readonly RunStatus[] = ['done', 'cancelled', 'failed'];

/** How the contract sits between a dispatcher and a runtime that it calls. */
interface Between {
  readonly options?: Partial<RuntimeOptions>;
  /** In the place of the runtime's own `drive`. */
  readonly drive?: (runId: string, drive: () => Promise<Rested>) => Promise<Rested>;
  /**
   * `told`: it names no runs, so that what is driven is what the dispatcher was told of. `named`: where a process dies, for
   * what a dispatcher keeps in it may go with it, and is found this way.
   */
  readonly overdue?: 'told' | 'named';
}

/** A process of a test. */
export interface Process {
  readonly runtime: Runtime;
  /** Runs that it was called for, in order, one for each call. */
  readonly calls: readonly string[];
  /** Whatever it still does, nothing comes of it. */
  die(): Promise<void>;
}

/** Processes with one engine and one dispatching system, in real time: a dispatcher may be another program. */
export class DispatcherStage {
  readonly engine = memoryEngine();
  readonly clock = systemClock();
  readonly withinMs: number;
  private readonly opened: OpenDispatcher;
  private readonly gone = new Set<string>();
  private readonly alive = new Set<Runtime>();
  private names = 0;

  constructor(opened: OpenDispatcher, withinMs: number) {
    this.opened = opened;
    this.withinMs = withinMs;
  }

  /** A process that works on runs of these agents. */
  async worker(agents: Agents, between: Between = {}): Promise<Process> {
    const calls: string[] = [];
    const entered = await this.enter(agents, between.options ?? {}, (dispatcher, life) => ({
      ...passedOn(dispatcher, life),
      attend: (driver) => {
        const leave = dispatcher.attend?.(watched(driver, { life, calls, ...between }));
        assert.equal(typeof leave, 'function', 'attend gives no function to leave with');
        return leave as () => void;
      },
    }));
    return { ...entered, calls };
  }

  /** A process that only starts runs and tells them something. `silent`: nobody is told of what it does. */
  async desk(agents: Agents, silent = false): Promise<Process> {
    const entered = await this.enter(agents, { worker: 'elsewhere' }, (dispatcher, life) => {
      const passed = passedOn(dispatcher, life);
      return silent ? { ...passed, dispatch: async () => undefined } : passed;
    });
    return { ...entered, calls: [] };
  }

  async start({ runtime }: Process, agent: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) await runtime.start(agent, null, { id, budget: budget({}) });
  }

  /** Polls until something is so. */
  async until(condition: () => Promise<boolean> | boolean, why: () => Promise<string> | string): Promise<void> {
    const begun = this.clock.monotonic();
    while (!(await condition())) {
      if (this.clock.monotonic() - begun > this.withinMs)
        assert.fail(`${await why()} after ${this.withinMs} ms. Set withinMs if it may take longer`);
      await pause(LOOK_MS);
    }
  }

  /** Resolves when the runs rest like this. */
  async rest(status: RunStatus, ids: readonly string[]): Promise<void> {
    const unlike = async (): Promise<readonly RunRecord[]> => {
      const records = await Promise.all(ids.map((id) => this.engine.get(id)));
      return records.filter((record) => record !== undefined && record.status !== status) as RunRecord[];
    };
    await this.until(
      async () => {
        const others = await unlike();
        const ended = others.find((record) => !ENDED.includes(status) && ENDED.includes(record.status));
        assert.ok(ended === undefined, `a run that had to be ${status} is ${ended?.status}`);
        return others.length === 0;
      },
      async () => {
        const others = await unlike();
        const most = ids.length > 1 ? `${others.length} of ${ids.length} runs are` : 'the run is';
        return `${most} not ${status} but ${[...new Set(others.map((record) => record.status))].join(' and ')}`;
      },
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.alive].map((runtime) => runtime.close({ drainMs: 0 })));
    await this.opened.close();
    await this.engine.close();
  }

  private async enter(
    agents: Agents,
    options: Partial<RuntimeOptions>,
    between: (dispatcher: Dispatcher, life: Mortal<unknown>) => Dispatcher,
  ): Promise<Omit<Process, 'calls'>> {
    const { engine, clock, gone, opened, alive } = this;
    const process = await opened.process();
    assert.equal(typeof process?.dispatcher?.attend, 'function', NO_ATTEND);
    assert.equal(typeof process.die, 'function', NO_DEATH);
    const life = mortal<'killed'>();
    const host = testHost(`process-${++this.names}`, gone);
    const dispatcher = between(process.dispatcher, life);
    const runtime = openRuntime({ engine, clock, host, agents, dispatcher, options: { ...OPTIONS, ...options } });
    alive.add(runtime);
    await process.ready?.();
    const die = async (): Promise<void> => {
      life.die('killed');
      const dead = process.die();
      host.die();
      runtime.abandon();
      alive.delete(runtime);
      await dead;
    };
    return { runtime, die };
  }
}

const NO_ATTEND =
  'process() gives no `dispatcher` with `attend`, so nothing shows whom it calls. Resolve to { dispatcher, die }';

const NO_DEATH =
  'process() gives no `die`, so nothing shows that others go on where a process dies. Resolve to { dispatcher, die }';

/** Everything but `attend`. By its names, because methods of a class are not in a copy of its object. */
function passedOn(dispatcher: Dispatcher, life: Mortal<unknown>): Dispatcher {
  const { isCallable, isAtWork, address, page } = dispatcher;
  return {
    dispatch: (runId) => life.whileAlive(() => dispatcher.dispatch(runId)),
    ...(isCallable === undefined ? {} : { isCallable: () => isCallable.call(dispatcher) }),
    ...(isAtWork === undefined
      ? {}
      : { isAtWork: (at: string, runId: string) => isAtWork.call(dispatcher, at, runId) }),
    ...(address === undefined ? {} : { address }),
    ...(page === undefined ? {} : { page }),
  };
}

function watched(
  driver: Driver,
  { life, calls, drive, overdue = 'told' }: Between & { readonly life: Mortal<unknown>; readonly calls: string[] },
): Driver {
  return {
    agents: driver.agents,
    drive(runId) {
      calls.push(runId);
      const own = () => driver.drive(runId);
      return life.whileAlive(() => (drive === undefined ? own() : drive(runId, own)));
    },
    has: (runId) => driver.has(runId),
    get: (runId) => life.whileAlive(() => driver.get(runId)),
    overdue: (query) => life.whileAlive(async () => (overdue === 'told' ? { runs: [] } : driver.overdue(query))),
  };
}

export type DispatcherTest = (stage: DispatcherStage) => Promise<void>;
/** Declares one test with a dispatching system of its own. */
export type DeclareDispatcherTest = (name: string, body: DispatcherTest) => void;

/** `run-0`, `run-1` and so on. */
export function numbered(count: number, name = 'run'): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${name}-${n}`);
}
