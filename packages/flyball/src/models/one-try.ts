import { FlyballError } from '../core/errors.js';
import type { Model, ModelCallContext, ModelReply, ModelRequest } from '../core/model.js';
import type { Clock } from '../ports/clock.js';

/**
 * One try of one model under a time limit. Settles the moment it is over, too late or no longer wanted, whatever the
 * model does with its signal; nothing that a left-behind try still streams reaches the caller.
 */
export function oneTry(
  model: Model,
  request: ModelRequest,
  how: ModelCallContext,
  limit: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<ModelReply> {
  return new Promise((resolve, reject) => {
    how.signal.throwIfAborted();
    const controller = new AbortController();
    let isOver = false;
    const finish = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      cancelTimer();
      how.signal.removeEventListener('abort', cancelled);
      settle();
    };
    const stop = (reason: unknown): void =>
      finish(() => {
        controller.abort(reason);
        reject(reason);
      });
    const cancelled = (): void => stop(how.signal.reason);
    const cancelTimer = limit.clock.after(limit.timeoutMs, () => stop(tooLate(model, limit.timeoutMs)));
    how.signal.addEventListener('abort', cancelled, { once: true });
    const { onDelta } = how;
    const context: ModelCallContext = {
      key: how.key,
      signal: controller.signal,
      ...(onDelta === undefined ? {} : { onDelta: (delta) => (isOver ? undefined : onDelta(delta)) }),
    };
    const failed = (error: unknown): void => finish(() => reject(error));
    try {
      model.generate(request, context).then((reply) => finish(() => resolve(reply)), failed);
    } catch (error) {
      failed(error);
    }
  });
}

function tooLate(model: Model, timeoutMs: number): FlyballError {
  return new FlyballError(
    'MODEL_UNAVAILABLE',
    `${model.id} did not finish within ${timeoutMs} ms. Raise timeoutMs if its replies take that long.`,
    // the provider may have worked on it all the while
    { retryable: true, detail: { model: model.id, timeoutMs, mayHaveCost: true } },
  );
}
