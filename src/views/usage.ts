import { type Amounts, AXES, type Axis, type Budget, type CountedAxis, NOTHING } from '../core/budget.js';
import type { Entry } from '../core/events.js';
import { ChargeFold } from './charges.js';

/**
 * What the run as a whole has spent and may spend. What code counts itself (`budget.take`) is no entry of its own: such
 * an axis is known from the last warning, trip, generation or end that names it, and is at least that much.
 */
export class UsageFold {
  /** The budget as last enlarged. */
  limits: Budget | undefined;
  private tally: Record<CountedAxis, number> = { ...NOTHING };
  private readonly charges = new ChargeFold();

  apply(entry: Entry): void {
    const { event } = entry;
    for (const { amounts } of this.charges.apply(entry)) this.add(amounts);
    switch (event.type) {
      case 'run-start':
        this.limits = event.budget;
        break;
      case 'run-resume':
        this.limits = event.budget ?? this.limits;
        break;
      case 'generation-start':
        this.limits = event.budget;
        this.tally = { ...event.state.spent };
        break;
      case 'budget-warning':
        this.atLeast(event.node, event.axis, event.spent);
        break;
      case 'trip':
        this.atLeast(event.node, event.bound, event.spent);
        break;
      case 'run-end':
        if (event.outcome.usage !== undefined) this.tally = { ...event.outcome.usage };
        break;
      default:
        break; // says nothing about the budget but what its charges say
    }
    this.tally.wallMs = Math.max(this.tally.wallMs, entry.activeMs);
  }

  get spent(): Amounts {
    return { ...this.tally };
  }

  /** Wall time is not added up: parallel effects take the same time together. */
  private add(amounts: Partial<Amounts>): void {
    for (const axis of AXES) if (axis !== 'wallMs') this.tally[axis] += amounts[axis] ?? 0;
  }

  private atLeast(node: string, axis: Axis, spent: number): void {
    if (node !== '') return; // a child's share says nothing about the whole
    const counted = AXES.find((known) => known === axis);
    if (counted !== undefined) this.tally[counted] = Math.max(this.tally[counted], spent);
  }
}
