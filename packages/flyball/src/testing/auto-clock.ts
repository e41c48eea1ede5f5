import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../ports/clock.js';
import { effectContext } from '../runtime/effect-context.js';
import { TimerQueue } from './timer-queue.js';
import { SETTLE_TURNS } from './turns.js';
import { VIRTUAL_START } from './virtual-clock.js';

/** A virtual clock that moves by itself when nothing else does: months of sleeping pass in a few macrotasks. */
export interface AutoClock extends Clock {
  pending(): readonly number[];
  /** No timer fires after this. */
  stop(): void;
}

/** Options of a clock that advances itself when nothing else happens. */
export interface AutoClockOptions {
  readonly start?: number;
  /** Macrotasks in a row without any use of the clock before it jumps. */
  readonly idleTurns?: number;
  /**
   * What is worth jumping for. As in a real process, timers with `keepAlive: false` alone do not keep time going
   * (`keep-alive`, the default); otherwise a heartbeat would tick for ever behind a run that is stuck.
   */
  readonly jumpTo?: 'keep-alive' | 'any';
  /** Something is under way that nobody sees here: an answer from a server, say. Time stands still meanwhile. */
  readonly isBusy?: () => boolean;
}

/**
 * Idle means: the clock was neither read nor set for `idleTurns` macrotasks and no file or network request is under way.
 * The runtime reads the clock for every journal entry, so a run that makes progress is never idle.
 */
export function autoClock(options: AutoClockOptions = {}): AutoClock {
  const start = options.start ?? VIRTUAL_START;
  const queue = new TimerQueue(start);
  const idleTurns = options.idleTurns ?? SETTLE_TURNS;
  let uses = 0;
  let watching = false;
  let stopped = false;

  const worthJumping = (): boolean =>
    !stopped && (options.jumpTo === 'any' ? !queue.isEmpty() : queue.holdsProcessOpen());

  function watch(): void {
    if (watching || !worthJumping()) return;
    watching = true;
    effectContext.exit(() => idleTurn(uses, idleTurns));
  }

  function idleTurn(usesBefore: number, left: number): void {
    setImmediate(() => {
      if (!worthJumping()) watching = false;
      else if (uses !== usesBefore || isRequestUnderWay() || options.isBusy?.() === true) idleTurn(uses, idleTurns);
      else if (left > 1) idleTurn(uses, left - 1);
      else {
        watching = false;
        queue.fireNext(Number.POSITIVE_INFINITY);
        watch();
      }
    });
  }

  return {
    now() {
      uses++;
      return queue.now;
    },
    monotonic() {
      uses++;
      return queue.now - start;
    },
    after(ms, callback, how) {
      uses++;
      const cancel = queue.add(ms, AsyncResource.bind(callback), how);
      watch();
      return () => {
        uses++;
        cancel();
      };
    },
    pending: () => queue.dueTimes(),
    stop() {
      stopped = true;
    },
  };
}

function isRequestUnderWay(): boolean {
  return process.getActiveResourcesInfo().some((type) => type.includes('Req'));
}
