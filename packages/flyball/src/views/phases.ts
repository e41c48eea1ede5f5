import type { Entry, EventOf } from '../core/events.js';
import { pathOf, pathsAround } from './paths.js';

/**
 * Which phase each scope is in. An agent tells it with `run.note({ kind: 'phase', phase: 'PLAN' })`; it holds in that
 * scope and in all scopes inside it that tell no phase of their own, until the next one.
 */
export class PhaseFold {
  private readonly byPath = new Map<string, string>();
  /** The last phase told, in any scope. */
  last: string | undefined;

  apply({ event }: Entry): void {
    if (event.type === 'generation-start') this.byPath.clear(); // the function starts again from the top
    const phase = event.type === 'note' ? phaseIn(event) : undefined;
    if (event.type !== 'note' || phase === undefined) return;
    this.byPath.set(pathOf(event.path), phase);
    this.last = phase;
  }

  at(scope: string): string | undefined {
    for (const path of pathsAround(scope)) {
      const phase = this.byPath.get(path);
      if (phase !== undefined) return phase;
    }
    return undefined;
  }
}

/** The phase a note tells, where it tells one. */
export function phaseIn(note: EventOf<'note'>): string | undefined {
  const { kind, phase, name } = note.event as {
    readonly kind: string;
    readonly phase?: unknown;
    readonly name?: unknown;
  };
  if (kind !== 'phase') return undefined;
  if (typeof phase === 'string') return phase;
  return typeof name === 'string' ? name : undefined;
}
