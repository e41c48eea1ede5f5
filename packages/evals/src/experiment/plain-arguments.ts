import type { PyDict, PyValue } from '../tau2/python/value.js';

/**
 * Arguments as they cross the journal: plain JSON, so that guards, approvals and traces read them as they read those of
 * every other tool. What JSON would lose is spelled out: `33.0` is `{"$float":"33.0"}`, a whole number beyond the safe
 * ones `{"$int":"…"}`, and an object whose keys JavaScript would put in another order, or take for one of these,
 * `{"$pairs":[[key, value], …]}`.
 */
export function toPlain(value: PyValue): unknown {
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : { $int: String(value) };
  if (typeof value === 'number') {
    const survives = Number.isFinite(value) && !Number.isInteger(value);
    return survives ? value : { $float: Object.is(value, -0) ? '-0' : String(value) };
  }
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Map) return plainDict(value);
  return value;
}

/** Reads plain values of any origin: a guard may have put others in place of what the model sent. */
export function fromPlain(value: unknown): PyValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'boolean' || typeof value === 'string' || typeof value === 'bigint') return value;
  if (Array.isArray(value)) return value.map(fromPlain);
  return fromObject(value as Record<string, unknown>);
}

export function dictFromPlain(value: unknown): PyDict {
  const dict = fromPlain(value);
  return dict instanceof Map ? dict : new Map();
}

function plainDict(dict: PyDict): unknown {
  const isOdd = [...dict.keys()].some((key) => key.startsWith('$') || key === '__proto__' || /^\d+$/.test(key));
  if (isOdd) return { $pairs: [...dict].map(([key, value]) => [key, toPlain(value)]) };
  return Object.fromEntries([...dict].map(([key, value]) => [key, toPlain(value)]));
}

function fromObject(object: Readonly<Record<string, unknown>>): PyValue {
  const { $float, $int, $pairs } = object;
  if (typeof $float === 'string') return Number($float);
  if (typeof $int === 'string') return BigInt($int);
  if (Array.isArray($pairs)) {
    return new Map(($pairs as [string, unknown][]).map(([key, value]) => [key, fromPlain(value)]));
  }
  return new Map(Object.entries(object).map(([key, value]) => [key, fromPlain(value)]));
}

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}
