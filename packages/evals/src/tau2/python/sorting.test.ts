import { describe, expect, it } from 'vitest';
import { sortedDescending } from './sorting.js';
import type { PyValue } from './value.js';

const sort = (...keys: readonly PyValue[]): readonly PyValue[] => sortedDescending(keys, (key) => key);

describe('sorting in reverse', () => {
  it('puts the largest first and keeps equal ones in their order', () => {
    const rows = ['b1', 'a1', 'c1', 'b2', 'a2', 'b3', 'c2'];
    expect(sortedDescending(rows, (row) => row.charAt(0))).toEqual(['c1', 'c2', 'b1', 'b2', 'b3', 'a1', 'a2']);
    expect(sort()).toEqual([]);
    expect(sort(1n)).toEqual([1n]);
    expect(sort(1n, 2.5, true, 3n)).toEqual([3n, 2.5, 1n, true]);
  });

  it('sorts whatever order the items came in', () => {
    const wanted = ['9', '8', '7', '6', '5', '4', '3', '2', '1', '0'];
    for (let step = 1; step < 10; step += 1) {
      const shuffled = [...wanted.keys()]
        .map((at) => String((at * step * 7 + step) % 11))
        .filter((key) => key !== '10');
      expect(sort(...new Set([...shuffled, ...wanted]))).toEqual(wanted);
    }
  });

  it.each([
    [['a', 5n], "'<' not supported between instances of 'str' and 'int'"],
    [[5n, 'a'], "'<' not supported between instances of 'int' and 'str'"],
    [['a', 'b', 5n], "'<' not supported between instances of 'str' and 'int'"],
    [[5n, 'a', 'b'], "'<' not supported between instances of 'int' and 'str'"],
    [['c', null, 'a', 'b'], "'<' not supported between instances of 'NoneType' and 'str'"],
  ])('names the two values of unlike types that meet first: %s', (keys, message) => {
    expect(() => sort(...keys)).toThrow(message);
  });

  it('leaves NaN where it is compared with nothing smaller', () => {
    expect(sort(1.5, Number.NaN, 2.5)).toEqual([1.5, Number.NaN, 2.5]);
    expect(sort(Number.NaN, 1.5, 2.5)).toEqual([Number.NaN, 2.5, 1.5]);
  });
});
