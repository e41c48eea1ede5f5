import type { Amounts } from '../../core/budget.js';
import { FlyballError } from '../../core/errors.js';
import type { EffectId, EndEvent, EventOf } from '../../core/events.js';
import type { EffectContext } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import { effectContext } from '../effect-context.js';
import type { Pending, Scope } from '../open-effects.js';

/** What every kind of effect has in common; `drive` starts it live, `answer` turns its recorded end into what the code gets. */
export interface EffectPlan<T> {
  readonly kind: Pending['kind'];
  readonly fp: string;
  readonly name?: string;
  readonly want: Partial<Amounts>;
  readonly polls?: boolean;
  readonly reruns?: boolean;
  readonly drive: (pending: Pending) => Promise<void>;
  readonly learn?: (end: EndEvent) => void;
  readonly onClosed?: () => void;
  readonly cutOff?: (pending: Pending) => void;
  /** The value for the code, or an Error to reject with. */
  readonly answer: (end: EndEvent) => T | Error;
}

/** Asks for an effect: gives it its identity and hands it to the attempt. */
export function ask<T>(attempt: Attempt, scope: Scope, plan: EffectPlan<T>): Promise<T> {
  assertOutsideEffects(attempt);
  return askAs(attempt, scope, `${scope.path}#${scope.effects++}`, plan);
}

export function askAs<T>(attempt: Attempt, scope: Scope, id: EffectId, plan: EffectPlan<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const pending: Pending = {
      id,
      kind: plan.kind,
      fp: plan.fp,
      name: plan.name,
      scope,
      phase: 'held',
      reserved: undefined,
      intended: false,
      begun: false,
      judged: false,
      used: undefined,
      ended: undefined,
      ran: false,
      polls: plan.polls ?? false,
      reruns: plan.reruns ?? false,
      closedBy: undefined,
      wakeAt: undefined,
      subs: undefined,
      onAbort: undefined,
      learn: plan.learn,
      onClosed: plan.onClosed,
      cutOff: plan.cutOff === undefined ? undefined : () => plan.cutOff?.(pending),
      drive: () => plan.drive(pending),
      answer: (end) => {
        const value = plan.answer(end as EndEvent);
        if (value instanceof Error) reject(value);
        else resolve(value);
      },
      reject,
    };
    attempt.admission.enter(pending, plan.want);
  });
}

/** Stays the same however often the effect is attempted. */
export function keyOf(attempt: Attempt, pending: Pending): string {
  return `${attempt.runId}:${attempt.generation}:${pending.id}`;
}

/** Effects run outside the ordered history: one that used the run would be invisible to a replay. */
export function assertOutsideEffects(attempt: Attempt): void {
  const place = effectContext.getStore();
  if (place?.life === attempt.life.tag && place.inEffect) {
    throw new FlyballError(
      'RUN_INSIDE_EFFECT',
      'An effect must not use `run`: split it into two effects and call them one after the other.',
    );
  }
}

export type WaitEnd = EventOf<'wait-end'>;

/**
 * How an effect's body ended. `stopped`: it was aborted (time, bound, cancellation) and may or may not have acted;
 * unless `settled` it still runs, and may act yet.
 */
export type BodyEnd<T> =
  | { readonly ended: 'value'; readonly value: T }
  | { readonly ended: 'error'; readonly error: unknown }
  | { readonly ended: 'stopped'; readonly reason: Error; readonly settled: boolean };

/**
 * Something with a `signal` that is made when somebody reads it. The property is its own and enumerable, so that a copy
 * (`{ ...how }`) has it too.
 *
 * All of them share one getter. In an object literal each object would have its own, and V8 keeps a getter among the old
 * objects from the start: through its closure, all that the effect knew would stay until the next full collection. That
 * took a third of the time of an effect.
 */
export abstract class WithSignal {
  declare readonly signal: AbortSignal;

  constructor() {
    Object.defineProperty(this, 'signal', SIGNAL);
  }

  /** What the property reads as. */
  protected abstract makeSignal(): AbortSignal;
}

const SIGNAL: PropertyDescriptor & ThisType<{ makeSignal(): AbortSignal }> = {
  enumerable: true,
  configurable: true,
  get() {
    return this.makeSignal();
  },
};

/** What a body is given. Its signal is made only when the body reads it. */
class BodyContext extends WithSignal implements EffectContext {
  readonly key: string;
  readonly fence: number;
  #controller: AbortController | undefined;
  #stopped: Error | undefined;

  constructor(key: string, fence: number) {
    super();
    this.key = key;
    this.fence = fence;
  }

  stop(reason: Error): void {
    this.#stopped = reason;
    this.#controller?.abort(reason);
  }

  protected makeSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped !== undefined) this.#controller.abort(this.#stopped);
    return this.#controller.signal;
  }
}

/**
 * Runs an effect's body under a time limit and the abort of its scope.
 * A stopped body that acts on the world is let to settle for as long as its limit and `graceMs` allow, because how it
 * ends says whether it acted. Without `graceMs` it can do no harm, and is left behind after a moment.
 */
export function runBody<T>(
  attempt: Attempt,
  pending: Pending,
  options: { readonly key: string; readonly timeoutMs: number | undefined; readonly graceMs?: number },
  body: (how: EffectContext) => Promise<T> | T,
): Promise<BodyEnd<T>> {
  return new Promise((resolve) => {
    let stopped: Error | undefined;
    let cancelTimer: (() => void) | undefined;
    const { timeoutMs, graceMs } = options;
    const { clock } = attempt;
    const until = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutMs;
    const how = new BodyContext(options.key, attempt.claim.fence);
    const finish = (end: BodyEnd<T>): void => {
      attempt.effects.leftBehind.delete(how); // a body that was left behind has settled after all
      cancelTimer?.();
      if (pending.onAbort === stop) pending.onAbort = undefined;
      resolve(end);
    };
    const stop = (reason: Error): void => {
      if (stopped !== undefined) return;
      stopped = reason;
      how.stop(reason);
      if (graceMs === undefined || attempt.life.isDead) setImmediate(() => setImmediate(leaveBehind));
      else {
        cancelTimer?.();
        cancelTimer = clock.after(Math.max(0, until - clock.monotonic()) + graceMs, leaveBehind);
      }
    };
    const leaveBehind = (): void => {
      if (stopped === undefined) return;
      finish({ ended: 'stopped', reason: stopped, settled: false });
      if (graceMs !== undefined) attempt.effects.leftBehind.set(how, pending.id);
    };
    pending.onAbort = stop;
    if (timeoutMs !== undefined) {
      cancelTimer = clock.after(timeoutMs, () =>
        stop(new FlyballError('EFFECT_TIMEOUT', `It did not end within ${timeoutMs} ms.`, { retryable: true })),
      );
    }
    const onError = (error: unknown): void =>
      finish(stopped === undefined ? { ended: 'error', error } : { ended: 'stopped', reason: stopped, settled: true });
    pending.ran = true;
    effectContext.run({ life: attempt.life.tag, inEffect: true, host: false }, () => {
      try {
        const { aroundBody } = attempt.host;
        const value = aroundBody === undefined ? body(how) : aroundBody(options.key, () => body(how));
        if (value instanceof Promise) value.then((result) => finish({ ended: 'value', value: result }), onError);
        else finish({ ended: 'value', value });
      } catch (error) {
        onError(error);
      }
    });
  });
}
