import {
  type Budget,
  budget,
  type Clock,
  type Engine,
  type Entry,
  type EventOf,
  type EventType,
  memoryEngine,
  type Outcome,
  type Runtime,
  type RuntimeOptions,
} from 'flyball';
import {
  type AutoClock,
  autoClock,
  type CrashPlan,
  type CrashPoint,
  crashingEngine,
  testHost,
  type VirtualClock,
  virtualClock,
} from 'flyball/testing';
import { onTestFinished } from 'vitest';
import type { AnyAgent, VersionedAgent } from '../../packages/flyball/src/core/agent-types.js';
import { openRuntime } from '../../packages/flyball/src/runtime/open-runtime.js';
import type { RuntimeParts } from '../../packages/flyball/src/runtime/options.js';

export const RUN = 'run';

// the first call of a tool with a JSON schema loads this. Read from a slow disk in the middle of a run, it would look to
// a clock that moves by itself as if nothing happened any more
await import('@cfworker/json-schema');

/** One process's life: `die` leaves proof that it is gone, `vanish` only silence. */
export interface Life {
  readonly runtime: Runtime;
  readonly crashed: Promise<CrashPoint>;
  readonly isDead: () => boolean;
  die(): void;
  vanish(): void;
  start(input?: unknown, limits?: Partial<Budget>): Promise<Outcome<unknown>>;
  resume(options?: { readonly budget?: Partial<Budget>; readonly by?: string }): Promise<Outcome<unknown>>;
}

export type LifeOptions = Partial<Omit<RuntimeParts, 'engine' | 'clock' | 'options'>> & {
  readonly crash?: CrashPlan;
  readonly options?: Partial<RuntimeOptions>;
};

/** What outlives every process of a test: the engine, the clock, and the knowledge of who is gone. */
export class Stage<C extends Clock> {
  readonly engine: Engine;
  readonly clock: C;
  private readonly gone = new Set<string>();
  private lives = 0;

  constructor(clock: C, engine: Engine = memoryEngine()) {
    this.engine = engine;
    this.clock = clock;
  }

  /** Opens a runtime whose only agent is called `agent`. */
  open(agent: AnyAgent | VersionedAgent, how: LifeOptions = {}): Life {
    const { crash, options, ...parts } = how;
    const crashing = crashingEngine(this.engine, crash ?? (() => false));
    const host = testHost(`life-${++this.lives}`, this.gone);
    const runtime = openRuntime({
      engine: crashing.engine,
      clock: this.clock,
      host,
      agents: { agent },
      ...parts,
      options: { worker: false, leaseMs: 1e9, ...options },
    });
    onTestFinished(() => runtime.abandon());
    const vanish = (): void => runtime.abandon();
    return {
      runtime,
      crashed: crashing.crashed,
      isDead: crashing.isDead,
      vanish,
      die: () => {
        host.die();
        vanish();
      },
      start: (input = null, limits = {}) =>
        watched(runtime.start('agent', input, { id: RUN, budget: budget(limits) }).then((handle) => handle.outcome())),
      resume: (given = {}) => watched(runtime.resume(RUN, given).then((handle) => handle.outcome())),
    };
  }

  /** Runs the agent until a planned crash, and leaves proof that its process is gone. */
  async crashed(
    agent: AnyAgent,
    crash: CrashPlan,
    how: Omit<LifeOptions, 'crash'> & { readonly input?: unknown; readonly limits?: Partial<Budget> } = {},
  ): Promise<void> {
    const { input, limits, ...parts } = how;
    const life = this.open(agent, { ...parts, crash });
    const ended = life
      .start(input, limits)
      .then((outcome) => Promise.reject(new Error(`It ended ${outcome.stop} without the crash.`)));
    await Promise.race([life.crashed, ended]);
    life.die();
  }

  async entries(runId: string = RUN): Promise<readonly Entry[]> {
    return this.open(async () => ({ stop: 'done', value: null })).runtime.entries(runId);
  }

  async events<T extends EventType>(type: T, runId: string = RUN): Promise<readonly EventOf<T>[]> {
    return eventsOf(await this.entries(runId), type);
  }
}

export function eventsOf<T extends EventType>(entries: readonly Entry[], type: T): readonly EventOf<T>[] {
  return entries.flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : []));
}

/** Answers what a run asks, as somebody who was shown the question: by its token. */
export async function answer(
  runtime: Runtime,
  runId: string,
  name: string,
  payload: unknown,
  sent: Parameters<Runtime['signal']>[3] = {},
): ReturnType<Runtime['signal']> {
  const asked = eventsOf(await runtime.entries(runId), 'wait-start').findLast((one) => one.name === name);
  return runtime.signal(runId, asked?.token ?? name, payload, { from: 'rita', ...sent });
}

/** Dies right before, or right after, the first journal write that holds an entry of this type. */
export function at(when: 'before' | 'after', type: EventType, nth = 1): CrashPlan {
  let seen = 0;
  return (point) => point.when === when && point.entries?.includes(type) === true && ++seen === nth;
}

/** Something a test opens by hand. */
export function gate<T = void>(): { readonly opened: Promise<T>; open(value: T): void; fail(error: Error): void } {
  let open: (value: T) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const opened = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open: (value) => open(value), fail: (error) => fail(error) };
}

/** Time passes by itself when nothing else happens. */
export function moving(engine?: Engine): Stage<AutoClock> {
  return new Stage(autoClock({ idleTurns: 40 }), engine);
}

/** Time stands still until the test moves it. */
export function still(engine?: Engine): Stage<VirtualClock> {
  return new Stage(virtualClock(), engine);
}

/** A test may look away from an outcome: the runtime is closed under it when the test ends. */
function watched<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  return answer;
}
