import { EffectError, FlyballError, failureOf } from '../core/errors.js';
import type { EventOf } from '../core/events.js';

/**
 * Code that cannot go on: it awaits something that is not an effect, or left an error that nobody caught. Told once, and
 * written down, because it is judged by turns: a later life must come to the same end.
 */
export class StuckCode {
  private readonly mostQuietTurns: number;
  private readonly tell: (event: EventOf<'stuck'>) => void;
  private quietTurns = 0;
  private lastTurn = 0;
  private isTold = false;

  constructor(mostQuietTurns: number, tell: (event: EventOf<'stuck'>) => void) {
    this.mostQuietTurns = mostQuietTurns;
    this.tell = tell;
  }

  /**
   * Nothing that is open could move the code, after so many turns in which something was delivered. True: another one has to be looked at before it is said to
   * await a raw fetch or timer, which no replay could repeat.
   */
  quietTurn(turn: number): boolean {
    if (this.isTold) return false;
    if (turn !== this.lastTurn) this.quietTurns = 0;
    this.lastTurn = turn;
    if (this.quietTurns++ < this.mostQuietTurns) return true;
    this.isTold = true;
    this.tell({ type: 'stuck' });
    return false;
  }

  /**
   * Written down like any other end of the code: a later life, in which the same promise may be rejected a turn later or
   * not at all, must come to it too. `isAhead`: it has been, and is about to be delivered.
   */
  uncaught(error: unknown, isAhead: () => boolean): void {
    if (this.isTold) return;
    this.isTold = true;
    if (isAhead()) return;
    const { message, originalCode } = failureOf(error);
    this.tell({
      type: 'stuck',
      failure: {
        code: 'UNCAUGHT',
        message: `The code of this run has an uncaught error: ${message}. Await every promise, or catch its error.`,
        retryable: false,
        ...(originalCode === undefined ? {} : { originalCode }),
      },
    });
  }
}

/** What the run fails with. */
export function stuckError({ failure }: EventOf<'stuck'>): Error {
  if (failure !== undefined) return new EffectError(failure);
  const message =
    'The agent waits for something that did not go through `run` (a raw fetch, timer or file access). Wrap it in run.step(…).';
  return new FlyballError('FOREIGN_AWAIT', message);
}
