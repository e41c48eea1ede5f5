/** The call formula of a pattern, which is data of the core. */
export {
  type After,
  type Before,
  exact,
  type Formula,
  formulaText,
  type Interval,
  predicted,
} from '../core/formula.js';
