import { type BudgetSlice, checkSlice } from '../../core/budget.js';
import { BoundReachedError, ConfigError } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import type { Agent } from '../../core/run.js';
import type { Described } from '../../core/use.js';
import { checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { runPart } from '../../kit/seat.js';

/**
 * Gives an agent its own part of the budget.
 *
 * Model calls: those of the agent, and none after its part is spent. At a bound of the part it ends `bounded` and names the
 * axis; what is around it goes on, and what is left of the part goes back. The best value so far (`run.best`) is the
 * partial value. Not for a child with a context of its own: `run.spawn` takes a slice itself.
 *
 * @pattern V9
 * @example
 * ```ts
 * const cheap = withBudget(researcher, { costUsd: 0.5, modelCalls: 20 });
 * ```
 */
export function withBudget<I, O>(agent: Agent<I, O>, slice: BudgetSlice): Described<Agent<I, O>> {
  checkGiven('withBudget (V9)', { agent });
  if (slice === undefined || Object.values(slice).every((limit) => limit === undefined))
    throw new ConfigError('withBudget (V9) needs a slice of the budget, for example { costUsd: 0.5 }.');
  checkSlice(slice);
  const about = {
    id: 'V9',
    name: 'withBudget',
    params: { slice },
    parts: { agent },
    calls: { part: 'agent' },
    ...(slice.modelCalls === undefined ? {} : { most: slice.modelCalls }),
    provides: ['V10', 'V14'],
  } as const;
  return pattern(about, async (run, input: I): Promise<Outcome<O>> => {
    try {
      return await run.within(slice, (inside) => runPart(inside, agent, input));
    } catch (error) {
      if (!(error instanceof BoundReachedError)) throw error;
      const { bound, limit, refused } = error;
      return { stop: 'bounded', bound, limit, ...refused };
    }
  });
}
