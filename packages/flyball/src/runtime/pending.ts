import type { Amounts } from '../core/budget.js';
import type { EffectId, EndEvent, EventOf } from '../core/events.js';
import type { Scope } from './scope.js';

/** An effect that the code has asked for and that has not been delivered. */
export interface Pending {
  readonly id: EffectId;
  readonly kind: 'ask' | 'call' | 'step' | 'spawn' | 'wait' | 'sleep' | 'rollback';
  readonly fp: string;
  /** What the code calls it, where it has a name. */
  readonly name: string | undefined;
  readonly scope: Scope;
  /** held: not started. running: in flight. waiting: only a person, a signal or a timer can move it. */
  phase: 'held' | 'running' | 'waiting';
  /** What is reserved for it; undefined while the budget has not agreed. */
  reserved: Partial<Amounts> | undefined;
  /** Its INTENT is in the journal: it must be seen to its end even when nobody waits for it any more. */
  intended: boolean;
  /** A call whose body has run, in this life or an earlier one: it counts, whatever becomes of it. */
  begun: boolean;
  /** Its end, which is written and not delivered yet. */
  ended: EndEvent | undefined;
  /** Its body was run in this life: what it failed with is what the body said. */
  ran: boolean;
  /** A call that may see the same again and again. */
  readonly polls: boolean;
  /** The code was already answered with this error. */
  closedBy: Error | undefined;
  /** Earliest time at which a waiting effect moves by itself. */
  wakeAt: number | undefined;
  /** Gates and doubts inside it: those that ended, and who waits for the others. Few effects have any. */
  subs: Subs | undefined;
  onAbort: ((reason: Error) => void) | undefined;
  /** Called when the code is answered with an error because its scope was closed. */
  readonly onClosed: (() => void) | undefined;
  /** Starts it, live. Resolves when its end is in the journal or it was dropped. */
  drive(): Promise<void>;
  /** Learns from the recorded end how to undo the effect, also when nobody waits for it any more. */
  readonly learn: ((end: EndEvent) => void) | undefined;
  /** Records that it was begun and cut off. */
  readonly cutOff: (() => void) | undefined;
  /** Hands the recorded end to the code. */
  answer(end: EndEvent | EventOf<'rollback-end'>): void;
  reject(error: Error): void;
}

export interface Subs {
  readonly ended: Map<EffectId, EventOf<'wait-end'>>;
  readonly waiters: Map<EffectId, (end: EventOf<'wait-end'>) => void>;
}

export function subsOf(pending: Pending): Subs {
  pending.subs ??= { ended: new Map(), waiters: new Map() };
  return pending.subs;
}

/** Children and rollbacks are made of other effects: they are never what a run waits for. */
export function isLeaf(pending: Pending): boolean {
  return pending.kind !== 'spawn' && pending.kind !== 'rollback';
}

/** Its reservation is kept until its end is delivered, whoever waits for that: it took place, or may have. */
export function isCounted({ intended, begun, ended }: Pending): boolean {
  return intended || begun || ended !== undefined;
}
