import { blocked } from '../core/outcome.js';
import type { Agent } from '../core/run.js';
import { checkCounts, checkGiven } from '../kit/options.js';
import { runPart } from '../kit/seat.js';
import { runTest, type Test } from '../kit/tested.js';

/** What `checked` is given. */
export interface CheckedParts<I, O> {
  readonly test: Test<I, O>;
  /** Takes over when no try passed. */
  readonly otherwise?: Agent<I, O>;
}

/**
 * Lets only values through that pass a test: for the place between two steps. What fails is made again, as it was asked
 * for the first time; what fails each time is blocked, or left to `otherwise`. `reflexion` tells the agent what was wrong.
 */
export function checked<I, O>(
  agent: Agent<I, O>,
  { test, otherwise }: CheckedParts<I, O>,
  { maxRetries = 1 }: { readonly maxRetries?: number } = {},
): Agent<I, O> {
  checkGiven('checked', { agent, test });
  checkCounts('checked', { maxRetries }, 0);
  return async (run, input) => {
    for (let tried = 1; ; tried++) {
      const outcome = await runPart(run, agent, input);
      if (outcome.stop !== 'done') return outcome;
      const tested = await runTest(run, test, outcome.value, input);
      if (tested.ok) return outcome;
      if (tried <= maxRetries) continue;
      if (otherwise !== undefined) return runPart(run, otherwise, input);
      return blocked(tested.because, { partial: outcome.value, reason: { code: 'exhausted', data: { tried } } });
    }
  };
}
