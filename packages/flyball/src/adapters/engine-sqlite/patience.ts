import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy, storageBusy, storageError } from './storage-errors.js';

/** Jittered, so that processes on one file do not meet again and again; a few milliseconds: a failed try is cheap. */
export function retryDelayMs(round: number): number {
  return 1 + Math.random() * Math.min(2 ** round, 4);
}

/** Does the work, and again after a pause while another process is in the way, for at most `busyMs`. */
export async function patiently<T>(
  work: () => T,
  { path, busyMs }: { readonly path: string; readonly busyMs: number },
): Promise<T> {
  let since: number | undefined;
  for (let round = 1; ; round += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw storageError(error, path);
      since ??= performance.now();
      if (performance.now() - since >= busyMs) throw storageBusy(path, error);
    }
    await sleep(retryDelayMs(round));
  }
}
