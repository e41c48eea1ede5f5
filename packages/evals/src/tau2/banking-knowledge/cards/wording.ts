import { str } from '../../python/text.js';
import { titleCase } from '../../python/title-case.js';
import type { PyValue } from '../../python/value.js';

/** A code as people read it: `late_fee_reversal` is `Late Fee Reversal`. */
export function inWords(code: PyValue): string {
  return titleCase(str(code).replaceAll('_', ' '));
}
