import { unreachable } from '../../core/errors.js';
import { detectFormat } from './detect-format.js';
import { FAILURE_CAPS, testName } from './failure.js';
import { plain, shortened } from './failure-text.js';
import { readJsonReport } from './json-report.js';
import { readJunitReport } from './junit-report.js';
import { readPytestReport } from './pytest-report.js';
import type { ParsedReport, ReadReport, ReadTest, ReportText, TestCounts, TestFormat } from './report.js';
import { unreadable } from './report.js';
import { isTestFile } from './source-file.js';
import { readSpecReport } from './spec-report.js';
import { readTapReport } from './tap-report.js';

/**
 * Invariants, whatever the text is:
 * 1. It never throws, and takes time in proportion to the text.
 * 2. A test passes only where the report says so and is whole; otherwise there is a `problem` and nothing passed.
 * 3. No tests, or none that ran, or a failing exit code over tests that all passed, is a `problem`.
 */
export function parseTestReport(format: TestFormat | 'auto', input: ReportText): ParsedReport {
  const text = input.file ?? input.stdout;
  const known = format === 'auto' ? detectFormat(text) : format;
  if (known === undefined) return problemReport(`no known format of a test report was recognized${quoted(input)}`);
  const read = readAs(known, text, input);
  const problem = read.problem === undefined ? doubt(read, input) : `${read.problem}${quoted(input)}`;
  return problem === undefined ? { format: known, ...summed(read) } : { format: known, ...problemReport(problem) };
}

export function problemReport(problem: string): ParsedReport {
  return {
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: [],
    passing: [],
    skippedTests: [],
    around: [],
    problem: shortened(problem, FAILURE_CAPS.message),
  };
}

/** The command did not get to run, or not to its end: nothing that the code could mend. */
export function blockedReport(problem: string): ParsedReport {
  return { ...problemReport(problem), blocked: true };
}

function readAs(format: TestFormat, text: string, input: ReportText): ReadReport {
  if (text.trim() === '') return unreadable('the report is empty');
  switch (format) {
    case 'vitest-json':
    case 'jest-json':
      return readJsonReport(text, input);
    case 'tap':
    case 'node-test-tap':
      return readTapReport(text, input);
    case 'node-test-spec':
      return readSpecReport(text, input);
    case 'junit':
      return readJunitReport(text, input);
    case 'pytest':
      return readPytestReport(text, input);
    default:
      return unreachable(format);
  }
}

/** Why a report that could be read is still not believed. */
function doubt(read: ReadReport, input: ReportText): string | undefined {
  const { passed, failed, skipped } = countsOf(read);
  if (passed + failed + skipped === 0) return `the command ran no tests${quoted(input)}`;
  if (passed + failed === 0) return `all ${skipped} tests were skipped`;
  if (failed === 0 && input.exitCode !== 0) {
    const ended = input.exitCode === null ? 'did not end by itself' : `ended with exit code ${input.exitCode}`;
    return `no test failed, but the command ${ended}${quoted(input)}`;
  }
  return undefined;
}

function countsOf({ tests, counts }: ReadReport): TestCounts {
  if (counts !== undefined) return counts;
  const count = (outcome: ReadTest['outcome']) => tests.filter((test) => test.outcome === outcome).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

function summed(read: ReadReport): Omit<ParsedReport, 'format' | 'problem'> {
  const tests = distinct(read.tests);
  const names = (outcome: ReadTest['outcome']) =>
    tests.filter((test) => test.outcome === outcome).map((test) => test.name);
  return {
    ...countsOf(read),
    failures: tests.flatMap((test) => (test.outcome === 'failed' ? [{ ...test.failure, test: test.name }] : [])),
    passing: names('passed'),
    skippedTests: names('skipped'),
    around: tests.filter(isAround).map(({ name }) => name),
  };
}

/** A file that fails as a whole is reported under its own name. */
function isAround(test: ReadTest): boolean {
  if (test.outcome !== 'failed') return false;
  return test.isAround === true || test.name === test.failure.file || isTestFile(test.name);
}

/** The second test of one name gets a number, in the order of the report: each is compared with itself later. */
function distinct(tests: readonly ReadTest[]): readonly ReadTest[] {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return tests.map((test) => {
    const base = testName(test.name);
    let nth = (counts.get(base) ?? 0) + 1;
    while (used.has(numbered(base, nth))) nth++;
    const name = numbered(base, nth);
    counts.set(base, nth);
    used.add(name);
    return { ...test, name };
  });
}

function numbered(name: string, nth: number): string {
  return nth === 1 ? name : `${name} (${nth})`;
}

/** The end of what the command said, for whoever has to find out why there is no report. */
function quoted({ stderr = '', stdout }: ReportText): string {
  const said = plain(stderr.trim() === '' ? stdout : stderr).trim();
  return said === '' ? '' : `. It said last: ${said.slice(-600)}`;
}
