import { useFrom } from '../core/about.js';
import { passOver } from '../core/by-kind.js';
import type { ActKind, ControlKind, RollbackKind, WaitKind } from '../core/event-kinds.js';
import type { Entry, EventOf } from '../core/events.js';
import type { Stop } from '../core/outcome.js';
import { described } from '../core/use.js';
import { type Effect, EffectFold, gaveValue, type Verb } from './effects.js';
import { isInside, pathOf, pathsAround, scopeOf } from './paths.js';
import { phaseIn } from './phases.js';
import {
  type Attributes,
  effectAttributes,
  effectTitle,
  figuresIn,
  MODEL_CALLS,
  patternAttributes,
  rootAttributes,
} from './trace-attributes.js';
import { withoutPrivate } from './without-private.js';

/** The kind of a span in a trace. */
export type SpanKind = 'run' | 'attempt' | 'phase' | 'pattern' | Verb;

/** One node of the tree. Spans of one run have distinct ids. */
export interface Span {
  readonly id: string;
  readonly kind: SpanKind;
  readonly name: string;
  readonly startMs: number;
  /** Absent while it is open. */
  readonly endMs?: number;
  readonly status: 'ok' | 'error' | 'open';
  readonly attributes: Attributes;
  readonly children: readonly Span[];
}

interface Node {
  readonly id: string;
  readonly kind: SpanKind;
  name: string;
  startMs: number;
  endMs: number | undefined;
  status: Span['status'];
  attributes: Attributes;
  readonly parent: Node | undefined;
  readonly children: Node[];
  /** The effect as it was when the node was last filled from it. */
  filled?: Pick<Effect, 'start' | 'end' | 'status' | 'endedAt' | 'doubt' | 'starts'>;
  /** What the node was last shown as; gone as soon as something in it changes. */
  shown: Span | undefined;
}

const USE = useFrom({ id: 'V14', name: 'traceOf', parts: {}, calls: 0 });

/**
 * The journal as a tree of spans: the run itself, its attempts, its phases, its patterns, and one span for each effect.
 *
 * An effect hangs under the innermost child agent, pattern or phase whose scope holds it, else under the run: never under
 * nothing. A phase lasts until the next one in its scope. Attempts stand beside the effects and not around them,
 * because an effect can outlive the attempt that began it. Attributes hold names, counts and codes, never content; of
 * what is private not even a hash.
 *
 * Model calls: none. Not for content: prompts and results are in the journal.
 *
 * @pattern V14
 */
export function traceOf(runId: string, entries: readonly Entry[]): Span {
  const tree = new TraceFold(runId);
  for (const entry of withoutPrivate(entries)) tree.apply(entry);
  return described(tree.trace(), USE);
}

/** All spans of a tree, parents before their children. */
export function spansIn(root: Span): readonly Span[] {
  return [root, ...root.children.flatMap(spansIn)];
}

/** Takes entries one by one. They are shown as they are: whoever has private ones blanks them first, as `traceOf` does. */
export class TraceFold {
  private readonly root: Node;
  private readonly effects = new EffectFold();
  private readonly nodes = new Map<Effect, Node>();
  /** Where the scopes of child agents hang: by generation and path. */
  private readonly children = new Map<string, Node>();
  /** Patterns that were entered: by generation and path. */
  private readonly patterns = new Map<string, Node>();
  /** The phase that holds in a scope now. */
  private readonly phases = new Map<string, Node>();
  private readonly opened = new WeakMap<Node, number>();
  private openings = 0;
  private attempt: Node | undefined;
  private lastAt: number | undefined;

  constructor(runId: string) {
    this.root = node({ id: runId, kind: 'run', name: 'invoke_agent', startMs: 0 }, undefined);
    this.root.attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': runId };
  }

  apply(entry: Entry): void {
    if (this.lastAt === undefined) this.root.startMs = entry.at;
    const effect = this.effects.apply(entry);
    if (effect !== undefined && !this.nodes.has(effect)) this.openEffect(effect);
    this.follow(entry, effect);
    this.lastAt = entry.at;
  }

  private follow(entry: Entry, effect: Effect | undefined): void {
    const { event, at, generation } = entry;
    switch (event.type) {
      case 'run-start':
        this.root.name = `invoke_agent ${event.agent}`;
        this.root.attributes = rootAttributes(this.root.id, event);
        touch(this.root);
        break;
      case 'generation-start':
        for (const phase of this.phases.values()) finish(phase, this.lastAt ?? at, 'ok');
        this.phases.clear();
        break;
      case 'attempt-start':
        this.openAttempt(entry, event);
        break;
      case 'run-end':
        this.endRun(event.outcome.stop, at);
        break;
      case 'note': {
        const phase = phaseIn(event);
        if (phase !== undefined) this.openPhase(entry, pathOf(event.path), phase);
        break;
      }
      case 'scope-start':
        this.openPattern(entry, event);
        break;
      case 'scope-end':
        this.endPattern(entry, event);
        break;
      case 'ask-start':
        if (event.attempt === 1) this.countCall(generation, scopeOf(event.id));
        break;
      case 'spawn-start': {
        const opened = effect === undefined ? undefined : this.nodes.get(effect);
        if (opened !== undefined) this.children.set(`${generation} ${pathOf(event.path)}`, opened);
        break;
      }
      case 'spawn-end': {
        const path = effect?.start?.type === 'spawn-start' ? pathOf(effect.start.path) : undefined;
        if (path !== undefined) this.closePhasesIn(path, at, gaveValue(event.outcome.stop) ? 'ok' : 'error');
        break;
      }
      default: // effects are followed by their own fold
        passOver<
          | ActKind
          | WaitKind
          | ControlKind
          | RollbackKind
          | 'generation-end'
          | 'run-resume'
          | 'run-pause'
          | 'ask-end'
          | 'slice-change'
          | 'best'
          | 'pin'
          | 'post'
        >(event);
    }
  }

  /** The tree up to the last entry. Parts that did not change since the last time are the same objects. */
  trace(): Span {
    for (const [effect, at] of this.nodes) if (hasChanged(at, effect)) fill(at, effect);
    return spanOf(this.root);
  }

  private openEffect(effect: Effect): void {
    const id = `${effect.generation}:${effect.id}`;
    const parent = this.parentOf(effect.generation, effect.scope);
    this.nodes.set(effect, node({ id, kind: effect.verb, name: effect.name, startMs: effect.startedAt }, parent));
  }

  private openPhase({ generation, seq, at }: Entry, path: string, phase: string): void {
    const before = this.phases.get(path);
    if (before !== undefined) finish(before, at, 'ok');
    this.phases.delete(path);
    const opened = node(
      { id: `phase:${generation}:${seq}`, kind: 'phase', name: `phase ${phase}`, startMs: at },
      this.parentOf(generation, path),
    );
    opened.attributes = { 'flyball.phase': phase, 'flyball.scope': path === '' ? '/' : path };
    this.phases.set(path, opened);
    this.opened.set(opened, ++this.openings);
  }

  private openPattern({ generation, at }: Entry, event: EventOf<'scope-start'>): void {
    const path = pathOf(event.path);
    const opened = node(
      { id: `pattern:${generation}:${path}`, kind: 'pattern', name: `pattern ${event.pattern}`, startMs: at },
      this.parentOf(generation, path),
    );
    opened.attributes = patternAttributes(event);
    this.patterns.set(`${generation} ${path}`, opened);
    this.opened.set(opened, ++this.openings);
  }

  private endPattern({ generation, at }: Entry, { path, how, learned }: EventOf<'scope-end'>): void {
    const open = this.patterns.get(`${generation} ${pathOf(path)}`);
    if (open === undefined) return; // it began in the run that this one was forked from
    const isOk = how !== 'threw' && (how === 'returned' || gaveValue(how));
    finish(open, at, isOk ? 'ok' : 'error');
    open.attributes = { ...open.attributes, 'flyball.pattern.end': how, ...figuresIn('flyball.learned', learned) };
  }

  /** A call counts for every pattern around it. */
  private countCall(generation: number, scope: string): void {
    for (const path of pathsAround(scope)) {
      const around = this.patterns.get(`${generation} ${path}`);
      if (around === undefined) continue;
      const before = Number(around.attributes[MODEL_CALLS] ?? 0);
      around.attributes = { ...around.attributes, [MODEL_CALLS]: before + 1 };
      touch(around);
    }
  }

  private openAttempt({ generation, seq, at }: Entry, { attempt, why }: EventOf<'attempt-start'>): void {
    // taken over means that its owner was lost
    if (this.attempt !== undefined) finish(this.attempt, this.lastAt ?? at, why === 'takeover' ? 'error' : 'ok');
    this.attempt = node(
      { id: `attempt:${generation}:${seq}`, kind: 'attempt', name: `attempt ${attempt}`, startMs: at },
      this.root,
    );
    this.attempt.attributes = { 'flyball.attempt': attempt, 'flyball.attempt.why': why };
    // a bounded run that goes on has not ended after all, and is still in the phase it was in
    for (const ended of [this.root, ...this.phases.values()]) reopen(ended);
  }

  private endRun(stop: Stop, at: number): void {
    const status = gaveValue(stop) ? 'ok' : 'error';
    finish(this.root, at, status);
    this.root.attributes = {
      ...this.root.attributes,
      'flyball.outcome': stop,
      ...(status === 'error' ? { 'error.type': stop } : {}),
    };
    if (this.attempt !== undefined) finish(this.attempt, at, 'ok');
    const left = [...this.patterns.values()].filter((pattern) => pattern.status === 'open');
    for (const open of [...this.phases.values(), ...left]) finish(open, at, status);
  }

  private closePhasesIn(scope: string, at: number, status: Span['status']): void {
    for (const [path, phase] of this.phases) {
      if (!isInside(path, scope)) continue;
      finish(phase, at, status);
      this.phases.delete(path);
    }
  }

  private parentOf(generation: number, scope: string): Node {
    let inner: Node | undefined;
    for (const path of pathsAround(scope)) {
      const key = `${generation} ${path}`;
      const phase = this.phases.get(path);
      // a phase that is told around a pattern that has begun is a part of what the pattern does
      if (phase !== undefined && (inner === undefined || this.order(phase) > this.order(inner))) return phase;
      inner ??= this.patterns.get(key);
      const child = this.children.get(key);
      if (child !== undefined) return inner ?? child;
    }
    return inner ?? this.root;
  }

  /** When it was opened, among all phases and patterns. */
  private order(opened: Node): number {
    return this.opened.get(opened) ?? 0;
  }
}

function node(of: Pick<Node, 'id' | 'kind' | 'name' | 'startMs'>, parent: Node | undefined): Node {
  const made: Node = {
    ...of,
    endMs: undefined,
    status: 'open',
    attributes: {},
    parent,
    children: [],
    shown: undefined,
  };
  parent?.children.push(made);
  if (parent !== undefined) touch(parent);
  return made;
}

function finish(open: Node, at: number, status: Span['status']): void {
  open.endMs = at;
  open.status = status;
  touch(open);
}

function reopen(ended: Node): void {
  ended.endMs = undefined;
  ended.status = 'open';
  touch(ended);
}

/** What is around a change has to be shown anew too; where it is already due, so is everything above. */
function touch(changed: Node): void {
  for (let at: Node | undefined = changed; at?.shown !== undefined; at = at.parent) at.shown = undefined;
}

function hasChanged({ filled }: Node, { start, end, status, endedAt, doubt, starts }: Effect): boolean {
  if (filled === undefined || filled.status !== status || filled.end !== end || filled.start !== start) return true;
  return filled.endedAt !== endedAt || filled.doubt !== doubt || filled.starts !== starts;
}

function fill(at: Node, effect: Effect): void {
  at.filled = { ...effect };
  touch(at);
  at.name = effectTitle(effect);
  at.startMs = effect.startedAt;
  at.endMs = effect.endedAt;
  at.status = effect.status;
  at.attributes = effectAttributes(effect);
}

function spanOf(of: Node): Span {
  if (of.shown !== undefined) return of.shown;
  const { id, kind, name, startMs, endMs, status, attributes, children } = of;
  const ended = endMs === undefined ? {} : { endMs };
  of.shown = { id, kind, name, startMs, ...ended, status, attributes, children: children.map(spanOf) };
  return of.shown;
}
