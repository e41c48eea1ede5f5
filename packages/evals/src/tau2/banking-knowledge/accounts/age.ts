import { daysBetween, strptime, tryStrptime } from '../../python/dates.js';
import type { PyValue } from '../../python/value.js';
import { today } from '../bank.js';

const dateFormat = '%m/%d/%Y';
const midnight = strptime(today, dateFormat);

/** Whole days since a date; undefined where the text is none. A value that is no text is a TypeError. */
export function daysSince(date: PyValue): number | undefined {
  const at = tryStrptime(date, dateFormat);
  return at === undefined ? undefined : daysBetween(midnight, at);
}
