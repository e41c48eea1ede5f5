import { copyOf } from '../../packages/evals/src/tau2/python/equality.js';
import { dumpJson } from '../../packages/evals/src/tau2/python/json.js';
import type { PyDict, PyValue } from '../../packages/evals/src/tau2/python/value.js';

/** What differs between two dumps, in the form of the recordings: objects are walked into, everything else is a value. */
export function changesBetween(before: PyValue, after: PyValue, path: readonly string[] = []): PyDict[] {
  if (before instanceof Map && after instanceof Map) {
    const keys = [...new Set([...before.keys(), ...after.keys()])].sort();
    return keys.flatMap((key) => changesAt(before, after, [...path, key], key));
  }
  return dumpJson(before) === dumpJson(after) ? [] : [change(path, 'replace', before, after)];
}

function changesAt(before: PyDict, after: PyDict, path: readonly string[], key: string): PyDict[] {
  const [old, young] = [before.get(key), after.get(key)];
  if (old === undefined) return [change(path, 'add', undefined, young)];
  if (young === undefined) return [change(path, 'remove', old, undefined)];
  return changesBetween(old, young, path);
}

function change(path: readonly string[], op: string, before: PyValue | undefined, after: PyValue | undefined): PyDict {
  const made = new Map<string, PyValue>([
    ['path', [...path]],
    ['op', op],
  ]);
  if (before !== undefined) made.set('before', encoded(before));
  if (after !== undefined) made.set('after', encoded(after));
  return made;
}

/** Recordings write what JSON cannot hold as an object. */
function encoded(value: PyValue): PyValue {
  if (typeof value === 'number' && !Number.isFinite(value)) return new Map([['$float', dumpJson(value)]]);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, encoded(item)]));
  return Array.isArray(value) ? value.map(encoded) : copyOf(value);
}
