import type { PyValue } from './value.js';

/** Between our own notes and the file's values. Whole numbers of ours become whole numbers there. */
export function pyOf(value: unknown): PyValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (Array.isArray(value)) return value.map(pyOf);
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [String(key), pyOf(one)]));
  return new Map(Object.entries(value as object).map(([key, one]) => [key, pyOf(one)]));
}

/** The file's values as plain ones, for notes that only we read. A whole number too large for a float stays a bigint. */
export function plainOf(value: PyValue): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(plainOf);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, one]) => [key, plainOf(one)]));
  return value;
}
