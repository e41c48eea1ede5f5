import { passOver } from './by-kind.js';
import type { ActKind, AskKind, ChildKind, ControlKind, LifeKind, PatternKind, RollbackKind } from './event-kinds.js';
import type { EffectId, Entry, EventOf, RunEvent, WaitCloser } from './events.js';

/**
 * What a run waits for, as its journal tells it: the one place that says whether a wait is open. Routing, inbox, server,
 * chat and studio read it; nobody infers it from what happened around a wait.
 *
 * 1. A wait is open from its `wait-start` until a `wait-end` or a `wait-close`; one that opens again has a further start.
 *    An answer that was accepted before a `wait-close` and not heard is the wait's end all the same (`unheard`).
 * 2. A wait that asks a person (`isAsked`) is answered by its token only, while it is open.
 */

export type WaitStatus = 'open' | 'answered' | 'timed-out' | 'closed';

/** Somebody is asked: an approval, a question or a doubt. Everything else is a signal, which is sent to a name. */
export function isAsked({ kind }: Pick<EventOf<'wait-start'>, 'kind'>): boolean {
  return kind !== 'signal';
}

/** Names under which only people are asked. */
const ASKED_NAMES = ['approve:', 'answer:', 'doubt:'] as const;

export function isAskedName(name: string): boolean {
  return ASKED_NAMES.some((prefix) => name.startsWith(prefix));
}

/** What an answer is sent to: no two waits of any run have the same. */
export function waitToken(runId: string, at: { readonly generation: number; readonly id: EffectId }): string {
  return `${runId}:${at.generation}:${at.id}`;
}

/** The run whose wait has this token; undefined where it is none. */
export function runOfToken(token: string): string | undefined {
  return /^(\S+):\d+:[^:\s]*#\d+(?:![^:\s]+)?$/.exec(token)?.[1];
}

/** What an event changes about a wait. */
export interface WaitChange {
  readonly id: EffectId;
  readonly status: WaitStatus;
  readonly start?: EventOf<'wait-start'>;
}

export function waitChange(event: EventOf<'wait-start' | 'wait-end' | 'wait-close'>): WaitChange;
export function waitChange(event: RunEvent): WaitChange | undefined;
export function waitChange(event: RunEvent): WaitChange | undefined {
  switch (event.type) {
    case 'wait-start':
      return { id: event.id, status: 'open', start: event };
    case 'wait-end':
      return { id: event.id, status: event.timedOut === true ? 'timed-out' : 'answered' };
    case 'wait-close':
      return { id: event.id, status: 'closed' };
    default:
      return passOver<
        | LifeKind
        | AskKind
        | ActKind
        | ChildKind
        | ControlKind
        | RollbackKind
        | PatternKind
        | 'sleep-start'
        | 'sleep-end'
        | 'note'
        | 'pin'
        | 'post'
      >(event);
  }
}

export interface Wait {
  readonly generation: number;
  /** Position of its first start. */
  readonly seq: number;
  readonly start: EventOf<'wait-start'>;
  readonly startedAt: number;
  readonly status: WaitStatus;
  readonly end?: EventOf<'wait-end'>;
  readonly closedBy?: WaitCloser;
  readonly endedAt?: number;
}

/** Every wait of a journal, in the order in which they were first opened. */
export class WaitIndex {
  private readonly byKey = new Map<string, Wait>();

  constructor(entries: Iterable<Entry> = []) {
    for (const entry of entries) this.apply(entry);
  }

  apply({ event, generation, seq, at }: Entry): void {
    const change = waitChange(event);
    if (change === undefined) return;
    const key = `${generation} ${change.id}`;
    const known = this.byKey.get(key);
    if (change.start !== undefined) {
      const first = { generation, seq: known?.seq ?? seq, startedAt: known?.startedAt ?? at };
      this.byKey.set(key, { ...first, start: change.start, status: 'open' });
    } else if (known !== undefined) {
      const how =
        event.type === 'wait-end' ? { end: event } : event.type === 'wait-close' ? { closedBy: event.why } : {};
      this.byKey.set(key, { ...known, status: change.status, endedAt: at, ...how });
    }
  }

  get(generation: number, id: EffectId): Wait | undefined {
    return this.byKey.get(`${generation} ${id}`);
  }

  all(): readonly Wait[] {
    return [...this.byKey.values()];
  }

  open(): readonly Wait[] {
    return this.all().filter(({ status }) => status === 'open');
  }
}

export function waitsIn(entries: Iterable<Entry>): readonly Wait[] {
  return new WaitIndex(entries).all();
}
