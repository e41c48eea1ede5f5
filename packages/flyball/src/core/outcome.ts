import type { Acts } from './act-record.js';
import type { Amounts, Axis } from './budget.js';
import { type Failure, unreachable } from './errors.js';
import type { Reason } from './reason.js';

/**
 * What a run or a child spent. `possibly` is what calls that were cut off, for example by a crash, may have cost, and
 * what runs that it started and did not join may spend; it counts toward the limits.
 */
export type Usage = Amounts & { readonly possibly?: Partial<Amounts> };

/** What happened to one effect in a rollback. */
export interface RollbackEntry {
  /** Identity of the effect that was to be undone. */
  readonly effect: string;
  /** The generation that made it. */
  readonly generation: number;
  readonly name: string;
  readonly status: 'COMPENSATED' | 'CANNOT_ROLLBACK' | 'COMPENSATION_FAILED' | 'IN_DOUBT';
  readonly note?: string;
}

/** The result of a rollback. */
export interface RollbackReport {
  readonly success: boolean;
  readonly entries: readonly RollbackEntry[];
  /** Present when a person has to finish the work: `requires manual intervention`. */
  readonly attention?: string;
}

/** Something a suspended run waits for: a signal, a person or a time. */
export interface Waiting {
  readonly effect: string;
  readonly kind: 'signal' | 'approval' | 'question' | 'doubt' | 'sleep';
  readonly name: string;
  readonly token?: string;
  readonly until?: number;
  readonly request?: unknown;
}

/** What the runtime adds when a run ends: what it cost, and what it did. A child's has its usage only. */
export interface Ended extends Partial<Acts> {
  readonly usage?: Usage;
}

/** `because` is for people, `reason` for programs. */
export interface Reasoned {
  readonly reason?: Reason;
}

/** How a run or a child ended. `suspended` is not an end: only the handle of a run returns it. */
export type Outcome<O> = Ended &
  (
    | { readonly stop: 'done'; readonly value: O }
    | ({ readonly stop: 'degraded'; readonly value: O; readonly because: string } & Reasoned)
    | ({
        readonly stop: 'bounded';
        readonly bound: Axis | (string & {});
        readonly limit: number;
        /** What did not fit any more, and what was left to take it from. */
        readonly wanted?: number;
        readonly left?: number;
        readonly partial?: O | Partial<O>;
      } & Reasoned)
    | {
        readonly stop: 'suspended';
        readonly waiting: readonly Waiting[];
        readonly paused?: boolean;
      }
    | ({ readonly stop: 'blocked'; readonly because: string; readonly partial?: O | Partial<O> } & Reasoned)
    | ({
        readonly stop: 'cancelled';
        readonly because: string;
        readonly rollback?: RollbackReport;
        readonly partial?: O | Partial<O>;
      } & Reasoned)
    | ({
        readonly stop: 'failed';
        readonly because: string;
        readonly failure: Failure;
        readonly rollback?: RollbackReport;
        readonly partial?: O | Partial<O>;
      } & Reasoned)
  );

/** Every outcome except `done`. */
export type NotDone = Exclude<Outcome<unknown>, { readonly stop: 'done' }>;

/** The possible values of `stop` in an outcome. */
export type Stop = Outcome<unknown>['stop'];

/** Ends a run with its value. */
export function done<O>(value: O): Outcome<O> {
  return { stop: 'done', value };
}

/** Ends a run with a usable but incomplete value, and the reason: in words, and as a code where programs look for it. */
export function degraded<O>(value: O, because: string, reason?: Reason): Outcome<O> {
  return { stop: 'degraded', value, because, ...(reason === undefined ? {} : { reason }) };
}

/** What an end without a value can have beside: what there is of the value, and the reason as a code. */
export interface EndDetails<O> {
  readonly partial?: O | Partial<O>;
  readonly reason?: Reason;
}

/** Ends a run that cannot continue, with the reason. */
export function blocked<O>(because: string, details: EndDetails<O> = {}): Outcome<O> {
  return { stop: 'blocked', because, ...given(details) };
}

/** Ends a run with an error. Its effects are rolled back. */
export function failed<O>(failure: Failure, details: EndDetails<O> = {}): Outcome<O> {
  return { stop: 'failed', because: failure.message, failure, ...given(details) };
}

function given<O>({ partial, reason }: EndDetails<O>): EndDetails<O> {
  return { ...(partial === undefined ? {} : { partial }), ...(reason === undefined ? {} : { reason }) };
}

/**
 * How a child ended, as the end of whoever asked it, whose value would be another: `if (child.stop !== 'done') return
 * withoutValue(child)`. What the child had is left out, so a degraded child blocks its parent; its reason stays.
 */
export function withoutValue(ended: NotDone): Outcome<never> {
  switch (ended.stop) {
    case 'degraded':
      return blocked(ended.because, ended.reason === undefined ? {} : { reason: ended.reason });
    case 'suspended':
      return ended;
    case 'bounded':
    case 'blocked':
    case 'cancelled':
    case 'failed': {
      const { partial: _left, ...end } = ended;
      return end;
    }
    default:
      return unreachable(ended);
  }
}

/** Whether an outcome is final. Runs that are `bounded` or `suspended` can continue. */
export function isTerminal(stop: Stop): boolean {
  return stop !== 'suspended' && stop !== 'bounded';
}
