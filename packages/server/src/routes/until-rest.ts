import type { Clock, Outcome, RunHandle } from 'flyball';

/** How the run rests, if it does within the time; undefined when it goes on without its client, or nobody waits. */
export async function untilRest(
  handle: RunHandle,
  within: { readonly clock: Clock; readonly ms: number; readonly signal: AbortSignal },
): Promise<Outcome<unknown> | undefined> {
  const { clock, ms, signal } = within;
  if (signal.aborted) return undefined; // it went away while the run was being started
  let stop: () => void = () => undefined;
  let isOver = false;
  const over = new Promise<undefined>((resolve) => {
    const cancel = clock.after(ms, () => resolve(undefined), { keepAlive: false });
    const gone = (): void => resolve(undefined);
    signal.addEventListener('abort', gone, { once: true });
    stop = () => {
      cancel();
      signal.removeEventListener('abort', gone);
    };
  });
  try {
    return await Promise.race([awake(handle, clock, () => isOver), over]);
  } finally {
    isOver = true;
    stop();
  }
}

/** A run that only sleeps wakes by itself: it is looked at again after so long. */
const LOOK_MS = 50;

/** How it rests when it waits for something else than the time. */
async function awake(handle: RunHandle, clock: Clock, isOver: () => boolean): Promise<Outcome<unknown>> {
  for (;;) {
    const outcome = await handle.outcome();
    const sleeps =
      outcome.stop === 'suspended' && outcome.paused !== true && outcome.waiting.every(({ kind }) => kind === 'sleep');
    if (!sleeps || isOver()) return outcome;
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve, { keepAlive: false }));
  }
}
