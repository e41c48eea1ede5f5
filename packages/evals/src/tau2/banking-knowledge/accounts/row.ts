import { pyEquals } from '../../python/equality.js';
import type { PyValue } from '../../python/value.js';
import type { Row } from '../bank.js';

/** `record.get(name, fallback)`: a field that holds null is there. */
export function fieldOf(row: Row, name: string, fallback: PyValue = null): PyValue {
  const value = row.get(name);
  return value === undefined ? fallback : value;
}

/** The rows of which a field equals a value, in their order. Two rows without the field agree. */
export function rowsWith(rows: ReadonlyMap<string, Row>, field: string, value: PyValue): (readonly [string, Row])[] {
  return [...rows].filter(([, row]) => pyEquals(fieldOf(row, field), value));
}
