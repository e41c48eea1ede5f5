import type { Outcome } from '../../core/outcome.js';
import type { Clock } from '../../ports/clock.js';
import type { RunHandle } from '../../runtime/runtime.js';

/** How the run rests, if it does within the time; undefined when it goes on without its client, or nobody waits. */
export async function untilRest(
  handle: RunHandle,
  within: { readonly clock: Clock; readonly ms: number; readonly signal: AbortSignal },
): Promise<Outcome<unknown> | undefined> {
  const { clock, ms, signal } = within;
  if (signal.aborted) return undefined; // it went away while the run was being started
  let stop: () => void = () => undefined;
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
    return await Promise.race([handle.outcome(), over]);
  } finally {
    stop();
  }
}
