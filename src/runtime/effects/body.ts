import { FlyballError } from '../../core/errors.js';
import type { EffectContext } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import { effectContext } from '../effect-context.js';
import type { Pending } from '../pending.js';

/** How an effect's body ended. `stopped`: it was aborted (time, bound, cancellation) and may or may not have acted. */
export type BodyEnd<T> =
  | { readonly ended: 'value'; readonly value: T }
  | { readonly ended: 'error'; readonly error: unknown }
  | { readonly ended: 'stopped'; readonly reason: Error; readonly settled: boolean };

/** Runs an effect's body under a time limit and the abort of its scope. The signal is made only when somebody reads it. */
export function runBody<T>(
  attempt: Attempt,
  pending: Pending,
  options: { readonly key: string; readonly timeoutMs: number | undefined },
  body: (how: EffectContext) => Promise<T> | T,
): Promise<BodyEnd<T>> {
  return new Promise((resolve) => {
    let controller: AbortController | undefined;
    let stopped: Error | undefined;
    let cancelTimer: (() => void) | undefined;
    const how: EffectContext = {
      key: options.key,
      get signal() {
        controller ??= new AbortController();
        if (stopped !== undefined) controller.abort(stopped);
        return controller.signal;
      },
    };
    const finish = (end: BodyEnd<T>): void => {
      cancelTimer?.();
      pending.onAbort = undefined;
      resolve(end);
    };
    const stop = (reason: Error): void => {
      if (stopped !== undefined) return;
      stopped = reason;
      controller?.abort(reason);
      // a body that listens gets a moment to end; one that does not is left behind
      setImmediate(() => setImmediate(() => finish({ ended: 'stopped', reason, settled: false })));
    };
    pending.onAbort = stop;
    if (options.timeoutMs !== undefined) {
      const { timeoutMs } = options;
      cancelTimer = attempt.host.clock.after(timeoutMs, () =>
        stop(new FlyballError('EFFECT_TIMEOUT', `No end within ${timeoutMs} ms.`, { retryable: true })),
      );
    }
    const onError = (error: unknown): void =>
      finish(stopped === undefined ? { ended: 'error', error } : { ended: 'stopped', reason: stopped, settled: true });
    effectContext.run({ attempt, inEffect: true, host: false }, () => {
      try {
        const value = body(how);
        if (value instanceof Promise) value.then((result) => finish({ ended: 'value', value: result }), onError);
        else finish({ ended: 'value', value });
      } catch (error) {
        onError(error);
      }
    });
  });
}
