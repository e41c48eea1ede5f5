import type { Posted } from '../core/board.js';
import type { EffectId, EventOf } from '../core/events.js';
import { isUnder } from './loaded-entry.js';
import type { Scope } from './open-effects.js';

/**
 * What is on the boards of a run, filled from its posts in the order in which they are delivered. Those of finished
 * children are delivered too, although no code waits for them: whoever reads beside them sees the same in every life.
 */
export class Boards {
  private readonly boards = new Map<string, OneBoard>();
  /** Of the post that is being delivered. */
  private last = { id: '', position: -1 };

  apply({ id, owner, board, entry, world }: EventOf<'post'>): void {
    const on = this.on(owner, board);
    const position = world === undefined ? on.real++ : on.kept.filter((one) => isSeen(one, world)).length;
    const posted = Object.freeze({ entry: frozen(entry), author: id.slice(0, id.indexOf('#')), position });
    on.kept.push({ posted, world });
    this.last = { id, position };
  }

  /** The code that posted it is answered in the turn in which it was put there. */
  positionOf(id: EffectId): number {
    return this.last.id === id ? this.last.position : -1;
  }

  /** What a reader in this world sees: what was posted for real, and in the simulated worlds that it is part of. */
  read(owner: string, board: string, world: string | undefined): readonly Posted<unknown>[] {
    // in a simulated world, what is posted for real later stands after the entries of that world
    return this.on(owner, board)
      .kept.filter((one) => isSeen(one, world))
      .map(({ posted }, position) => (posted.position === position ? posted : Object.freeze({ ...posted, position })));
  }

  private on(owner: string, board: string): OneBoard {
    const key = `${owner} ${board}`;
    const known = this.boards.get(key) ?? { kept: [], real: 0 };
    this.boards.set(key, known);
    return known;
  }
}

interface OneBoard {
  readonly kept: Kept[];
  /** How many of them were posted for real. */
  real: number;
}

interface Kept {
  readonly posted: Posted<unknown>;
  /** The simulated world that it was posted in, and stays in. */
  readonly world: string | undefined;
}

function isSeen({ world: of }: Kept, world: string | undefined): boolean {
  return of === undefined || (world !== undefined && isUnder(world, of));
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
