import { type PyDict, PyError, type PyValue } from './value.js';

export type Ordering = '<' | '<=' | '>' | '>=';

/** `==`: 1, 1.0 and True are equal, text and number never are. Objects are equal whatever the order of their keys. */
export function pyEquals(a: PyValue, b: PyValue): boolean {
  if (isNumeric(a) && isNumeric(b)) return order(numeric(a), numeric(b)) === 0;
  if (a instanceof Map) return b instanceof Map && equalDicts(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]));
  return a === b;
}

function equalDicts(a: ReadonlyMap<string, PyValue>, b: ReadonlyMap<string, PyValue>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !same(value, other)) return false;
  }
  return true;
}

/** Inside containers Python asks `is` first, and every NaN that was read from JSON is one and the same object. */
function same(a: PyValue, b: PyValue | undefined): boolean {
  return b !== undefined && (Object.is(a, b) || pyEquals(a, b));
}

export function truthy(value: PyValue): boolean {
  if (value instanceof Map) return value.size > 0;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'number' ? value !== 0 : Boolean(value); // NaN is true
}

export function typeName(value: PyValue): string {
  if (value === null) return 'NoneType';
  if (value instanceof Map) return 'dict';
  if (Array.isArray(value)) return 'list';
  return { boolean: 'bool', bigint: 'int', number: 'float', string: 'str' }[typeof value as 'boolean'];
}

/** `copy.deepcopy`. */
export function copyOf<V extends PyValue>(value: V): V {
  if (value instanceof Map) return copyOfDict(value) as V;
  return Array.isArray(value) ? (value.map(copyOf) as V) : value;
}

function copyOfDict(dict: PyDict): PyDict {
  const copy: PyDict = new Map();
  for (const [key, item] of dict) copy.set(key, copyOf(item));
  return copy;
}

/**
 * Below zero, zero or above it; NaN for what has no order, so that every comparison with zero is false, as in Python.
 * `how` only names the operator in the text of the TypeError.
 */
export function compare(a: PyValue, b: PyValue, how: Ordering = '<'): number {
  if (isNumeric(a) && isNumeric(b)) return order(numeric(a), numeric(b));
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b, how);
  const types = `'${typeName(a)}' and '${typeName(b)}'`;
  throw new PyError('TypeError', `'${how}' not supported between instances of ${types}`);
}

/** `a < b` and its like. */
export function isOrdered(a: PyValue, how: Ordering, b: PyValue): boolean {
  const found = compare(a, b, how);
  if (how === '<') return found < 0;
  if (how === '<=') return found <= 0;
  return how === '>' ? found > 0 : found >= 0;
}

function compareLists(a: readonly PyValue[], b: readonly PyValue[], how: Ordering): number {
  const at = a.findIndex((item, i) => !same(item, b[i]));
  const [mine, theirs] = [a[at], b[at]];
  if (mine !== undefined && theirs !== undefined) return compare(mine, theirs, how);
  return a.length - b.length;
}

/** By code point. JavaScript's own order is by UTF-16 unit, which puts U+1F600 before U+FF5E. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

function isNumeric(value: PyValue): value is boolean | bigint | number {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
}

function numeric(value: boolean | bigint | number): bigint | number {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** JavaScript compares bigint and number by their mathematical values, as Python does. */
function order(a: bigint | number, b: bigint | number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a <= b ? 0 : Number.NaN;
}
