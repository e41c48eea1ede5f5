import { type Agent, createRuntime, done, type Engine, type Runtime } from 'flyball';
import { wideBudget } from './wide-budget.js';

/** How many runs are asleep when they are measured. */
export const SIZES = [10, 1_000, 10_000];

/** What the agents of a process did with abort signals before they went to sleep. */
export const TOUCHES = ['nothing', 'run.signal', 'shared signal', 'AbortSignal.any'] as const;
export type Touch = (typeof TOUCHES)[number];

/**
 * Runs that all wait for `go`. With 'run.signal' each listens on its own signal and never takes the listener away. With
 * 'shared signal' each effect also listens on one signal of the whole process, as a server's shutdown signal is, and
 * with 'AbortSignal.any' it joins that one with its own.
 */
export function openSleepers(engine: Engine, touch: Touch, shared: AbortSignal): Runtime {
  const sleeper: Agent<number, unknown> = async (run, n) => {
    if (touch !== 'nothing') run.signal.addEventListener('abort', () => rememberTo(n));
    const work = touch === 'shared signal' ? underBoth : touch === 'AbortSignal.any' ? underAny : undefined;
    if (work !== undefined) await run.step('ask the world', n, (_, how) => work(shared, how.signal), 'pure');
    return done(await run.wait({ name: 'go' }));
  };
  return createRuntime({ engine, agents: { sleeper }, options: { suspendAfterMs: 5 } });
}

/** Stands for whatever a listener closes over. */
function rememberTo(_n: number): void {}

/** What a client library does with the signals it is given: listens while it works, and then no longer. */
async function underBoth(shared: AbortSignal, own: AbortSignal): Promise<string> {
  const stop = (): void => undefined;
  for (const signal of [shared, own]) signal.addEventListener('abort', stop, { once: true });
  await Promise.resolve();
  for (const signal of [shared, own]) signal.removeEventListener('abort', stop);
  return 'answered';
}

export async function underAny(shared: AbortSignal, own: AbortSignal): Promise<string> {
  const stop = (): void => undefined;
  const either = AbortSignal.any([shared, own]);
  either.addEventListener('abort', stop, { once: true });
  await Promise.resolve();
  either.removeEventListener('abort', stop);
  return 'answered';
}

/** Starts sleepers number `from` up to `to` and waits until all of them are unloaded. */
export async function putToSleep(runtime: Runtime, from: number, to: number): Promise<void> {
  const together = 200; // enough to share commits, few enough to stay below `maxLoaded`
  for (let first = from; first < to; first += together) {
    const numbers = Array.from({ length: Math.min(together, to - first) }, (_, index) => first + index);
    await Promise.all(
      numbers.map(async (n) => {
        const handle = await runtime.start('sleeper', n, { id: sleeperId(n), budget: wideBudget });
        const { stop } = await handle.outcome();
        if (stop !== 'suspended') throw new Error(`Sleeper ${n} is ${stop}, not suspended.`);
      }),
    );
  }
  if (runtime.loaded() !== 0) throw new Error(`${runtime.loaded()} sleepers are still loaded.`);
}

export function sleeperId(n: number): string {
  return `sleeper-${String(n).padStart(6, '0')}`;
}

/** Bytes in use after everything unreachable is gone. Timers and finalisers get their turns first. */
export async function settledHeap(): Promise<number> {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('Run this with --expose-gc.');
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 6; round++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect();
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}
