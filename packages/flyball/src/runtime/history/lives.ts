import { type ByKind, byKind, nothingFor } from '../../core/by-kind.js';
import { ACTS, ASKS, CONTROLS, PATTERNS, ROLLBACKS, TELLING, WAITS } from '../../core/event-kinds.js';
import type { EffectId, EventOf } from '../../core/events.js';
import type { Placed } from './standing.js';

/** The process that came to a child when it was done with the past. */
interface CameTo {
  /** How many processes there were before it. */
  readonly process: number;
  /** How many deliveries it had found. */
  readonly after: number;
  /** When it began. */
  readonly lifeAt: number;
}

/** Who worked on a run, how far each got, and how the run stands. */
export interface LifeHistory {
  readonly attempts: number;
  /** Children that began late. */
  readonly late: ReadonlyMap<EffectId, CameTo>;
  /** The last word about it is a pause. */
  readonly isPaused: boolean;
  /** The run's end, unless it was let go on after it. */
  readonly end: EventOf<'run-end'> | undefined;
}

class LifeFold implements LifeHistory {
  readonly late = new Map<EffectId, CameTo>();
  attempts = 0;
  isPaused = false;
  end: EventOf<'run-end'> | undefined;
  /** How many entries were delivered so far. */
  delivered = 0;
  /** The process of this place. */
  life: CameTo;

  constructor(lifeAt: number) {
    this.life = { process: 0, after: 0, lifeAt };
  }
}

const ROWS: ByKind<[fold: LifeFold, at: Placed], void> = {
  'attempt-start': (_event, fold, { own, entry }) => {
    if (own) fold.attempts++;
    fold.life = { process: fold.life.process + 1, after: fold.delivered, lifeAt: entry.at };
  },
  'spawn-start': ({ id, late }, fold) => {
    if (late === true) fold.late.set(id, fold.life);
  },
  'run-resume': (_event, fold, { own }) => {
    if (!own) return;
    fold.end = undefined;
    fold.isPaused = false;
  },
  'run-pause': (_event, fold, { own }) => {
    if (own) fold.isPaused = true;
  },
  'run-end': (event, fold, { own }) => {
    if (own) fold.end = event;
  },
  ...nothingFor(
    ...ASKS,
    ...ACTS,
    ...WAITS,
    ...CONTROLS,
    ...ROLLBACKS,
    ...PATTERNS,
    ...TELLING,
    'run-start',
    'generation-start',
    'generation-end',
    'slice-change',
    'spawn-end',
    'note',
    'pin',
    'post',
  ),
};

export function livesIn(past: readonly Placed[], startedAt: number): LifeHistory {
  const fold = new LifeFold(startedAt);
  for (const at of past) {
    byKind(ROWS, at.entry.event, fold, at);
    if (at.standing === 'delivered') fold.delivered++;
  }
  const { attempts, late, isPaused, end } = fold;
  return { attempts, late, isPaused, end };
}
