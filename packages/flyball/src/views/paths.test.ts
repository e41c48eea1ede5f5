import { expect, it } from 'vitest';
import { baseOf, isInside, pathsAround, scopeOf } from './paths.js';

it('finds the scope of an effect and of what belongs to it', () => {
  expect(scopeOf('#3')).toBe('');
  expect(scopeOf('/plan/2#3')).toBe('/plan/2');
  expect(scopeOf('/plan/2#3!gate')).toBe('/plan/2');
  expect(scopeOf('run:1:/plan/2#3!undo')).toBe('/plan/2');
  expect(scopeOf('run:0:#3!undo')).toBe('');
});

it('finds the effect that a gate, a doubt or an undo belongs to', () => {
  expect(baseOf('/a#3!gate')).toBe('/a#3');
  expect(baseOf('a:1:/b#2:0:/a#3!undo')).toBe('/a#3');
  expect(baseOf('/a!b#3')).toBe('/a!b#3');
});

it('knows what lies around a path, innermost first', () => {
  expect(pathsAround('/a/b')).toEqual(['/a/b', '/a', '']);
  expect(pathsAround('')).toEqual(['']);
});

it('takes no path for the inside of one that merely begins like it', () => {
  expect(isInside('/ab', '/a')).toBe(false);
  expect(isInside('/a/b', '/a')).toBe(true);
  expect(isInside('/a', '/a')).toBe(true);
  expect(isInside('/a', '')).toBe(true);
});
