import type { Posted } from '../core/board.js';
import type { EffectId, EventOf } from '../core/events.js';
import type { Scope } from './open-effects.js';

/**
 * What is on the boards of a run, filled from its posts in the order in which they are delivered. Those of finished
 * children are delivered too, although no code waits for them: whoever reads beside them sees the same in every life.
 */
export class Boards {
  private readonly boards = new Map<string, Posted<unknown>[]>();
  /** Of the post that is being delivered. */
  private last = { id: '', position: -1 };

  apply({ id, owner, board, entry }: EventOf<'post'>): void {
    const posted = this.on(owner, board);
    const position = posted.length;
    posted.push(Object.freeze({ entry: frozen(entry), author: id.slice(0, id.indexOf('#')), position }));
    this.last = { id, position };
  }

  /** The code that posted it is answered in the turn in which it was put there. */
  positionOf(id: EffectId): number {
    return this.last.id === id ? this.last.position : -1;
  }

  read(owner: string, board: string): readonly Posted<unknown>[] {
    return [...this.on(owner, board)];
  }

  private on(owner: string, board: string): Posted<unknown>[] {
    const key = `${owner} ${board}`;
    const known = this.boards.get(key) ?? [];
    this.boards.set(key, known);
    return known;
  }
}

/** Whose board this name means here: that of the nearest child around it that was not lent its parent's, or the run's. */
export function ownerOf(scope: Scope, board: string): string {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent)
    if (at.lent !== undefined && !at.lent.has(board)) return at.path;
  return '';
}

/** Everybody who reads it gets the same object: nobody may change it for the others. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
