import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../test/patience.js';
import type { Failure } from '../core/errors.js';
import { ErrorLines, withoutStack } from './error-lines.js';

const failure = (message: string, code: Failure['code'] = 'EFFECT_FAILED'): Failure => ({
  code,
  message,
  retryable: false,
});

function digested(...messages: readonly string[]): readonly string[] {
  const digest = new ErrorLines();
  return messages.map((message) => digest.read('tool', failure(message)));
}

describe('what a model reads of failures', () => {
  it('is the first of a kind whole, and each further one a counted line [R3-LOOP-COMPACT-ERRORS] [V11.3]', () => {
    const long = `connect ECONNREFUSED 127.0.0.1:4711\n${'detail '.repeat(50)}`;
    const [first, second, third] = digested(long, long, long);
    expect(first).toBe(`Error EFFECT_FAILED: ${long.trim()}`);
    expect(second).toBe('Error EFFECT_FAILED (×2), as before: connect ECONNREFUSED 127.0.0.1:4711');
    expect(third).toBe('Error EFFECT_FAILED (×3), as before: connect ECONNREFUSED 127.0.0.1:4711');
  });

  const alike: readonly (readonly [string, string, string])[] = [
    ['ports', 'connect ECONNREFUSED 127.0.0.1:4711', 'connect ECONNREFUSED 127.0.0.1:4712'],
    ['ports of a host', 'connect ECONNREFUSED db.example.com:5432', 'connect ECONNREFUSED db.example.com:5433'],
    ['numbers', 'quota exceeded: 17 of 10', 'quota exceeded: 23 of 10'],
    ['paths', "ENOENT: no such file, open '/tmp/a/b.txt'", "ENOENT: no such file, open '/var/c/d.txt'"],
    ['identifiers', 'no order 7f3a1c9e-1b2c-4d5e-8f90-123456789abc', 'no order 00000000-1b2c-4d5e-8f90-123456789abc'],
    ['hashes', 'bad object 9fceb02d0ae598e95dc970b74767f193', 'bad object 1fceb02d0ae598e95dc970b74767f194'],
    ['times', 'timeout after 1200 ms at 12:00:01', 'timeout after 1300 ms at 12:00:09'],
  ];
  it.each(alike)('takes failures for one kind that differ in %s [R3-LOOP-COMPACT-ERRORS] [V11.4]', (_in, a, b) => {
    expect(digested(a, b)[1]).toMatch(/\(×2\), as before/);
  });

  const different: readonly (readonly [string, string, string])[] = [
    ['what went wrong', 'connect ECONNREFUSED', 'connect ETIMEDOUT'],
    ['a place in a file', 'a.ts(3,5): error TS2322: no', 'a.ts(9,5): error TS2322: no'],
    ['a place with a colon', 'src/a.ts:3:5 - error', 'src/a.ts:4:5 - error'],
    ['a line of Python', 'File "x.py", line 3: bad', 'File "x.py", line 4: bad'],
    ['the file', 'a.ts(3,5): error TS2322: no', 'b.ts(3,5): error TS2322: no'],
  ];
  it.each(different)('does not merge failures that differ in %s [R3-LOOP-COMPACT-ERRORS]', (_in, a, b) => {
    expect(digested(a, b)[1]).not.toMatch(/as before/);
  });

  it('keeps tools and codes apart [R3-LOOP-COMPACT-ERRORS]', () => {
    const digest = new ErrorLines();
    digest.read('one', failure('no'));
    expect(digest.read('two', failure('no'))).toBe('Error EFFECT_FAILED: no');
    expect(digest.read('one', failure('no', 'EFFECT_TIMEOUT'))).toBe('Error EFFECT_TIMEOUT: no');
    expect(digest.read('one', failure('no'))).toBe('Error EFFECT_FAILED (×2), as before: no');
  });

  it('keeps the beginning and the end of a very long one, and says how much is missing', () => {
    const [text = ''] = digested(`begin ${'x'.repeat(5000)} end`);
    expect(text.length).toBeLessThan(1300);
    expect(text).toMatch(/^Error EFFECT_FAILED: begin x+ … \[\d+ characters left out\] … x+ end$/);
  });

  it('takes no longer for a hostile one', () => {
    const began = processorMs();
    digested(
      'a.'.repeat(200_000),
      `at (${':1'.repeat(200_000)}`,
      'at '.repeat(200_000),
      'a/b'.repeat(200_000),
      `${'\n    at x (y:1)'.repeat(20_000)}`,
    );
    expect(processorMs() - began).toBeLessThan(1000);
  });
});

describe('a stack trace', () => {
  it('of V8 never reaches a prompt [R3-LOOP-COMPACT-ERRORS] [V11.7]', () => {
    const error = new Error('It broke.');
    const nested = new Error(`Outer: ${error.stack}`);
    for (const text of [error.stack, nested.stack]) {
      expect(text).toMatch(/\n\s+at /);
      expect(withoutStack(text ?? '')).not.toMatch(/^\s*at /m);
    }
    expect(withoutStack('Error: x\n    at async Promise.all (index 0)\n    at new Foo (file:///a/b.js:1:2)')).toBe(
      'Error: x',
    );
    expect(withoutStack('Error: x\n    at <anonymous>\n    at file:///a/b.js:10:3\n    at f (native)')).toBe(
      'Error: x',
    );
  });

  it('of the JVM and of Python does not either [R3-LOOP-COMPACT-ERRORS]', () => {
    expect(
      withoutStack('java.io.IOException: gone\n\tat com.acme.Main.run(Main.java:12)\n\tat Main.main(Main.java:3)'),
    ).toBe('java.io.IOException: gone');
    const python = [
      'Traceback (most recent call last):',
      '  File "/a/b.py", line 3, in <module>',
      '    main()',
      '  File "/a/b.py", line 9, in main',
      '    raise ValueError("bad")',
      'ValueError: bad',
    ].join('\n');
    expect(withoutStack(python)).toBe('ValueError: bad');
  });

  it('is told from sentences that only begin like one', () => {
    const text = 'Choose a size:\n  at least one (of these)\n  at most three\nat home';
    expect(withoutStack(text)).toBe(text);
  });
});
