import { type Amounts, AXES, type CountedAxis, NOTHING } from '../core/budget.js';
import type { EffectId } from '../core/events.js';
import type { GuardContext } from '../core/seams.js';
import type { Claim } from '../ports/engine.js';
import type { Books } from './books.js';
import type { Journal } from './journal.js';
import type { Pending } from './open-effects.js';

/** What guards need of the life whose effects they judge. */
export interface GuardsOwner {
  readonly claim: Claim;
  readonly journal: Journal;
  readonly books: Books;
  readonly effects: { usage(): Amounts };
}

/**
 * What guards are told, and in which order they judge. Part of admission.
 *
 * 1. Calls are judged one after the other, each with those before it counted: two that fit alone must not pass together.
 * 2. What was let pass counts from then until it has ended.
 */
export class Guards {
  /** Calls that guards let pass and that have not ended, with what they may spend. */
  private readonly inFlight = new Map<EffectId, { readonly tool: string; readonly reserved: Partial<Amounts> }>();
  /** The line in which calls wait for their guards. */
  private line: Promise<unknown> = Promise.resolve();
  private readonly run: GuardsOwner;

  constructor(run: GuardsOwner) {
    this.run = run;
  }

  /** Does this when everything before it in the line is done. */
  inTurn<T>(judge: () => Promise<T>): Promise<T> {
    const turn = this.line.then(judge);
    this.line = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  letPass(pending: Pick<Pending, 'id' | 'reserved' | 'judged'>, tool: string): void {
    const { id, reserved = {} } = pending;
    pending.judged = true;
    this.inFlight.set(id, { tool, reserved });
  }

  ended(id: EffectId): void {
    this.inFlight.delete(id);
  }

  context(at: string): GuardContext {
    const { claim, journal, books } = this.run;
    const { tenant, subject } = claim.record;
    const { calledTools, triedTools } = journal.state.state();
    return {
      runId: claim.runId,
      tenant,
      subject,
      at,
      calledTools,
      triedTools: [...new Set([...triedTools, ...this.toolsInFlight(at)])],
      budget: {
        limits: books.ledger.limits,
        spent: this.usageInFlight(),
        before: books.ledger.spentBefore(),
      },
      decide: (decision) => journal.push({ type: 'guard-decision', id: at, ...decision }),
    };
  }

  /** What was spent, and what calls that guards let pass may still spend. */
  private usageInFlight(): Amounts {
    if (this.inFlight.size === 0) return this.run.effects.usage();
    const total: Record<CountedAxis, number> = { ...NOTHING, ...this.run.books.ledger.spent };
    for (const { reserved } of this.inFlight.values()) for (const axis of AXES) total[axis] += reserved[axis] ?? 0;
    return total;
  }

  /** Calls side by side must see each other, or each would be judged as if it were alone. */
  private toolsInFlight(but: EffectId): readonly string[] {
    return [...this.inFlight].flatMap(([id, { tool }]) => (id === but ? [] : [tool]));
  }
}
