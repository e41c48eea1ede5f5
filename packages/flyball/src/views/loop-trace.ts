import { passOver } from '../core/by-kind.js';
import type { ActKind, AskKind, ControlKind, PatternKind, RollbackKind, WaitKind } from '../core/event-kinds.js';
import type { Entry, EventOf } from '../core/events.js';
import type { Stop } from '../core/outcome.js';
import { type Effect, EffectFold, gaveValue } from './effects.js';
import { type FailureRecord, failureAt } from './failures.js';
import { type GrowingStep, type LoopStep, stepOf } from './loop-steps.js';
import { isInside, loopPathOf, pathOf, pathsAround, scopeOf } from './paths.js';
import { withoutPrivate } from './without-private.js';

/** `stopped`: by a bound, a cancellation, or because the run went on in another journal generation. */
export type LoopStatus = 'running' | 'completed' | 'failed' | 'stopped';

/** One loop: a step for each iteration, an action for each tool call. A loop inside a child has a trace of its own. */
export interface LoopTrace {
  readonly id: string;
  /** Scope of the loop. */
  readonly loop: string;
  readonly status: LoopStatus;
  /** Why it ended, in the words of the loop. */
  readonly reason?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly steps: readonly LoopStep[];
  readonly failures: readonly FailureRecord[];
}

/** Folded from the notes `loop-start`, `iteration` and `loop-end` and the effects between them. Private contents stay out. */
export function loopTraceOf(entries: readonly Entry[]): readonly LoopTrace[] {
  const fold = new LoopFold();
  for (const entry of withoutPrivate(entries)) fold.apply(entry);
  return fold.traces();
}

interface GrowingLoop {
  readonly id: string;
  readonly path: string;
  readonly startedAt: number;
  status: LoopStatus;
  reason?: string;
  endedAt?: number;
  /** The run ended around it: it goes on when somebody lets the run go on. */
  interrupted?: true;
  readonly steps: GrowingStep[];
  readonly failures: FailureRecord[];
}

class LoopFold {
  private readonly loops: GrowingLoop[] = [];
  private readonly open = new Map<string, GrowingLoop>();
  private readonly children = new Set<string>();
  private readonly effects = new EffectFold();
  private readonly seen = new Set<Effect>();

  apply(entry: Entry): void {
    const effect = this.effects.apply(entry);
    const { event, at } = entry;
    if (effect !== undefined && !this.seen.has(effect)) this.place(effect);
    const failure = failureAt(entry, effect);
    if (failure !== undefined) this.loopAt(scopeOf(failure.effect))?.failures.push(failure);
    switch (event.type) {
      case 'note':
        this.read(entry, event);
        break;
      case 'spawn-start':
        this.children.add(pathOf(event.path));
        break;
      case 'spawn-end':
        if (effect?.start?.type === 'spawn-start') this.closeIn(pathOf(effect.start.path), at, event.outcome.stop);
        break;
      case 'run-end':
        for (const loop of this.open.values()) loop.interrupted = true;
        this.closeIn('', at, event.outcome.stop);
        break;
      case 'run-resume':
        this.reopen();
        break;
      case 'generation-start':
        for (const loop of this.open.values()) close(loop, { at, status: 'stopped', reason: 'continued' });
        this.open.clear();
        this.children.clear();
        break;
      default: // effects are followed by their own fold
        passOver<
          | ActKind
          | AskKind
          | WaitKind
          | ControlKind
          | RollbackKind
          | PatternKind
          | 'run-start'
          | 'generation-end'
          | 'attempt-start'
          | 'run-pause'
          | 'slice-change'
          | 'pin'
          | 'post'
        >(event);
    }
  }

  traces(): readonly LoopTrace[] {
    return this.loops.map(({ path, interrupted: _interrupted, steps, ...loop }) => ({
      ...loop,
      loop: path,
      steps: steps.map((step) => stepOf(loop.id, step)),
    }));
  }

  private read(entry: Entry, note: EventOf<'note'>): void {
    const { at } = entry;
    const path = loopPathOf(note);
    switch (note.event.kind) {
      case 'loop-start': {
        const before = this.open.get(path);
        if (before !== undefined) close(before, { at, status: 'stopped', reason: 'started again' });
        this.start(entry, path);
        break;
      }
      case 'iteration': {
        const loop = this.open.get(path) ?? this.start(entry, path);
        endStep(loop, at);
        const n = note.event['n'];
        loop.steps.push({ iteration: typeof n === 'number' ? n : loop.steps.length + 1, startedAt: at, effects: [] });
        break;
      }
      case 'loop-end': {
        const loop = this.open.get(path);
        if (loop === undefined) break;
        const reason = String(note.event['reason'] ?? 'completed');
        close(loop, { at, status: statusFor(reason), reason });
        this.open.delete(path);
        break;
      }
      default:
        break;
    }
  }

  private start({ generation, seq, at }: Entry, path: string): GrowingLoop {
    const id = `${generation}:${path === '' ? '/' : path}@${seq}`;
    const loop: GrowingLoop = { id, path, startedAt: at, status: 'running', steps: [], failures: [] };
    this.loops.push(loop);
    this.open.set(path, loop);
    return loop;
  }

  private place(effect: Effect): void {
    this.seen.add(effect);
    if (effect.verb === 'ask' || effect.verb === 'call') this.loopAt(effect.scope)?.steps.at(-1)?.effects.push(effect);
  }

  /** The innermost open loop around a scope. What a child does that has no loop is the child's, not its parent's. */
  private loopAt(scope: string): GrowingLoop | undefined {
    for (const path of pathsAround(scope)) {
      const loop = this.open.get(path);
      if (loop !== undefined) return loop;
      if (this.children.has(path)) return undefined;
    }
    return undefined;
  }

  private closeIn(path: string, at: number, stop: Stop): void {
    for (const [at_, loop] of this.open) {
      if (!isInside(at_, path)) continue;
      close(loop, {
        at,
        status: gaveValue(stop) ? 'completed' : stop === 'failed' ? 'failed' : 'stopped',
        reason: stop,
      });
      this.open.delete(at_);
    }
  }

  private reopen(): void {
    for (const loop of this.loops) {
      if (loop.interrupted !== true) continue;
      loop.status = 'running';
      delete loop.interrupted;
      delete loop.reason;
      delete loop.endedAt;
      delete loop.steps.at(-1)?.endedAt;
      this.open.set(loop.path, loop);
    }
  }
}

function statusFor(reason: string): LoopStatus {
  if (reason === 'completed') return 'completed';
  return reason === 'error' ? 'failed' : 'stopped';
}

function close(
  loop: GrowingLoop,
  end: { readonly at: number; readonly status: LoopStatus; readonly reason: string },
): void {
  endStep(loop, end.at);
  loop.status = end.status;
  loop.reason = end.reason;
  loop.endedAt = end.at;
}

function endStep(loop: GrowingLoop, at: number): void {
  const step = loop.steps.at(-1);
  if (step !== undefined) step.endedAt ??= at;
}
