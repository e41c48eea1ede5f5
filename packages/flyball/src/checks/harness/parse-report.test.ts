import { describe, expect, it } from 'vitest';
import { RECORDED, recorded, textOf } from '../../../../../test/harness/recorded.js';
import { parseTestReport } from './parse-report.js';
import type { ParsedReport } from './report.js';

type Name = keyof typeof RECORDED;
const NAMES = Object.keys(RECORDED) as Name[];

function read(name: Name): ParsedReport {
  const { format, input } = recorded(name);
  return parseTestReport(format, input);
}

function failure(report: ParsedReport, name: string) {
  const found = report.failures.find(({ test }) => test.endsWith(name));
  if (found === undefined) throw new Error(`No failure ${name} in ${report.failures.map(({ test }) => test)}`);
  return found;
}

describe('recorded reports', () => {
  it.each([
    ['node24-tap', 3, 5, 2],
    ['node24-junit', 3, 5, 2],
    ['node24-spec', 3, 5, 2],
    ['node24-edges-tap', 2, 10, 2],
    ['node24-edges-junit', 3, 8, 2],
    ['vitest-json', 2, 6, 2],
    ['vitest-junit', 2, 6, 2],
    ['vitest-tap', 2, 6, 2],
    ['jest-json-written-by-hand', 1, 4, 2],
    ['jest-junit-written-by-hand', 1, 1, 1],
    ['tap14-written-by-hand', 2, 1, 2],
    ['pytest-quiet', 4, 7, 2],
    ['pytest-verbose', 4, 7, 2],
    ['pytest-short', 4, 7, 2],
    ['pytest-native', 4, 7, 2],
    ['pytest-junit', 4, 7, 2],
    ['pytest-edges-verbose', 0, 5, 0],
    ['pytest-edges-junit', 0, 5, 0],
    ['pytest-collection', 0, 2, 0],
  ] as const)('%s is counted exactly [R4-VERIFY-PARSERS]', (name, passed, failed, skipped) => {
    const report = read(name);
    expect(report.problem).toBeUndefined();
    expect(report).toMatchObject({ passed, failed, skipped });
    expect(report.failures).toHaveLength(failed);
    if (name !== 'pytest-quiet') expect(report.passing).toHaveLength(passed);
  });

  it.each(NAMES)('%s is recognized by itself [R4-VERIFY-PARSERS]', (name) => {
    const { format, input } = recorded(name);
    const found = parseTestReport('auto', input);
    expect(found).toEqual(parseTestReport(format, input));
    const around = { ...input, stdout: `\n> shop@1.0.0 test\n> run the tests\n\n${input.stdout}\n` };
    expect(parseTestReport('auto', around).passed).toBe(found.passed);
  });

  it.each([
    ['node24-tap', 'total > throws from inside', 'lib/price.mjs', 2, 'total'],
    ['node24-junit', 'total > throws from inside', 'lib/price.mjs', 2, 'total'],
    ['node24-spec', 'total > throws from inside', 'lib/price.mjs', 2, 'total'],
    ['vitest-json', 'total > throws from inside', 'lib/price.mjs', 2, 'total'],
    ['vitest-junit', 'total > throws from inside', 'lib/price.mjs', 2, 'total'],
    ['jest-json-written-by-hand', 'total > throws from inside', 'lib/price.js', 2, 'total'],
    ['pytest-verbose', 'test_typeerror', 'shop/price.py', 3, 'total'],
    ['pytest-short', 'test_typeerror', 'shop/price.py', 3, 'total'],
    ['pytest-native', 'test_typeerror', 'shop/price.py', 3, 'total'],
    ['pytest-junit', 'test_typeerror', 'shop/price.py', 3, 'total'],
  ] as const)(
    '%s gives function, line and type of an error in the code [R4-VERIFY-STACK]',
    (name, test, file, line, inside) => {
      const found = failure(read(name), test);
      expect(found).toMatchObject({ errorType: 'TypeError', message: 'lines is no list: nothing' });
      expect(found.at).toMatchObject({ file, line, function: inside });
      expect(found.stack.length).toBeGreaterThan(1);
    },
  );

  it('vitest-tap gives the place of an error, which is all that it says', () => {
    expect(failure(read('vitest-tap'), 'total > throws from inside').at).toEqual({
      file: 'lib/price.mjs',
      line: 2,
      column: 36,
    });
  });

  it.each([
    ['node24-tap', 'total > is wrong # about <this>', 'test/price.test.mjs'],
    ['node24-junit', 'total > is wrong # about <this>', 'test/price.test.mjs'],
    ['node24-spec', 'total > is wrong # about <this>', 'test/price.test.mjs'],
    ['vitest-json', 'total > is wrong', 'vitest/price.test.mjs'],
    ['vitest-junit', 'total > is wrong', 'vitest/price.test.mjs'],
    ['vitest-tap', 'total > is wrong', 'vitest/price.test.mjs'],
    ['jest-json-written-by-hand', 'total > is wrong', 'test/price.test.js'],
    ['jest-junit-written-by-hand', 'total is wrong', 'test/price.test.js'],
    ['pytest-quiet', 'test_is_wrong', 'tests/test_price.py'],
    ['pytest-verbose', 'test_is_wrong', 'tests/test_price.py'],
    ['pytest-short', 'test_is_wrong', 'tests/test_price.py'],
    ['pytest-native', 'test_is_wrong', 'tests/test_price.py'],
    ['pytest-junit', 'test_is_wrong', 'tests/test_price.py'],
  ] as const)(
    '%s gives expected and actual value of %s, and the line of the test [R4-VERIFY-STACK]',
    (name, test, file) => {
      const found = failure(read(name), test);
      expect(found).toMatchObject({ expected: '7', actual: '6', file });
      expect(found.at?.file).toBe(file);
    },
  );

  it.each([
    ['node24-tap', 'a: 1\nlist:\n  0: 1\n  1: 3'],
    ['node24-spec', '{ a: 1, list: [ 1, 3 ] }'],
    ['node24-junit', '{\n  a: 1,\n  list: [\n    1,\n    3\n  ]\n}'],
    ['vitest-json', '{ a: 1, list: [ 1, 3 ] }'],
    ['vitest-junit', '{\n  "a": 1,\n  "list": [\n    1,\n    3,\n  ],\n}'],
    ['vitest-tap', '{\n  "a": 1,\n  "list": [\n    1,\n    3,\n  ],\n}'],
    ['pytest-verbose', "{'a': 1, 'list': [1, 3]}"],
  ] as const)('%s gives values that go over several lines', (name, expected) => {
    const found = read(name).failures.find(({ test }) => /compares|test_lists/.test(test));
    expect(found?.expected).toBe(expected);
  });

  it.each(['pytest-quiet', 'pytest-verbose', 'pytest-junit'] as const)(
    '%s shows what the failing call was given [R4-VERIFY-STACK]',
    (name) => {
      expect(failure(read(name), 'test_by_zero').inputs).toEqual(['a = 1', 'b = 0']);
      expect(failure(read(name), 'test_is_wrong').inputs).toEqual(["6 = total([{'amount': 3, 'price': 2}])"]);
      expect(failure(read(name), 'test_typeerror').inputs).toEqual(["lines = 'nothing'"]);
    },
  );

  it('names tests by their whole path, and by their file where it is known [R4-VERIFY-PARSERS]', () => {
    expect(read('node24-tap').passing).toEqual(['total > adds up', 'top passes', 'with subtests > inner']);
    expect(read('vitest-json').passing).toEqual([
      'vitest/price.test.mjs > total > adds up',
      'vitest/price.test.mjs > each 1',
    ]);
    expect(read('vitest-junit').passing).toEqual(read('vitest-json').passing);
    expect(read('vitest-tap').passing).toEqual(read('vitest-json').passing);
    expect(read('pytest-short').passing).toEqual(read('pytest-verbose').passing);
    expect(read('pytest-verbose').passing).toContain('tests/test_price.py::TestRatio::test_pairs[1-1]');
    expect(failure(read('pytest-verbose'), 'test_pairs[x - y-1]').actual).toBe("'x - y'");
  });
});

describe('reports of what went wrong around tests', () => {
  it('a file that cannot be loaded is a failure with its reason [R4-VERIFY-PARSERS]', () => {
    const absent = 'Cannot find module';
    expect(failure(read('vitest-json'), 'vitest/broken.test.mjs').message).toContain(absent);
    expect(failure(read('jest-json-written-by-hand'), 'test/broken.test.js').message).toContain(absent);
    expect(failure(read('node24-edges-tap'), 'edges/broken.test.mjs').message).toContain(absent);
    expect(failure(read('pytest-collection'), 'test_import.py')).toMatchObject({
      errorType: 'ModuleNotFoundError',
      at: { file: 'test_import.py', line: 1 },
    });
  });

  it('a syntax error leads to its line [R4-VERIFY-STACK]', () => {
    expect(failure(read('node24-edges-tap'), 'edges/syntax.test.mjs')).toMatchObject({
      errorType: 'SyntaxError',
      message: "Unexpected token ';'",
      at: { file: 'lib/syntax.mjs', line: 1 },
    });
    expect(failure(read('pytest-collection'), 'test_broken.py')).toMatchObject({
      errorType: 'SyntaxError',
      at: { file: 'test_broken.py', line: 1 },
    });
  });

  it('hooks, timeouts and parents that fail by themselves are failures; an empty suite is no pass [R4-VERIFY-PARSERS]', () => {
    const report = read('node24-edges-tap');
    expect(report.passing).toEqual(['twice', 'parent by itself > child']);
    expect(failure(report, 'hook').message).toBe('no before');
    expect(failure(report, 'times out').message).toContain('timed out');
    expect(failure(report, 'parent by itself')).toMatchObject({ errorType: 'RangeError', message: 'own' });
    expect(failure(report, "it's a \\ name").message).toBe("C:\\Users it's");
    expect(failure(report, 'twice (2)').errorType).toBe('AssertionError');
    expect(report.skippedTests).toEqual(['skipped suite', 'to do and failing']);
  });

  it('the spec reporter counts an empty suite as passed: such a report is not believed', () => {
    const report = parseTestReport('auto', { stdout: textOf('node24-edges-spec'), exitCode: 1 });
    expect(report).toMatchObject({
      format: 'node-test-spec',
      passed: 0,
      problem: expect.stringContaining('counts 2 tests as passed, and 3'),
    });
    const without = textOf('node24-edges-spec')
      .replace(/^✔ empty.*\n/m, '')
      .replace('ℹ suites 3', 'ℹ suites 2');
    expect(parseTestReport('auto', { stdout: without, exitCode: 1 })).toMatchObject({ passed: 2, failed: 9 });
  });

  it('a test whose cleaning up fails has not passed, and what tests print is not read [R4-VERIFY-PARSERS]', () => {
    const report = read('pytest-edges-verbose');
    expect(report.passing).toEqual([]);
    expect(report.failures.map(({ test }) => test.replace('test_edges.py::', ''))).toEqual(
      expect.arrayContaining([
        'test_passes_untidily',
        'test_fails_untidily',
        'test_fails_untidily (2)',
        'test_prints',
        'test_chain',
      ]),
    );
    expect(failure(report, 'test_chain')).toMatchObject({ errorType: 'KeyError', at: { line: 29 } });
    expect(failure(report, '::test_fails_untidily').message).toBe('assert 0');
  });

  it('a diagnostic of TAP 14 is read, names or not', () => {
    const report = read('tap14-written-by-hand');
    expect(report.passing).toEqual(['parser > reads', 'test 5']);
    expect(report.failures).toEqual([
      {
        test: 'parser > writes',
        message: 'it wrote nothing',
        expected: "a 'b' c",
        actual: '',
        stack: [{ file: 'lib/writer.js', line: 10, column: 3 }],
        at: { file: 'lib/writer.js', line: 10, column: 3 },
      },
    ]);
  });
});

describe('reports that are not believed', () => {
  const green = (format: 'tap' | 'junit' | 'vitest-json' | 'pytest') =>
    ({
      tap: 'TAP version 13\nok 1 - a\nok 2 - b\n1..2\n',
      junit: '<testsuites><testsuite name="s"><testcase name="a"/><testcase name="b"/></testsuite></testsuites>',
      'vitest-json': JSON.stringify({
        numPassedTests: 2,
        numFailedTests: 0,
        testResults: [
          {
            name: 'x',
            status: 'passed',
            assertionResults: [
              { title: 'a', status: 'passed' },
              { title: 'b', status: 'passed' },
            ],
          },
        ],
      }),
      pytest: 'a.py::a PASSED\na.py::b PASSED\n\n2 passed in 0.01s\n',
    })[format];
  const FORMATS = ['tap', 'junit', 'vitest-json', 'pytest'] as const;

  it.each(FORMATS)('%s: all passed and exit code 0 is a pass, any other end is none [R4-VERIFY-TESTS]', (format) => {
    expect(parseTestReport(format, { stdout: green(format), exitCode: 0 })).toMatchObject({ passed: 2, failed: 0 });
    for (const exitCode of [1, 255, null]) {
      const report = parseTestReport(format, { stdout: green(format), stderr: 'Segmentation fault', exitCode });
      expect(report).toMatchObject({
        passed: 0,
        passing: [],
        problem: expect.stringMatching(/no test failed, but.*Segmentation/),
      });
    }
  });

  it.each(FORMATS)('%s: every beginning of a report is no report [R4-VERIFY-PARSERS]', (format) => {
    const text = green(format);
    const whole = text.trimEnd().length;
    for (let end = 0; end < whole; end++) {
      const report = parseTestReport(format, { stdout: text.slice(0, end), exitCode: 0 });
      expect({ end, passed: report.passed }).toEqual({ end, passed: 0 });
      expect(report.problem).toBeDefined();
    }
  });

  it.each([
    ['tap', 'TAP version 13\n1..0 # skip nothing here\n', 'ran no tests'],
    ['tap', 'TAP version 13\nok 1 - a # SKIP\n1..1\n', 'skipped'],
    ['tap', 'TAP version 13\nok 1 - a\n1..2\n', '2 tests were planned, and 1 reported'],
    ['tap', 'TAP version 13\nok 1 - a\nBail out! no database\n1..1\n', 'bailed out: no database'],
    ['tap', 'TAP version 13\nok 1 - a\n1..1\n1..1\n', 'two plans'],
    ['tap', 'TAP version 13\nok 1 - a\n    ok 1 - b\n1..1\n', 'within a subtest'],
    ['tap', 'TAP version 13\nok 1 - a\n1..1\n# fail 1\n', 'counts 1 failed'],
    ['junit', '<testsuites/>', 'ran no tests'],
    ['junit', '<html/>', 'not a test report'],
    ['junit', '<testsuite failures="1"><testcase name="a"/></testsuite>', 'counts 1 failed'],
    ['vitest-json', '{"testResults":[]}', 'ran no tests'],
    ['vitest-json', '{}', 'no complete JSON'],
    ['vitest-json', '{"wasInterrupted":true,"testResults":[]}', 'interrupted'],
    [
      'vitest-json',
      '{"testResults":[{"name":"x","assertionResults":[{"title":"a","status":"fine"}]}]}',
      "unknown status 'fine'",
    ],
    [
      'vitest-json',
      '{"testResults":[{"name":"x","assertionResults":[{"title":"a","status":"toString"}]}]}',
      'unknown status',
    ],
    [
      'vitest-json',
      '{"numPassedTests":2,"testResults":[{"name":"x","assertionResults":[{"title":"a","status":"passed"}]}]}',
      'counts 2 tests as passed',
    ],
    ['vitest-json', '{"testResults":[7]}', 'not an object'],
    ['pytest', 'no tests ran in 0.01s', 'ran no tests'],
    ['pytest', 'a.py::a PASSED\na.py::b PASSED\n1 passed in 0.01s', 'more tests than'],
    ['node-test-spec', '✔ a (1ms)\nℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\n', 'counts 2 tests, and 1'],
    ['node-test-spec', '▶ a\n  ✔ b (1ms)\nℹ tests 1\nℹ pass 1\n', 'no end'],
    ['node-test-spec', '✔ a (1ms)\n', 'before its summary'],
    ['auto', 'All good!\n', 'no known format'],
    ['auto', '', 'no known format'],
    ['tap', ' \n', 'empty'],
  ] as const)('%s %j is a problem [R4-VERIFY-TESTS]', (format, stdout, problem) => {
    const report = parseTestReport(format, { stdout, exitCode: 0 });
    expect(report).toMatchObject({
      passed: 0,
      failed: 0,
      failures: [],
      passing: [],
      problem: expect.stringContaining(problem),
    });
  });

  it('takes the report from its file, and not from what was printed', () => {
    const input = { stdout: green('tap'), file: '<testsuites/>', exitCode: 0 };
    expect(parseTestReport('auto', input)).toMatchObject({ format: 'junit', passed: 0 });
  });
});
