import { dumpJson } from '../tau2/python/json.js';
import { str } from '../tau2/python/text.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import { Model } from './model.js';

/** What a caller sees of a tool's result: text as it is, everything else as JSON. */
export function render(result: PyValue): string {
  return typeof result === 'string' ? result : dumpJson(shown(result));
}

/** Outside of models, numbers and booleans are shown as the text that Python prints for them. */
function shown(value: PyValue): PyValue {
  if (value === null || typeof value === 'string' || value instanceof Model) return value;
  if (Array.isArray(value)) return value.map(shown);
  if (!(value instanceof Map)) return str(value);
  const dict: PyDict = new Map();
  for (const [key, item] of value) dict.set(key, shown(item));
  return dict;
}
