import { describe, expect, it } from 'vitest';
import { textOf } from '../../../../../test/harness/recorded.js';
import { baselineOf, withReports } from '../baseline.js';
import type { Baseline } from '../contracts.js';
import { testName } from './failure.js';
import { parseTestReport } from './parse-report.js';
import { compareWith } from './regressions.js';
import { boundedReport, REPORT_CAPS } from './test-harness.js';

const tap = (...points: readonly string[]) =>
  parseTestReport('tap', { stdout: `TAP version 13\n${points.join('\n')}\n1..${points.length}\n`, exitCode: 0 });

const BASE = { level: 'unit', command: 'test', ms: 1 } as const;
const passed = (names: readonly string[]): Baseline => ({ passing: names, known: names });

describe('compareWith', () => {
  it('names a test that passed before and fails now [R4-VERIFY-REGRESSION]', () => {
    const compared = compareWith(
      passed(['adds', 'divides']),
      tap('ok 1 - adds', 'not ok 2 - divides', 'not ok 3 - new'),
    );
    expect(compared).toMatchObject({ regressions: ['divides'], failed: 2 });
  });

  it('counts a test that vanished as failed, and says so [R4-VERIFY-REGRESSION]', () => {
    const compared = compareWith(passed(['adds', 'divides']), tap('ok 1 - adds'));
    expect(compared).toMatchObject({ regressions: ['divides'], failed: 1 });
    expect(compared.failures).toEqual([
      expect.objectContaining({
        test: 'divides',
        errorType: 'TestVanished',
        message: expect.stringContaining('no longer in the report'),
      }),
    ]);
  });

  it('counts a test that was switched off as failed, once [R4-VERIFY-REGRESSION]', () => {
    const compared = compareWith(passed(['adds', 'divides']), tap('ok 1 - adds', 'ok 2 - divides # SKIP'));
    expect(compared).toMatchObject({ regressions: ['divides'], failed: 1, skipped: 0 });
    expect(compared.failures[0]?.message).toContain('skipped now');
  });

  it.each([
    ['was deleted', [], 'no longer in the report', 0],
    ['is skipped', ['ok 2 - divides # SKIP'], 'skipped now', 1],
    ['is still to be done', ['not ok 2 - divides # TODO'], 'skipped now', 1],
  ] as const)('counts a test as failed that failed before and %s [R4-VERIFY-REGRESSION]', (_, points, why, skipped) => {
    const seen = boundedReport(BASE, tap('ok 1 - adds', 'not ok 2 - divides'), passed([]));
    expect(seen).toMatchObject({ passing: ['adds'], known: ['divides', 'adds'] });
    const now = tap('ok 1 - adds', ...points);
    expect(now).toMatchObject({ failed: 0, skipped });
    const compared = compareWith(baselineOf(withReports({}, [seen]), seen), now);
    expect(compared).toMatchObject({ failed: 1, skipped: 0, regressions: [] });
    expect(compared.failures).toEqual([
      expect.objectContaining({ test: 'divides', errorType: 'TestVanished', message: expect.stringContaining(why) }),
    ]);
    expect(compared.failures[0]?.message).toContain('failed before');
  });

  it('finds nothing where all that passed still passes', () => {
    expect(compareWith(passed(['adds']), tap('ok 1 - adds', 'not ok 2 - new'))).toMatchObject({
      regressions: [],
      failed: 1,
    });
  });

  it('tells tests of one name apart by their order', () => {
    const first = tap('ok 1 - twice', 'ok 2 - twice', 'ok 3 - twice (2)');
    expect(first.passing).toEqual(['twice', 'twice (2)', 'twice (2) (2)']);
    expect(
      compareWith(passed(first.passing), tap('ok 1 - twice', 'not ok 2 - twice', 'ok 3 - twice (2)')).regressions,
    ).toEqual(['twice (2)']);
  });

  it('says nothing about a report that could not be read', () => {
    expect(compareWith(passed(['adds']), parseTestReport('tap', { stdout: 'ok 1', exitCode: 0 }))).toMatchObject({
      regressions: [],
      failed: 0,
    });
  });

  it('claims no absence where the report counts tests without naming them', () => {
    const quiet = parseTestReport('pytest', { stdout: '..\n2 passed in 0.01s\n', exitCode: 0 });
    expect(quiet).toMatchObject({ passed: 2, passing: [] });
    expect(compareWith(passed(['a.py::test_a']), quiet).regressions).toEqual([]);
  });
});

describe('what a report knows', () => {
  const quiet = (...lines: readonly string[]) =>
    parseTestReport('pytest', { stdout: `${lines.join('\n')}\n`, exitCode: 1 });
  const failing = quiet(
    '=================================== FAILURES ===================================',
    '=========================== short test summary info ============================',
    'FAILED a.py::test_b - assert 0',
    '1 failed, 2 passed in 0.01s',
  );

  it('holds the number of tests where it does not name them, so that one which is gone is missed [R4-VERIFY-REGRESSION]', () => {
    const seen = boundedReport(BASE, failing, passed([]));
    expect(seen).toMatchObject({ known: ['a.py::test_b'], ran: 3 });
    const baseline = baselineOf(withReports({}, [seen]), seen);
    const ended = (line: string) => parseTestReport('pytest', { stdout: `...\n${line}\n`, exitCode: 0 });
    expect(compareWith(baseline, ended('3 passed in 0.01s'))).toMatchObject({ failed: 0 });
    const removed = compareWith(baseline, ended('2 passed in 0.01s'));
    expect(removed).toMatchObject({ failed: 1, failures: [{ errorType: 'TestVanished' }] });
    expect(compareWith(baseline, ended('2 passed, 1 skipped in 0.01s'))).toMatchObject({ failed: 1 });
  });

  it.each([
    [
      'node24-edges-tap',
      '/tmp/shop',
      'tap',
      ['edges/broken.test.mjs', 'hook', 'parent by itself', 'edges/syntax.test.mjs'],
    ],
    ['node24-edges-junit', '/tmp/shop', 'junit', ['edges/broken.test.mjs', 'edges/syntax.test.mjs']],
    ['pytest-collection', '/tmp/shop/pybroken', 'pytest', ['test_broken.py', 'test_import.py']],
    ['pytest-edges-verbose', '/tmp/shop/pyedges', 'pytest', ['test_edges.py::test_fails_untidily (2)']],
    ['pytest-edges-junit', '/tmp/shop/pyedges', 'junit', ['test_edges > test_fails_untidily (2)']],
  ] as const)(
    'in %s is without what only failed around tests: nobody misses it when it is well [R4-VERIFY-REGRESSION]',
    (name, cwd, format, around) => {
      const report = parseTestReport(format, { stdout: textOf(name), exitCode: 1, cwd });
      expect(report.problem).toBeUndefined();
      expect(report.around).toEqual(around);
      const { known } = boundedReport(BASE, report, passed([]));
      expect(known).toHaveLength(report.passed + report.failed - around.length);
      for (const one of around) expect(known).not.toContain(one);
    },
  );
});

it('a group that fails by itself, in the report for people, is no test', () => {
  const tests = '▶ parent\n  ✔ child (1ms)\n✖ parent (2ms)\n✖ alone (1ms)\n';
  const totals = 'ℹ tests 3\nℹ suites 0\nℹ pass 1\nℹ fail 2\n';
  const report = parseTestReport('node-test-spec', { stdout: `${tests}${totals}`, exitCode: 1 });
  expect(report).toMatchObject({ passed: 1, failed: 2, around: ['parent'] });
});

it('names that are cut stay different, and the same in every run', () => {
  const [one, two] = [testName(`${'long '.repeat(200)}one`), testName(`${'long '.repeat(200)}two`)];
  expect(one).not.toBe(two);
  expect(one).toBe(testName(`${'long '.repeat(200)}one`));
  expect(one.length).toBeLessThan(320);
});

describe('a report for the journal', () => {
  it('is of bounded size, counts exactly and keeps the regressions [R4-VERIFY-REGRESSION]', () => {
    const names = Array.from({ length: 8000 }, (_, index) => `${'long '.repeat(200)}${index}`);
    const long = (message: string) =>
      `\n  ---\n  error: '${message}'\n  stack: |-\n${'    f (/a.js:1:2)\n'.repeat(100)}  ...`;
    const failing = names
      .slice(0, 200)
      .map((name, index) => `not ok ${index + 1} - bad ${name}${long('x'.repeat(5000))}`);
    const report = tap(...failing, ...names.map((name) => `ok - ${name}`));
    const last = report.failures.at(-1)?.test ?? '';
    const bounded = boundedReport(BASE, report, passed([last]));
    expect(bounded).toMatchObject({ passed: 8000, failed: 200, regressions: [last] });
    expect(bounded.failures).toHaveLength(REPORT_CAPS.failures);
    expect(bounded.failures[0]?.test).toBe(last);
    expect(bounded.passing).toHaveLength(REPORT_CAPS.names);
    expect(bounded.known).toHaveLength(REPORT_CAPS.names);
    expect(bounded.known).toContain(last);
    expect(bounded.ran).toBe(8200);
    expect(new Set(bounded.passing).size).toBe(REPORT_CAPS.names); // names that are cut stay different
    expect(JSON.stringify(bounded).length).toBeLessThan(3_500_000);
    expect(JSON.parse(JSON.stringify(bounded))).toEqual(bounded);
  });

  it('compares before it cuts: a test beyond the names that are kept has not vanished [R4-VERIFY-REGRESSION]', () => {
    const names = Array.from({ length: REPORT_CAPS.names + 10 }, (_, index) => `test ${index}`);
    const report = tap(...names.map((name) => `ok - ${name}`));
    expect(boundedReport(BASE, report, passed(names))).toMatchObject({ failed: 0, regressions: [] });
  });
});
