import { toFloat } from '../../python/number.js';
import { str } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { attempt } from '../operations.js';

/** An amount of a card account, `$842.15` or a number; an unreadable or absent one counts as nothing. */
export function cardAmount(value: PyValue | undefined): number {
  if (value === undefined) return 0;
  return attempt(() => toFloat(str(value).replaceAll('$', '').replaceAll(',', ''))) ?? 0;
}
