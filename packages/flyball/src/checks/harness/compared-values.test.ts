import { describe, expect, it } from 'vitest';
import { comparedIn } from './compared-values.js';
import { crash, errorText, inputsIn, plain } from './failure-text.js';

describe('comparedIn', () => {
  it.each([
    ['chai and vitest', 'expected 6 to be 7 // Object.is equality', '7', '6'],
    ['a message before it', 'sum: expected [ 1 ] to deeply equal [ 2 ]', '[ 2 ]', '[ 1 ]'],
    ['jest', 'expect(received).toBe(expected)\n\nExpected: "a: b"\nReceived: "c"', '"a: b"', '"c"'],
    ['node:assert in short', 'Expected values to be strictly equal:\n\n6 !== 7\n', '7', '6'],
    [
      'node:assert with properties',
      "x {\n  generatedMessage: true,\n  actual: 'a',\n  expected: 'b',\n  operator: 'x'\n}",
      "'b'",
      "'a'",
    ],
    [
      'node:assert as a difference',
      'x:\n+ actual - expected\n\n  {\n+   a: 1\n-   a: 2\n  }\n',
      '{\n  a: 2\n}',
      '{\n  a: 1\n}',
    ],
    ['a difference of vitest', 'x\n\n- Expected\n+ Received\n\n- 7\n+ 6\n\n ❯ a.js:1:1', '7', '6'],
    [
      'a difference of jest',
      'x\n\n- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "b": 3,\n+   "b": 2,\n  }\n    at f (/a.js:1:1)',
      'Object {\n  "b": 3,\n}',
      'Object {\n  "b": 2,\n}',
    ],
    ['Python', "AssertionError: assert 'x' == 1", '1', "'x'"],
  ])('reads %s [R4-VERIFY-STACK]', (_, text, expected, actual) => {
    expect(comparedIn(text)).toEqual({ expected, actual });
  });

  it.each(['lines is no list: nothing', 'assert a == b == c', 'expected nothing much', ''])(
    'says nothing about `%s`',
    (text) => {
      expect(comparedIn(text)).toEqual({});
    },
  );
});

describe('errorText', () => {
  it.each([
    ['TypeError: no list\n    at f (/a.js:1:1)', 'TypeError', 'no list'],
    ['AssertionError [ERR_ASSERTION]: two\nlines\n\n    at f (/a.js:1:1) {\n  code: 1', 'AssertionError', 'two\nlines'],
    ['json.decoder.JSONDecodeError: bad', 'json.decoder.JSONDecodeError', 'bad'],
    ['ZeroDivisionError', 'ZeroDivisionError', ''],
  ])('takes %j apart [R4-VERIFY-STACK]', (text, errorType, message) => {
    expect(errorText(text)).toEqual({ errorType, message });
  });

  it('takes a sentence with a colon for no type', () => {
    expect(errorText('Note: it is late')).toEqual({ message: 'Note: it is late' });
  });

  it('finds the place of a syntax error, which has no stack of its own', () => {
    const said = crash(
      "file:///shop/a.mjs:3\nconst = 1;\n      ^\n\nSyntaxError: Unexpected token '='\n    at compile (node:internal/x:1:1)",
    );
    expect(said).toMatchObject({ errorType: 'SyntaxError', message: "Unexpected token '='" });
    expect(said.text).toContain('at file:///shop/a.mjs:3');
  });
});

describe('inputsIn', () => {
  it.each([
    ['The "path" argument must be of type string. Received undefined', ['undefined']],
    ['Property failed after 3 tests\nCounterexample: [0,-1]\nShrunk 2 times', ['[0,-1]']],
    ['Falsifying example: test_sum(a=0, b=1)', ['test_sum(a=0, b=1)']],
    ['nothing to see', []],
  ])('finds in %j what the call was given [R4-VERIFY-STACK]', (message, inputs) => {
    expect(inputsIn(message)).toEqual(inputs);
  });
});

it('takes colors out of messages', () => {
  expect(plain('\u001b[31mred\u001b[39m\r\nnext\u0007')).toBe('red\nnext');
});
