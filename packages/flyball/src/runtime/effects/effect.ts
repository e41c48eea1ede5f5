import type { Amounts } from '../../core/budget.js';
import { FlyballError } from '../../core/errors.js';
import type { EffectId, EndEvent, EventOf } from '../../core/events.js';
import type { Attempt } from '../attempt.js';
import { effectContext } from '../effect-context.js';
import type { Pending } from '../pending.js';
import type { Scope } from '../scope.js';

/** What every kind of effect has in common; `drive` starts it live, `answer` turns its recorded end into what the code gets. */
export interface EffectPlan<T> {
  readonly kind: Pending['kind'];
  readonly fp: string;
  readonly name?: string;
  readonly want: Partial<Amounts>;
  readonly polls?: boolean;
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
      ended: undefined,
      ran: false,
      polls: plan.polls ?? false,
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
