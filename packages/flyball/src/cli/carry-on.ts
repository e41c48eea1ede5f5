import { FlyballError } from '../core/errors.js';
import type { Entry } from '../core/events.js';
import type { Outcome } from '../core/outcome.js';
import type { RunHandle, Runtime } from '../index.js';
import type { RunRecord } from '../ports/engine.js';
import { type Interrupted, interruptible } from './interruption.js';
import { Progress } from './progress.js';
import type { Screen } from './screen.js';
import { Teller } from './teller.js';

/** A run that only waits for a time so near is waited for; one that waits longer is left in the database. */
const NEAR_MS = 60_000;
/** If it has not woken by then, another process has it or something is wrong: look again. */
const GRACE_MS = 5_000;
const UNSETTLED_MS = 20;
const UNSETTLED_LOOKS = 100;

/** How a run stands when this process leaves it. */
export type Rest = { readonly kind: 'outcome'; readonly outcome: Outcome<unknown> } | Interrupted;

export interface Journey {
  readonly runtime: Runtime;
  readonly runId: string;
  readonly screen: Screen;
  /** Sets the run going. */
  readonly launch: () => Promise<RunHandle>;
}

/** Runs until the run rests or somebody presses Ctrl-C, and tells what happens on the way. */
export async function carryOn({ runtime, runId, screen, launch }: Journey): Promise<Rest> {
  const teller = new Teller(new Progress(screen, runId));
  const waker = new Waker();
  const unsubscribe = runtime.subscribe((id, entries) => {
    if (id !== runId) return;
    teller.tell(entries);
    if (entries.some(({ event }) => event.type === 'attempt-start')) waker.wake();
  });
  const interruption = interruptible(runtime, screen);
  try {
    teller.skip(await entriesOf(runtime, runId));
    const handle = await launch();
    // asked for at once: a run that breaks in its first moments tells only those who already listen
    const rest = untilRest(runtime, handle, waker).then(
      (outcome): Rest | Promise<Rest> => ({ kind: 'outcome', outcome }),
      (error: unknown) => {
        if (!interruption.asked()) throw error;
        return interruption.happened; // given back in the middle: not an error of the run
      },
    );
    rest.catch(() => undefined); // met below, after what was written until now is told
    teller.catchUp(await runtime.entries(runId));
    return await Promise.race([rest, interruption.happened]);
  } finally {
    interruption.stop();
    unsubscribe();
    teller.stop();
  }
}

async function entriesOf(runtime: Runtime, runId: string): Promise<readonly Entry[]> {
  try {
    return await runtime.entries(runId);
  } catch (error) {
    if (error instanceof FlyballError && error.code === 'RUN_NOT_FOUND') return []; // it is about to be started
    throw error;
  }
}

/** The first rest that is not just a short time to pass. */
async function untilRest(runtime: Runtime, handle: RunHandle, waker: Waker): Promise<Outcome<unknown>> {
  for (let unsettled = 0; ; ) {
    const woken = waker.next();
    const outcome = await handle.outcome();
    if (outcome.stop !== 'suspended') return outcome;
    const record = await runtime.get(handle.id);
    if (record.status === 'running' && record.owner?.pid === process.pid && unsettled++ < UNSETTLED_LOOKS) {
      // it broke before anybody could listen, and is about to be set aside: then asking again says why
      await within(woken, UNSETTLED_MS);
      continue;
    }
    if (record.status === 'stalled') return handle.outcome();
    const wakesAt = wakesByItself(record);
    if (wakesAt === undefined || wakesAt - Date.now() > NEAR_MS) return outcome;
    await within(woken, Math.max(0, wakesAt - Date.now()) + GRACE_MS);
  }
}

/** When a run goes on without anybody's answer: the end of a sleep, or the time to look into a doubt. */
function wakesByItself({ status, waiting, wakeAt }: RunRecord): number | undefined {
  return status === 'suspended' && waiting.length === 0 ? wakeAt : undefined;
}

async function within(awaited: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([awaited, late]);
  clearTimeout(timer);
}

/** Somebody wants to know when the run is taken up again. */
class Waker {
  private waiting: (() => void)[] = [];

  wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  next(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
