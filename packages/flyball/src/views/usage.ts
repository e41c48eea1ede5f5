import { type Amounts, AXES, type Axis, type Budget, type CountedAxis, NOTHING } from '../core/budget.js';
import { type ByKind, byKind, nothingFor } from '../core/by-kind.js';
import { ACTS, ASKS, CHILDREN, PATTERNS, ROLLBACKS, TELLING, WAITS } from '../core/event-kinds.js';
import type { Entry } from '../core/events.js';
import { withoutDust } from '../core/ledger.js';
import { isNote } from '../core/notes.js';
import type { Usage } from '../core/outcome.js';
import { ChargeFold } from './charges.js';

/**
 * What the run as a whole has spent and may spend. What code counts itself (`budget.take`) is no entry of its own: loops
 * note each iteration as they take it, and beyond that such an axis is known from the last warning, trip, generation or
 * end that names it, and is at least that much.
 */
export class UsageFold {
  /** The budget as last enlarged. */
  limits: Budget | undefined;
  private tally: Record<CountedAxis, number> = { ...NOTHING };
  private unsure: Record<CountedAxis, number> = { ...NOTHING };
  /** Iterations that were noted, on top of the last figure for the whole run. */
  private noted = 0;
  private readonly charges = new ChargeFold();

  apply(entry: Entry): void {
    const { event } = entry;
    for (const { amounts, possibly } of this.charges.apply(entry)) this.add(amounts, possibly === true);
    byKind(UsageFold.ROWS, event, this);
    this.tally.wallMs = Math.max(this.tally.wallMs, entry.activeMs);
  }

  private static readonly ROWS: ByKind<[fold: UsageFold], void> = {
    ...nothingFor(
      ...ASKS,
      ...ACTS,
      ...CHILDREN,
      ...WAITS,
      ...ROLLBACKS,
      ...PATTERNS,
      ...TELLING,
      'generation-end',
      'attempt-start',
      'run-pause',
      'cancel',
      'redirect',
      'stuck',
      'pin',
      'post',
    ),
    'run-start': ({ budget }, fold) => {
      fold.limits = budget;
    },
    'run-resume': ({ budget }, fold) => {
      fold.limits = budget ?? fold.limits;
    },
    'generation-start': ({ budget, state }, fold) => {
      fold.limits = budget;
      fold.take(state.spent);
    },
    note: (event, fold) => {
      if (isNote(event, 'iteration')) fold.noteIteration();
    },
    'budget-warning': ({ node, axis, spent }, fold) => fold.atLeast(node, axis, spent),
    trip: ({ node, bound, spent }, fold) => fold.atLeast(node, bound, spent),
    'run-end': ({ outcome: { usage } }, fold) => {
      if (usage !== undefined) fold.takeAtEnd(usage);
    },
    // says nothing about the budget but what its charges say
  };

  /** A tool call counts from the moment its body begins, whether or not its end is known. */
  get spent(): Amounts {
    return { ...this.tally, toolCalls: this.tally.toolCalls + this.charges.openCalls };
  }

  /** What calls that were cut off may have cost beside. */
  get possibly(): Amounts {
    return { ...this.unsure };
  }

  /** The figure of an end has the calls in it that were left open: their own ends, should they come, add nothing. */
  private takeAtEnd(usage: Usage): void {
    this.take(usage);
    this.tally.toolCalls = Math.max(0, usage.toolCalls - this.charges.openCalls);
  }

  private take({ possibly, ...spent }: Usage): void {
    this.tally = { ...spent };
    this.noted = spent.iterations;
    this.unsure = { ...NOTHING, ...possibly };
  }

  /** A warning tells of an iteration before it is noted: it is the same one. */
  private noteIteration(): void {
    this.noted++;
    this.tally.iterations = Math.max(this.tally.iterations, this.noted);
  }

  /** Wall time is not added up: parallel effects take the same time together. */
  private add(amounts: Partial<Amounts>, isUnsure: boolean): void {
    const tally = isUnsure ? this.unsure : this.tally;
    for (const axis of AXES) if (axis !== 'wallMs') tally[axis] = withoutDust(tally[axis] + (amounts[axis] ?? 0));
  }

  private atLeast(node: string, axis: Axis, spent: number): void {
    if (node !== '') return; // a child's share says nothing about the whole
    const counted = AXES.find((known) => known === axis);
    if (counted !== undefined) this.tally[counted] = Math.max(this.tally[counted], spent);
  }
}
