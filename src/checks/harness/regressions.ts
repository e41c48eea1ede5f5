import type { TestFailure } from '../contracts.js';
import { failureFrom } from './failure.js';
import type { ParsedReport } from './report.js';

export interface Comparison {
  readonly failures: readonly TestFailure[];
  readonly failed: number;
  readonly skipped: number;
  readonly regressions: readonly string[];
}

/**
 * Compares with the tests that passed before. One that fails now is a regression, and so is one that was removed or
 * skipped: deleting a test is the cheapest way to stop it from failing. Such a test counts as failed and stands among
 * the failures, so that nothing which only looks at counts lets it pass.
 */
export function compareWith(baseline: readonly string[], report: ParsedReport): Comparison {
  const { failures, failed, skipped } = report;
  if (report.problem !== undefined || baseline.length === 0) return { failures, failed, skipped, regressions: [] };
  const failing = new Set(failures.map(({ test }) => test));
  const isSkipped = new Set(report.skippedTests);
  const isThere = new Set([...report.passing, ...failing, ...isSkipped]);
  // where the report does not name all that passed, absence says nothing
  const namesAll = report.passing.length === report.passed && failures.length === failed;
  const before = [...new Set(baseline)];
  const switchedOff = before.filter((name) => isSkipped.has(name));
  const gone = namesAll ? before.filter((name) => !isThere.has(name)) : [];
  const lost = [
    ...gone.map((test) => failureOf(test, 'The test passed before and is not in the report any more.')),
    ...switchedOff.map((test) => failureOf(test, 'The test passed before and is skipped now.')),
  ];
  const wasLost = new Set(lost.map(({ test }) => test));
  return {
    failures: [...failures, ...lost],
    failed: failed + lost.length,
    skipped: skipped - switchedOff.length,
    regressions: before.filter((name) => failing.has(name) || wasLost.has(name)),
  };
}

function failureOf(test: string, message: string): TestFailure {
  return { ...failureFrom({ test, text: message }), test, errorType: 'TestVanished' };
}
