import type { Amounts } from '../core/budget.js';
import type { EffectId, EndEvent, EventOf } from '../core/events.js';
import type { Ledger } from '../core/ledger.js';
import { BestSoFar, type ScopeKind } from './best-so-far.js';
import { isUnder } from './loaded-entry.js';

/** The effects a run has asked for and not been answered, and what they say about the run as a whole. */
export class OpenEffects {
  private readonly pendings = new Map<EffectId, Pending>();
  private intentWaiters: (() => void)[] = [];

  get size(): number {
    return this.pendings.size;
  }

  get(id: EffectId): Pending | undefined {
    return this.pendings.get(id);
  }

  has(id: EffectId): boolean {
    return this.pendings.has(id);
  }

  all(): readonly Pending[] {
    return [...this.pendings.values()];
  }

  add(pending: Pending): void {
    this.pendings.set(pending.id, pending);
    pending.scope.open++;
  }

  /** False when it was not open any more. */
  remove(pending: Pending): boolean {
    if (this.pendings.get(pending.id) !== pending) return false;
    this.pendings.delete(pending.id);
    pending.scope.open--;
    if (pending.intended || pending.closedBy !== undefined) for (const waiter of this.intentWaiters.splice(0)) waiter();
    return true;
  }

  /** The code may still be answered by one of them. */
  areAwaited(): boolean {
    for (const { closedBy } of this.pendings.values()) if (closedBy === undefined) return true;
    return false;
  }

  /** An effect is in flight. Children are made of other effects and do not count. */
  areActing(): boolean {
    for (const { kind, phase } of this.pendings.values()) if (kind !== 'spawn' && phase === 'running') return true;
    return false;
  }

  /** Only people, signals and timers can move the run. */
  onlyWait(): boolean {
    let waits = false;
    for (const pending of this.pendings.values()) {
      if (pending.kind === 'spawn') continue;
      if (pending.phase !== 'waiting') return false;
      waits ||= isLeaf(pending);
    }
    return waits;
  }

  /** Nothing that is open could ever answer the code. */
  cannotMove(): boolean {
    for (const pending of this.pendings.values()) {
      // an INTENT that nobody waits for may still be what a child has to see to its end
      if (pending.intended || pending.begun || (isLeaf(pending) && pending.closedBy === undefined)) return false;
    }
    return true;
  }

  /** Effects below `path` whose INTENT is open. */
  intended(path: string): readonly Pending[] {
    return this.all().filter((pending) => pending.intended && isLeaf(pending) && isUnder(pending.id, path));
  }

  /** An effect waits for a person or for a time: whoever waits for acts only until they are in doubt looks again. */
  parked(): void {
    for (const waiter of this.intentWaiters.splice(0)) waiter();
  }

  /**
   * Resolves when each act below `path` has ended or is in doubt, waiting for a person or a time, and each rollback
   * there is over: what that undoes is its own, and nobody else's to undo at the same time.
   */
  async actsSettled(path: string): Promise<void> {
    const isUnderWay = ({ id, kind, intended, phase }: Pending): boolean =>
      isUnder(id, path) && intended && (kind === 'rollback' || phase !== 'waiting');
    while (this.all().some(isUnderWay)) {
      await new Promise<void>((resolve) => this.intentWaiters.push(resolve));
    }
  }

  /** Resolves when no INTENT is open below `path`, and what was cut off there is in the books. */
  async intentsEnded(path: string): Promise<void> {
    const isOpen = ({ intended, begun, ended, closedBy }: Pending): boolean =>
      intended || ((begun || ended !== undefined) && closedBy !== undefined);
    while (this.all().some((pending) => isOpen(pending) && isUnder(pending.id, path))) {
      await new Promise<void>((resolve) => this.intentWaiters.push(resolve));
    }
  }
}

/** An effect that the code has asked for and that has not been delivered. */
export interface Pending {
  readonly id: EffectId;
  readonly kind: 'ask' | 'call' | 'step' | 'post' | 'spawn' | 'wait' | 'sleep' | 'rollback';
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
  /** Guards let it pass, and count it until it has ended. */
  judged: boolean;
  /** Of a model call in flight: what it has used so far, as its adapter told. Worked out where somebody asks. */
  used: (() => Partial<Amounts>) | undefined;
  /** Its end, which is written and not delivered yet. */
  ended: EndEvent | undefined;
  /** Its body was run in this life: what it failed with is what the body said. */
  ran: boolean;
  /** A call that may see the same again and again. */
  readonly polls: boolean;
  /** Its code runs on replay also where the journal has its end. */
  readonly reruns: boolean;
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

const NONE: ReadonlySet<Scope> = new Set();

/** A place in the code's call tree: where effect names are counted, budgets are charged and cancellation stops. */
export class Scope {
  readonly path: string;
  readonly parent: Scope | undefined;
  /** Scopes opened below this one that may still be used. Most have none: a pattern of one call, a branch. */
  private below: Set<Scope> | undefined;
  readonly ledger: Ledger;
  readonly meter: ProgressMeter;
  /** Effects asked for so far. */
  effects = 0;
  /** Branch groups and children opened so far: they name sub-scopes. */
  groups = 0;
  randoms = 0;
  /** Effects open right now: more than one is legal, but worth a mention. */
  open = 0;
  /** Branches that run side by side here right now. */
  branches = 0;
  closedBy: Error | undefined;
  readonly best: BestSoFar;
  /** Of a child: boards of its parent that it was lent. */
  lent: ReadonlySet<string> | undefined;
  /** Path of the nearest child around it in a simulated world: nothing that happens there goes out of it. */
  world: string | undefined;
  private controller: AbortController | undefined;

  constructor(path: string, ledger: Ledger, parent?: Scope, opened: ScopeKind = 'part') {
    this.path = path;
    this.ledger = ledger;
    this.parent = parent;
    if (parent !== undefined) parent.below = (parent.below ?? new Set()).add(this);
    this.best = new BestSoFar(path, opened, parent?.best);
    this.world = parent?.world;
    // repeats are judged where the budget is kept: a child's calls are its own
    this.meter = parent !== undefined && parent.ledger === ledger ? parent.meter : new ProgressMeter();
  }

  get children(): ReadonlySet<Scope> {
    return this.below ?? NONE;
  }

  /** Nobody can name it any more. */
  forget(child: Scope): void {
    this.below?.delete(child);
  }

  /** Why nothing may start here any more. */
  closedReason(): Error | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      if (scope.closedBy !== undefined) return scope.closedBy;
    }
    return undefined;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    const reason = this.closedReason();
    if (reason !== undefined && !this.controller.signal.aborted) this.controller.abort(reason);
    return this.controller.signal;
  }

  /** Tells whoever asked for the signal of this scope or one below it; nobody else holds a listener. */
  abort(reason: Error): void {
    this.controller?.abort(reason);
    for (const child of this.children) child.abort(reason);
  }

  /** Branches run here or below, and were not cut off: those of a loser are nobody's any more. */
  hasOpenBranches(): boolean {
    if (this.closedBy !== undefined) return false;
    return this.branches > 0 || [...this.children].some((child) => child.hasOpenBranches());
  }

  /** Nothing is open here or below, and nothing was cut off: no entry can refer to it any more. */
  isOver(): boolean {
    if (this.open > 0 || this.closedBy !== undefined) return false;
    for (const child of this.children) if (!child.isOver()) return false;
    return true;
  }
}

/** Which of a call's repeats brought nothing new: same call, same result as one seen before in this scope. */
export class ProgressMeter {
  private readonly seen = new Set<string>();
  private stale = 0;

  /** Counts one finished call; answers how many in a row were repeats. */
  record(call: string, result: string, how: { readonly changed?: boolean } = {}): number {
    const pair = `${call} ${result}`;
    // after something changed, what was known before may be worth looking at again; only this very call is not
    if (how.changed === true && !this.seen.has(pair)) this.seen.clear();
    this.stale = this.seen.has(pair) ? this.stale + 1 : 0;
    this.seen.add(pair);
    return this.stale;
  }
}
