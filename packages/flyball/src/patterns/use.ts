/** How a pattern describes itself: the data is of the core, because tools, checks and views that are patterns need it too. */
export {
  carriedBy,
  carrying,
  type Described,
  described,
  isSession,
  type Part,
  type PatternId,
  partOf,
  type Use,
  useOf,
  usesIn,
} from '../core/use.js';
