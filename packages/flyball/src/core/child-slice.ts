import { checkBoardName } from './board.js';
import { type BudgetSlice, checkSlice } from './budget.js';
import { ConfigError } from './errors.js';

/** What a child is given: its part of the budget, and what else of its parent it can use. */
export type ChildSlice = BudgetSlice & {
  /** Boards of its parent that it reads and posts to. Any other board that it opens is its own. */
  readonly boards?: readonly string[];
  /**
   * `simulated`: nothing that it does goes out, nor what its own children do. Models answer and pure tools are called;
   * an effect that changes the world is stood in for by its `simulate`, and fails with NOT_SIMULATED where it has none;
   * nobody is asked anything; what it posts to a board that it was lent is read in its world alone. For shadows,
   * rollouts and dry runs.
   */
  readonly world?: 'simulated';
};

/** The part of the budget, and the rest. */
export interface ChildParts {
  readonly slice: BudgetSlice;
  readonly boards: readonly string[];
  readonly world: 'simulated' | undefined;
}

export function childParts(given: ChildSlice): ChildParts {
  if (given === undefined) throw new ConfigError('spawn needs a slice of the budget, for example { share: 0.5 }.');
  const { boards = [], world, ...slice } = given;
  checkSlice(slice);
  for (const name of boards) checkBoardName(name);
  if (world !== undefined && world !== 'simulated')
    throw new ConfigError(`The world of a child can be "simulated", or left out: got ${JSON.stringify(world)}.`);
  return { slice, boards, world };
}
