import { describe, expect, it } from 'vitest';
import { argumentObjectIn, argumentsIn, wholeJson } from './read-json.js';

describe('JSON that a model wrote', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['  ```\n[1]```  ', [1]],
    ['null', null],
  ])('is read as a whole, in a fence or not: %j [R9-KERNEL-JSON]', (text, value) => {
    expect(wholeJson(text)).toEqual({ value });
  });

  it.each(['Here: {"a":1}', 'See\n```json\n1\n```', '```', '', '{', `${'['.repeat(100)}${']'.repeat(100)}`])(
    'is not read out of what holds something else, or is too deep: %j [R9-KERNEL-JSON]',
    (text) => {
      expect(wholeJson(text)).toBeUndefined();
    },
  );

  it('as the arguments of a call may be missing altogether [R9-KERNEL-JSON]', () => {
    expect(argumentsIn(' ')).toEqual({ value: {} });
    expect(argumentsIn('[1]')).toEqual({ value: [1] });
    expect(argumentsIn('{"a":')).toBeUndefined();
    expect(argumentObjectIn('')).toEqual({});
    expect(argumentObjectIn('{"a":1}')).toEqual({ a: 1 });
    for (const text of ['[1]', 'null', '7', 'a']) expect(argumentObjectIn(text)).toBeUndefined();
  });
});
