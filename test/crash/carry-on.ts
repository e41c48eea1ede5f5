import type { Budget, Outcome, RunHandle, Runtime, Waiting } from 'flyball';
import type { AutoClock } from 'flyball/testing';
import { patient } from '../patience.js';

/** One run on its way to its end, as whoever looks after it sees it. */
export interface Journey {
  readonly runId: string;
  start(runtime: Runtime): Promise<RunHandle>;
  /** What to do about a wait. Asked again in every life, so it has to be repeatable. */
  answer(waiting: Waiting): Answer;
  /** The budget under which to go on after a bound; undefined where the run is to end there. */
  enlarge?(limit: number): Partial<Budget> | undefined;
}

/** A signal to send, a cancellation, or nothing but patience. */
export type Answer = { readonly id: string; readonly payload: unknown } | 'cancel' | 'let it pass';

/** Takes a run to its end in this life: starts or resumes it, answers what it asks and lets time pass while it sleeps. */
export async function carryOn(runtime: Runtime, journey: Journey, clock: AutoClock): Promise<Outcome<unknown>> {
  const { runId } = journey;
  const known = await runtime.get(runId).catch(() => undefined);
  let handle = known === undefined ? await journey.start(runtime) : await resume(runtime, runId);
  for (;;) {
    const outcome = await handle.outcome();
    const larger = outcome.stop === 'bounded' ? journey.enlarge?.(outcome.limit) : undefined;
    if (larger !== undefined) {
      handle = await runtime.resume(runId, { budget: larger });
      continue;
    }
    if (outcome.stop !== 'suspended') return outcome;
    let isAnswered = false;
    for (const waiting of outcome.waiting) isAnswered = (await respond(runtime, journey, waiting)) || isAnswered;
    if (!isAnswered)
      await until(clock, Math.min(...outcome.waiting.map((waiting) => waiting.until ?? Number.POSITIVE_INFINITY)));
    handle = await resume(runtime, runId);
  }
}

async function respond(runtime: Runtime, { runId, answer }: Journey, waiting: Waiting): Promise<boolean> {
  const given = waiting.kind === 'sleep' ? 'let it pass' : answer(waiting);
  if (given === 'let it pass') return false;
  if (given === 'cancel') await runtime.cancel(runId, { by: 'test', why: 'near its end' }).catch(ignoreEnded);
  else
    await runtime.signal(runId, waiting.token ?? '', given.payload, {
      id: given.id,
      from: waiting.kind === 'signal' ? 'test' : 'ann', // whoever tells a run something does not decide what it does
    });
  return true;
}

/** A run that ended in the life before has nothing to resume. */
async function resume(runtime: Runtime, runId: string): Promise<RunHandle> {
  return runtime.resume(runId).catch((error: { readonly code?: string }) => {
    if (error.code === 'ALREADY_TERMINAL' || error.code === 'CONFIG_INVALID') return runtime.handle(runId);
    throw error;
  });
}

export function ignoreEnded(error: { readonly code?: string }): void {
  if (error.code !== 'ALREADY_TERMINAL' && error.code !== 'RUN_NOT_FOUND') throw error;
}

function until(clock: AutoClock, at: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(Math.max(0, at - clock.now()), resolve);
  });
}

/** A run that hangs is a finding too: it fails with its journal instead of with a timeout. */
export async function stuck(runtime: Runtime, runId: string, limitMs = 5_000): Promise<never> {
  for (let quiet = 0; quiet < 20; quiet++)
    await new Promise((resolve) => setTimeout(resolve, patient(limitMs) / 20).unref());
  const entries = await runtime.entries(runId).catch(() => []);
  throw new Error(`stuck after ${entries.map(({ event }) => JSON.stringify(event)).join('\n')}`);
}
