import { compare, isOrdered, type Ordering, pyEquals, typeName } from '../tau2/python/equality.js';
import { str } from '../tau2/python/text.js';
import { PyError, type PyValue } from '../tau2/python/value.js';
import type { Row } from './table.js';

/** `field` or `field__op` with what it is compared to. */
export type Filters = ReadonlyMap<string, PyValue>;

type Operator = (actual: PyValue, expected: PyValue) => boolean;

const ordered =
  (how: Ordering): Operator =>
  (actual, expected) =>
    isOrdered(actual, how, expected);

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['ne', (actual, expected) => !pyEquals(actual, expected)],
  ['gt', ordered('>')],
  ['gte', ordered('>=')],
  ['lt', ordered('<')],
  ['lte', ordered('<=')],
  ['contains', (actual, expected) => actual !== null && isIn(expected, actual)],
  ['startswith', (actual, expected) => actual !== null && str(actual).startsWith(str(expected))],
  ['endswith', (actual, expected) => actual !== null && str(actual).endsWith(str(expected))],
  ['in', (actual, expected) => isIn(actual, expected)],
  ['nin', (actual, expected) => !isIn(actual, expected)],
]);

type Condition = (row: Row) => boolean;

/** All filters as one condition; made once for a query, asked for every record. */
export function conditionOf(filters: Filters): Condition {
  const conditions = [...filters].map(([key, expected]) => condition(key, expected));
  return (row) => conditions.every((holds) => holds(row));
}

function condition(key: string, expected: PyValue): Condition {
  const at = key.lastIndexOf('__');
  const field = at < 0 ? key : key.slice(0, at);
  const operator = (at < 0 ? undefined : OPERATORS.get(key.slice(at + 2))) ?? pyEquals;
  return (row) => passes(operator, row.get(field) ?? null, expected);
}

/** A comparison that raises is no match. */
function passes(operator: Operator, actual: PyValue, expected: PyValue): boolean {
  try {
    return operator(actual, expected);
  } catch (error) {
    if (error instanceof PyError && (error.kind === 'TypeError' || error.kind === 'ValueError')) return false;
    throw error;
  }
}

/** `item in container`. */
export function isIn(item: PyValue, container: PyValue): boolean {
  if (Array.isArray(container)) return container.some((other) => Object.is(other, item) || pyEquals(other, item));
  if (container instanceof Map) return isKey(item, container);
  if (typeof container !== 'string') {
    throw new PyError('TypeError', `argument of type '${typeName(container)}' is not iterable`);
  }
  if (typeof item === 'string') return container.includes(item);
  throw new PyError('TypeError', `'in <string>' requires string as left operand, not ${typeName(item)}`);
}

function isKey(item: PyValue, dict: ReadonlyMap<string, PyValue>): boolean {
  if (Array.isArray(item) || item instanceof Map) {
    throw new PyError('TypeError', `unhashable type: '${typeName(item)}'`);
  }
  return typeof item === 'string' && dict.has(item);
}

/** True when a listing has as many records as it may; a limit that is no number raises. */
export function reached(length: number, limit: PyValue): boolean {
  return limit !== null && compare(BigInt(length), limit, '>=') >= 0;
}
