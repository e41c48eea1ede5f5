import { isOrdered } from './equality.js';
import type { PyValue } from './value.js';

interface Keyed<T> {
  readonly item: T;
  readonly key: PyValue;
}

/**
 * `sorted(items, key=…, reverse=True)`: stable, and comparing in the same order as the reference does, because which two
 * values of unlike types meet first is in the message that they raise, and NaN goes where it happens to be compared.
 */
export function sortedDescending<T>(items: readonly T[], keyOf: (item: T) => PyValue): T[] {
  const list = items.map((item) => ({ item, key: keyOf(item) })).reverse();
  const sorted = firstRun(list);
  for (const one of list.slice(sorted.length)) sorted.splice(placeOf(one, sorted), 0, one);
  return sorted.reverse().map(({ item }) => item);
}

/** The items at the beginning that are in order already, turned round where that is the wrong order throughout. */
function firstRun<T>(list: readonly Keyed<T>[]): Keyed<T>[] {
  const isDown = isBelow(list[1], list[0]);
  let length = Math.min(2, list.length);
  while (length < list.length && isBelow(list[length], list[length - 1]) === isDown) length += 1;
  const run = list.slice(0, length);
  return isDown ? run.reverse() : run;
}

/** After all that are not above it. */
function placeOf<T>(one: Keyed<T>, sorted: readonly Keyed<T>[]): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBelow(one, sorted[middle])) to = middle;
    else from = middle + 1;
  }
  return from;
}

function isBelow<T>(a: Keyed<T> | undefined, b: Keyed<T> | undefined): boolean {
  return a !== undefined && b !== undefined && isOrdered(a.key, '<', b.key);
}
