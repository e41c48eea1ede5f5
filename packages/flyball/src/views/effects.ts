import { type ByKind, byKind, nothingFor, passOver, rowsFor } from '../core/by-kind.js';
import {
  type ActKind,
  type AskKind,
  CONTROLS,
  type ControlKind,
  LIFE,
  type LifeKind,
  PATTERNS,
  type PatternKind,
  ROLLBACKS,
  type RollbackKind,
  TELLING,
  type WaitKind,
} from '../core/event-kinds.js';
import type { EffectId, EndEvent, Entry, EventOf, RunEvent, StartEvent } from '../core/events.js';
import type { Stop } from '../core/outcome.js';
import { isInside, scopeOf } from './paths.js';

/** What the code did to the world, by the method of `run` that did it; `undo` is a rollback's. */
export const VERBS = ['ask', 'call', 'step', 'undo', 'spawn', 'wait', 'sleep', 'post'] as const;
/** What an effect does: ask, call, step, wait and so on. */
export type Verb = (typeof VERBS)[number];

/** One effect over all attempts at it: several starts of one id are one effect. */
export interface Effect {
  readonly id: EffectId;
  /** Ids start again in each generation, so identity is the pair. */
  readonly generation: number;
  /** Position of its first entry. */
  readonly seq: number;
  readonly verb: Verb;
  readonly name: string;
  readonly scope: string;
  /** The latest start; absent for a pure effect, which only writes its end. */
  readonly start?: StartEvent;
  readonly end?: EndEvent;
  /**
   * Time of the first start. For a pure effect it is inferred: the last time before its end at which the code was given
   * something to go on with. Code runs only after such a delivery, so the duration is never overstated; beside parallel
   * branches it may be understated.
   */
  readonly startedAt: number;
  readonly inferredStart: boolean;
  readonly endedAt?: number;
  readonly status: 'open' | 'ok' | 'error';
  /** Its scope was closed around it (by a bound, a cancellation, the end of its agent), so it has no end of its own. */
  readonly dropped?: true;
  /** How often it was started. */
  readonly starts: number;
  readonly doubt?: EventOf<'doubt'>;
}

type Growing = { -readonly [K in keyof Effect]: Effect[K] };

/** Whether an open effect is forgotten when its scope is closed. An INTENT is seen to its end, and a wait says it itself. */
function isDroppable({ start }: Effect): boolean {
  return start?.type !== 'intent' && start?.type !== 'wait-start';
}

/** Folds entries into effects, in order of their first sign of life. */
export class EffectFold {
  private readonly byKey = new Map<string, Growing>();
  /** Apart, so that closing a scope does not look at everything that ever happened. */
  private readonly opened = new Set<Growing>();
  /** Dropped when the whole run was closed: back again when somebody lets it go on. */
  private stopped: Growing[] = [];
  private deliveredAt = 0;

  /** Takes the next entry; answers the effect it belongs to, where it belongs to one. */
  apply(entry: Entry): Effect | undefined {
    const { event } = entry;
    const touched = this.touch(entry);
    if (isDelivery(event)) this.deliveredAt = entry.at;
    this.dropClosed(entry, touched);
    return touched;
  }

  all(): readonly Effect[] {
    return [...this.byKey.values()];
  }

  open(): readonly Effect[] {
    return [...this.opened];
  }

  private touch(entry: Entry): Effect | undefined {
    const { event } = entry;
    return byKind(EffectFold.TOUCHES, event, this, entry);
  }

  private static readonly TOUCHES: ByKind<[fold: EffectFold, entry: Entry], Effect | undefined> = {
    ...rowsFor(
      ['ask-start', 'intent', 'spawn-start', 'wait-start', 'sleep-start'],
      (event, fold: EffectFold, entry: Entry) => {
        const as = namedBy(event);
        return as && fold.start(entry, event, as);
      },
    ),
    ...rowsFor(
      ['complete', 'abort', 'ask-end', 'spawn-end', 'wait-end', 'sleep-end', 'post'],
      (event, fold: EffectFold, entry: Entry) => {
        const as = namedBy(event);
        return as && fold.end(entry, event, as);
      },
    ),
    'wait-close': ({ id }, fold, { generation, at }) => {
      const closed = fold.byKey.get(keyOf(generation, id));
      if (closed !== undefined) fold.dropOne(closed, at);
      return closed;
    },
    doubt: (event, fold, { generation }) => {
      const doubted = fold.byKey.get(keyOf(generation, event.id));
      if (doubted !== undefined) doubted.doubt = event;
      return doubted;
    },
    // life, control and information: no effect of its own
    ...nothingFor(
      ...LIFE,
      ...CONTROLS,
      ...ROLLBACKS,
      ...PATTERNS,
      ...TELLING,
      'call-start',
      'slice-change',
      'note',
      'pin',
    ),
  };

  private dropClosed({ event, at }: Entry, touched: Effect | undefined): void {
    switch (event.type) {
      case 'trip':
        this.drop(event.node, at, { children: false });
        break;
      case 'cancel':
        this.drop('', at, { children: false });
        break;
      case 'spawn-end':
        if (touched?.start?.type === 'spawn-start' && touched.start.within !== true)
          this.drop(touched.start.path, at, { children: true });
        break;
      case 'run-end':
        this.drop('', at, { children: true });
        break;
      case 'run-resume':
        for (const effect of this.stopped.splice(0)) if (effect.dropped === true) this.reopen(effect);
        break;
      default: // closes no scope
        passOver<
          | AskKind
          | ActKind
          | WaitKind
          | RollbackKind
          | PatternKind
          | 'run-start'
          | 'generation-start'
          | 'generation-end'
          | 'attempt-start'
          | 'run-pause'
          | 'spawn-start'
          | 'slice-change'
          | 'redirect'
          | 'stuck'
          | 'note'
          | 'pin'
          | 'post'
        >(event);
    }
  }

  /** A child whose scope is being closed still writes its own end, unless its parent's end came first. */
  private drop(path: string, at: number, also: { readonly children: boolean }): void {
    for (const effect of this.opened) {
      if (!isDroppable(effect) || !isInside(effect.scope, path) || (effect.verb === 'spawn' && !also.children))
        continue;
      this.dropOne(effect, at);
      if (path === '') this.stopped.push(effect);
    }
  }

  private dropOne(effect: Growing, at: number): void {
    effect.status = 'error';
    effect.dropped = true;
    effect.endedAt = at;
    this.opened.delete(effect);
  }

  private reopen(effect: Growing): void {
    effect.status = 'open';
    delete effect.dropped;
    delete effect.endedAt;
    this.opened.add(effect);
  }

  private start(entry: Entry, event: StartEvent, as: Pick<Effect, 'verb' | 'name'>): Effect {
    const known = this.byKey.get(keyOf(entry.generation, event.id));
    const effect =
      known ?? this.add(entry, event.id, { verb: as.verb, name: as.name, startedAt: entry.at, inferredStart: false });
    this.reopen(effect);
    effect.start = event;
    effect.starts++;
    delete effect.end;
    return effect;
  }

  private end(entry: Entry, event: EndEvent, as: Pick<Effect, 'verb' | 'name'>): Effect {
    const startedAt = Math.min(this.deliveredAt, entry.at);
    const effect =
      this.byKey.get(keyOf(entry.generation, event.id)) ??
      this.add(entry, event.id, { verb: as.verb, name: as.name, startedAt, inferredStart: true });
    delete effect.dropped;
    this.opened.delete(effect);
    effect.end = event;
    effect.endedAt = entry.at;
    effect.status = hasFailed(event) ? 'error' : 'ok';
    return effect;
  }

  private add(entry: Entry, id: EffectId, as: Pick<Effect, 'verb' | 'name' | 'startedAt' | 'inferredStart'>): Growing {
    const { generation, seq } = entry;
    const effect: Growing = { id, generation, seq, scope: scopeOf(id), status: 'open', starts: 0, ...as };
    this.byKey.set(keyOf(generation, id), effect);
    return effect;
  }
}

/** The effect that an event starts or ends, as its first entry names it. An end without a start has its id for a name. */
export function namedBy(event: RunEvent): (Pick<Effect, 'verb' | 'name'> & { readonly id: EffectId }) | undefined {
  switch (event.type) {
    case 'ask-start':
      return { id: event.id, verb: 'ask', name: event.session };
    case 'intent':
      return { id: event.id, verb: event.of, name: event.name };
    case 'spawn-start':
      return { id: event.id, verb: 'spawn', name: event.name };
    case 'wait-start':
      return { id: event.id, verb: 'wait', name: event.name };
    case 'sleep-start':
    case 'sleep-end':
      return { id: event.id, verb: 'sleep', name: 'sleep' };
    case 'complete':
    case 'abort':
      return { id: event.id, verb: event.of ?? 'step', name: event.name ?? event.id };
    case 'ask-end':
      return { id: event.id, verb: 'ask', name: event.session ?? event.id };
    case 'spawn-end':
      return { id: event.id, verb: 'spawn', name: event.id };
    case 'wait-end':
      return { id: event.id, verb: 'wait', name: event.id };
    case 'post':
      return { id: event.id, verb: 'post', name: event.board };
    default: // life, control and information: no effect of its own
      return passOver<
        | LifeKind
        | ControlKind
        | RollbackKind
        | PatternKind
        | 'call-start'
        | 'doubt'
        | 'slice-change'
        | 'wait-close'
        | 'note'
        | 'pin'
      >(event);
  }
}

/** The effects of a run, in the order in which they started. */
export function effectsOf(entries: readonly Entry[]): readonly Effect[] {
  const fold = new EffectFold();
  for (const entry of entries) fold.apply(entry);
  return fold.all();
}

/** Whether an end gave what was asked for: a run that was bounded or blocked did not. */
export function gaveValue(stop: Stop): boolean {
  return stop === 'done' || stop === 'degraded';
}

function hasFailed(event: EndEvent): boolean {
  switch (event.type) {
    case 'ask-end':
      return event.failure !== undefined;
    case 'abort':
      return true;
    case 'spawn-end':
      return !gaveValue(event.outcome.stop);
    case 'complete':
    case 'wait-end':
    case 'sleep-end':
    case 'post':
      return false;
  }
}

/** Entries that let the code go on. */
function isDelivery(event: RunEvent): boolean {
  return byKind(DELIVERS, event) === true;
}

const DELIVERS: ByKind<[], true | undefined> = {
  ...rowsFor(['run-start', 'generation-start', 'attempt-start', 'trip', 'cancel'], () => true),
  ...rowsFor(['ask-end', 'complete', 'abort', 'spawn-end', 'wait-end', 'sleep-end', 'post'], () => true),
  ...nothingFor(...ROLLBACKS, ...PATTERNS, ...TELLING, 'generation-end', 'run-resume', 'run-pause', 'run-end'),
  ...nothingFor('ask-start', 'intent', 'call-start', 'doubt', 'spawn-start', 'slice-change', 'wait-start'),
  ...nothingFor('wait-close', 'sleep-start', 'redirect', 'stuck', 'note', 'pin'),
};

function keyOf(generation: number, id: EffectId): string {
  return `${generation} ${id}`;
}
