import type { Entry, EventOf } from '../core/events.js';
import type { Stop } from '../core/outcome.js';
import { type Effect, EffectFold, gaveValue, type Verb } from './effects.js';
import { isInside, pathOf, pathsAround } from './paths.js';
import { phaseIn } from './phases.js';
import { type Attributes, effectAttributes, effectTitle, rootAttributes } from './trace-attributes.js';
import { withoutPrivate } from './without-private.js';

export type SpanKind = 'run' | 'attempt' | 'phase' | Verb;

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
  readonly children: Node[];
}

/**
 * The run as one tree: the run itself, its attempts, its phases, and one span for each effect.
 *
 * An effect hangs under the innermost child agent or phase whose scope holds it, else under the run: never under
 * nothing. A phase lasts until the next one in its scope. Attempts stand beside the effects and not around them,
 * because an effect can outlive the attempt that began it. Attributes hold names, counts and codes, never content; of
 * what is private not even a hash.
 */
export function traceOf(runId: string, entries: readonly Entry[]): Span {
  const tree = new Tree(runId, entries[0]);
  for (const entry of withoutPrivate(entries)) tree.apply(entry);
  return tree.close();
}

/** All spans of a tree, parents before their children. */
export function spansIn(root: Span): readonly Span[] {
  return [root, ...root.children.flatMap(spansIn)];
}

class Tree {
  private readonly root: Node;
  private readonly effects = new EffectFold();
  private readonly nodes = new Map<Effect, Node>();
  /** Where the scopes of child agents hang: by generation and path. */
  private readonly children = new Map<string, Node>();
  /** The phase that holds in a scope now. */
  private readonly phases = new Map<string, Node>();
  private attempt: Node | undefined;
  private lastAt: number;

  constructor(runId: string, first: Entry | undefined) {
    const startMs = first?.at ?? 0;
    this.lastAt = startMs;
    this.root = node({ id: runId, kind: 'run', name: 'invoke_agent', startMs });
    this.root.attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': runId };
  }

  apply(entry: Entry): void {
    const { event, at, generation } = entry;
    const effect = this.effects.apply(entry);
    if (effect !== undefined && !this.nodes.has(effect)) this.openEffect(effect);
    switch (event.type) {
      case 'run-start':
        this.root.name = `invoke_agent ${event.agent}`;
        this.root.attributes = rootAttributes(this.root.id, event);
        break;
      case 'generation-start':
        for (const phase of this.phases.values()) finish(phase, this.lastAt, 'ok');
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
      case 'spawn-end': {
        const path = effect?.start?.type === 'spawn-start' ? pathOf(effect.start.path) : undefined;
        if (path !== undefined) this.closePhasesIn(path, at, gaveValue(event.outcome.stop) ? 'ok' : 'error');
        break;
      }
      default:
        break;
    }
    if (event.type === 'spawn-start' && effect !== undefined) {
      const opened = this.nodes.get(effect);
      if (opened !== undefined) this.children.set(`${generation} ${pathOf(event.path)}`, opened);
    }
    this.lastAt = at;
  }

  close(): Span {
    for (const [effect, at] of this.nodes) fill(at, effect);
    return frozen(this.root);
  }

  private openEffect(effect: Effect): void {
    const opened = node({
      id: `${effect.generation}:${effect.id}`,
      kind: effect.verb,
      name: effect.name,
      startMs: effect.startedAt,
    });
    this.nodes.set(effect, opened);
    this.parentOf(effect.generation, effect.scope).children.push(opened);
  }

  private openPhase({ generation, seq, at }: Entry, path: string, phase: string): void {
    const before = this.phases.get(path);
    if (before !== undefined) finish(before, at, 'ok');
    this.phases.delete(path);
    const opened = node({ id: `phase:${generation}:${seq}`, kind: 'phase', name: `phase ${phase}`, startMs: at });
    opened.attributes = { 'flyball.phase': phase, 'flyball.scope': path === '' ? '/' : path };
    this.parentOf(generation, path).children.push(opened);
    this.phases.set(path, opened);
  }

  private openAttempt({ generation, seq, at }: Entry, { attempt, why }: EventOf<'attempt-start'>): void {
    // taken over means that its owner was lost
    if (this.attempt !== undefined) finish(this.attempt, this.lastAt, why === 'takeover' ? 'error' : 'ok');
    this.attempt = node({
      id: `attempt:${generation}:${seq}`,
      kind: 'attempt',
      name: `attempt ${attempt}`,
      startMs: at,
    });
    this.attempt.attributes = { 'flyball.attempt': attempt, 'flyball.attempt.why': why };
    this.root.children.push(this.attempt);
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
    for (const phase of this.phases.values()) finish(phase, at, status);
  }

  private closePhasesIn(scope: string, at: number, status: Span['status']): void {
    for (const [path, phase] of this.phases) {
      if (!isInside(path, scope)) continue;
      finish(phase, at, status);
      this.phases.delete(path);
    }
  }

  private parentOf(generation: number, scope: string): Node {
    for (const path of pathsAround(scope)) {
      const around = this.phases.get(path) ?? this.children.get(`${generation} ${path}`);
      if (around !== undefined) return around;
    }
    return this.root;
  }
}

function node(of: Pick<Node, 'id' | 'kind' | 'name' | 'startMs'>): Node {
  return { ...of, endMs: undefined, status: 'open', attributes: {}, children: [] };
}

function finish(open: Node, at: number, status: Span['status']): void {
  open.endMs = at;
  open.status = status;
}

function reopen(ended: Node): void {
  ended.endMs = undefined;
  ended.status = 'open';
}

function fill(at: Node, effect: Effect): void {
  at.name = effectTitle(effect);
  at.startMs = effect.startedAt;
  at.endMs = effect.endedAt;
  at.status = effect.status;
  at.attributes = effectAttributes(effect);
}

function frozen({ endMs, children, ...rest }: Node): Span {
  return { ...rest, ...(endMs === undefined ? {} : { endMs }), children: children.map(frozen) };
}
