import { pyEquals } from '../tau2/python/equality.js';
import type { PyDict } from '../tau2/python/value.js';
import type { SimCall } from '../world/message.js';
import type { GoldAction } from '../world/task.js';

/**
 * Same name, and equal arguments on the keys that are compared: those the action names or, where it names none, those
 * of the call. A call with fewer arguments can therefore match, one with more cannot.
 */
export function matchesAction(action: GoldAction, call: Pick<SimCall, 'name' | 'arguments'>): boolean {
  if (action.name !== call.name) return false;
  const keys = new Set(action.compareArgs ?? call.arguments.keys());
  return pyEquals(only(action.arguments, keys), only(call.arguments, keys));
}

function only(args: PyDict, keys: ReadonlySet<string>): PyDict {
  return new Map([...args].filter(([key]) => keys.has(key)));
}
