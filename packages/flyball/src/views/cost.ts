import type { Amounts } from '../core/budget.js';
import type { EffectId, Entry } from '../core/events.js';
import { withoutDust } from '../core/ledger.js';
import type { TokenUsage } from '../core/model.js';
import { ChargeFold } from './charges.js';
import { scopeOf } from './paths.js';
import { PhaseFold } from './phases.js';

/** Calls, tokens and cost of a part of a run. */
export interface CostLine {
  /** Model calls, re-asks included. */
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Part of `tokensIn`, as the last call of each ask reported it. */
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly costUsd: number;
}

/** Two cuts through the same sum: each adds up to `total`. */
export interface CostReport {
  readonly total: CostLine;
  readonly byPhase: Readonly<Record<string, CostLine>>;
  readonly byModel: Readonly<Record<string, CostLine>>;
  /** What calls that were cut off may have cost beside; no part of the sums. */
  readonly possibly?: CostLine;
}

/** Spent outside of any phase. */
export const NO_PHASE = '(no phase)';
/** Spent by a tool or a step of its own. */
export const NO_MODEL = '(no model)';
/** Spent in generations whose entries were not given. */
export const EARLIER = '(earlier generations)';

const ZERO: CostLine = { calls: 0, tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

/** What was spent, by phase and by model. */
export function costBy(entries: readonly Entry[]): CostReport {
  const fold = new CostFold();
  for (const entry of entries) fold.apply(entry);
  return fold.report();
}

/** Takes entries one by one. */
export class CostFold {
  private readonly charges = new ChargeFold();
  private readonly phases = new PhaseFold();
  private readonly begunIn = new Map<EffectId, string>();
  private readonly book = new Book();
  private isFirst = true;

  apply(entry: Entry): void {
    const { event } = entry;
    const { phases, begunIn, book } = this;
    phases.apply(entry);
    if (event.type === 'generation-start') {
      begunIn.clear();
      if (this.isFirst) {
        book.add(EARLIER, EARLIER, lineOf(event.state.spent));
        book.addPossibly(lineOf(event.state.spent.possibly ?? {}));
      }
    }
    this.isFirst = false;
    if (event.type === 'ask-start' || event.type === 'intent') {
      if (!begunIn.has(event.id)) begunIn.set(event.id, phases.at(scopeOf(event.id)) ?? NO_PHASE);
    }
    for (const { id, amounts, usage, model, possibly } of this.charges.apply(entry)) {
      if (possibly) {
        book.addPossibly(lineOf(amounts));
        continue;
      }
      const phase = begunIn.get(id) ?? phases.at(scopeOf(id)) ?? NO_PHASE;
      book.add(phase, model ?? NO_MODEL, lineOf(amounts, usage));
    }
  }

  report(): CostReport {
    return this.book.report();
  }
}

class Book {
  private total = ZERO;
  private readonly byPhase = new Map<string, CostLine>();
  private readonly byModel = new Map<string, CostLine>();
  private possibly = ZERO;

  addPossibly(line: CostLine): void {
    const { costUsd, ...counts } = sum(this.possibly, line);
    this.possibly = { ...counts, costUsd: withoutDust(costUsd) };
  }

  add(phase: string, model: string, line: CostLine): void {
    if (Object.values(line).every((amount) => amount === 0)) return;
    this.total = sum(this.total, line);
    for (const [cut, key] of [
      [this.byPhase, phase],
      [this.byModel, model],
    ] as const) {
      cut.set(key, sum(cut.get(key) ?? ZERO, line));
    }
  }

  report(): CostReport {
    return {
      total: this.total,
      byPhase: Object.fromEntries(this.byPhase),
      byModel: Object.fromEntries(this.byModel),
      ...(this.possibly.calls > 0 || this.possibly.costUsd > 0 ? { possibly: this.possibly } : {}),
    };
  }
}

function lineOf(spent: Partial<Amounts>, usage?: TokenUsage): CostLine {
  return {
    calls: spent.modelCalls ?? 0,
    tokensIn: spent.tokensIn ?? 0,
    tokensOut: spent.tokensOut ?? 0,
    cacheRead: usage?.cacheRead ?? 0,
    cacheWrite: usage?.cacheWrite ?? 0,
    costUsd: spent.costUsd ?? 0,
  };
}

function sum(a: CostLine, b: CostLine): CostLine {
  return {
    calls: a.calls + b.calls,
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    costUsd: a.costUsd + b.costUsd,
  };
}
