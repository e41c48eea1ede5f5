import { describe, expect, it } from 'vitest';
import { analyseStack, stackFrames } from './stack-frames.js';

describe('stackFrames', () => {
  it.each([
    ['    at total (/shop/lib/price.mjs:2:36)', { file: 'lib/price.mjs', line: 2, column: 36, function: 'total' }],
    ['    at /shop/lib/price.mjs:2:36', { file: 'lib/price.mjs', line: 2, column: 36 }],
    [
      '    at async later (file:///shop/lib/my%20price.mjs:5:53)',
      { file: 'lib/my price.mjs', line: 5, column: 53, function: 'later' },
    ],
    [
      '    at new Basket (/shop/lib/basket.js:9:1)',
      { file: 'lib/basket.js', line: 9, column: 1, function: 'new Basket' },
    ],
    [
      '    at Basket.add [as push] (/shop/lib/basket.js:9:1)',
      { file: 'lib/basket.js', line: 9, column: 1, function: 'Basket.add' },
    ],
    ['    at Object.<anonymous> (/shop/lib/basket.js:9:1)', { file: 'lib/basket.js', line: 9, column: 1 }],
    [
      '    at Test.run (node:internal/test_runner/test:796:25) {',
      { file: 'node:internal/test_runner/test', line: 796, column: 25, function: 'Test.run' },
    ],
    [
      '    at eval (eval at load (/shop/lib/load.js:3:4), <anonymous>:1:1)',
      { file: 'lib/load.js', line: 3, column: 4, function: 'load' },
    ],
    ['    at load (C:\\shop\\lib\\load.js:3:4)', { file: 'C:/shop/lib/load.js', line: 3, column: 4, function: 'load' }],
    [
      '    at load (file:///C:/shop/lib/load.js:3:4)',
      { file: 'C:/shop/lib/load.js', line: 3, column: 4, function: 'load' },
    ],
    [' ❯ total lib/price.mjs:2:36', { file: 'lib/price.mjs', line: 2, column: 36, function: 'total' }],
    [' ❯ test/price.test.mjs:6:36', { file: 'test/price.test.mjs', line: 6, column: 36 }],
    ['  File "/shop/price.py", line 8, in ratio', { file: 'price.py', line: 8, function: 'ratio' }],
    ['  File "/shop/price.py", line 8, in <module>', { file: 'price.py', line: 8 }],
    ['shop/price.py:8: in ratio', { file: 'shop/price.py', line: 8, function: 'ratio' }],
    ['shop/price.py:8: ZeroDivisionError', { file: 'shop/price.py', line: 8 }],
  ])('reads `%s` [R4-VERIFY-STACK]', (line, frame) => {
    expect(stackFrames(line, '/shop')).toEqual([frame]);
  });

  it.each([
    '    at new Promise (<anonymous>)',
    '    at async Promise.all (index 0)',
    'it failed at line 5:3 of the input',
    '    at position 5:3',
    'see https://example.com/a:1:2',
    '  File "<string>", line 8, in ratio',
  ])('takes `%s` for no frame', (line) => {
    expect(stackFrames(line)).toEqual([]);
  });

  it('takes a line of data for no frame', () => {
    expect(stackFrames(`at x (${'y'.repeat(5000)}.js:1:2)`)).toEqual([]);
  });

  it('names files under a Windows folder relative to it, whatever the case of the drive', () => {
    expect(stackFrames('at f (c:\\Shop\\lib\\a.js:1:2)', 'C:\\shop')[0]?.file).toBe('lib/a.js');
  });

  it('puts the innermost frame first, although Python prints it last [R4-VERIFY-STACK]', () => {
    const text =
      'Traceback (most recent call last):\n  File "a.py", line 1, in outer\n  File "b.py", line 2, in inner\n';
    expect(stackFrames(text).map((frame) => frame.function)).toEqual(['inner', 'outer']);
  });

  it('stops counting frames of a recursion', () => {
    expect(stackFrames('at f (/a.js:1:2)\n'.repeat(5000))).toHaveLength(50);
  });
});

describe('analyseStack', () => {
  const cwd = '/shop';
  const at = (text: string, testFile?: string) =>
    analyseStack(stackFrames(text, cwd), { cwd, ...(testFile === undefined ? {} : { testFile }) });

  it('finds the code under test between the runtime, packages and the test [R4-VERIFY-STACK]', () => {
    const stack = `
      at Buffer.from (node:buffer:330:9)
      at parse (/shop/node_modules/csv/index.js:1:1)
      at read (/shop/lib/read.js:7:3)
      at Object.<anonymous> (/shop/test/read.test.js:4:5)
      at run (node:internal/test_runner/test:796:25)`;
    expect(at(stack)).toEqual({ at: { file: 'lib/read.js', line: 7, column: 3, function: 'read' }, where: 'code' });
  });

  it('leaves out the test file whatever it is called', () => {
    const stack = 'at check (/shop/checks/all.js:4:5)\nat read (/shop/lib/read.js:7:3)';
    expect(at(stack, '/shop/checks/all.js').at?.file).toBe('lib/read.js');
    expect(at(stack).at?.file).toBe('checks/all.js');
  });

  it('falls back to the line of the test, and to nothing [R4-VERIFY-STACK]', () => {
    const stack = 'at /shop/test/read.test.js:4:5\nat run (/shop/node_modules/runner/index.js:1:1)';
    expect(at(stack)).toEqual({ at: { file: 'test/read.test.js', line: 4, column: 5 }, where: 'test' });
    expect(at('at run (node:internal/test:1:1)')).toEqual({ where: 'unknown' });
  });

  it('prefers code in the working folder to code beside it', () => {
    const stack = 'at deep (/elsewhere/lib/deep.js:1:1)\nat read (/shop/lib/read.js:7:3)';
    expect(at(stack).at?.file).toBe('lib/read.js');
    expect(at('at deep (/elsewhere/lib/deep.js:1:1)\nat /shop/test/read.test.js:4:5').at?.file).toBe(
      '/elsewhere/lib/deep.js',
    );
  });

  it('knows installed Python by its folders', () => {
    const stack =
      'File "/shop/shop/price.py", line 3, in total\nFile "/usr/lib/python3.11/json/decoder.py", line 1, in decode';
    expect(at(stack).at?.file).toBe('shop/price.py');
  });
});
