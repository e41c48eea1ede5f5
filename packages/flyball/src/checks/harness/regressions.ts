import type { Baseline, TestFailure } from '../contracts.js';
import { failureFrom } from './failure.js';
import type { ParsedReport } from './report.js';

export interface Comparison {
  readonly failures: readonly TestFailure[];
  readonly failed: number;
  readonly skipped: number;
  readonly regressions: readonly string[];
}

/**
 * Compares with earlier runs. A test that passed then and fails now is a regression. One that was seen and is removed or
 * skipped now counts as failed and stands among the failures, whether it passed before or not: taking a failing test
 * away is the cheapest way to stop it from failing, and nothing that only looks at counts may let that pass.
 */
export function compareWith(baseline: Baseline, report: ParsedReport): Comparison {
  const { failures, failed, skipped } = report;
  if (report.problem !== undefined) return { failures, failed, skipped, regressions: [] };
  const failing = new Set(failures.map(({ test }) => test));
  const passed = new Set(baseline.passing);
  const { gone, switchedOff } = missingFrom(report, [...new Set([...baseline.passing, ...baseline.known])]);
  const before = (test: string): string => (passed.has(test) ? 'passed' : 'failed');
  const lost = [
    ...gone.map((test) => vanished(test, `The test ${before(test)} before and is no longer in the report.`)),
    ...switchedOff.map((test) => vanished(test, `The test ${before(test)} before and is skipped now.`)),
  ];
  const unnamed = Math.max(0, (baseline.ran ?? 0) - testsIn(report) - lost.length);
  const wasLost = new Set(lost.map(({ test }) => test));
  return {
    failures: [...failures, ...lost, ...(unnamed === 0 ? [] : [fewer(unnamed)])],
    failed: failed + lost.length + unnamed,
    skipped: skipped - switchedOff.length,
    regressions: [...passed].filter((name) => failing.has(name) || wasLost.has(name)),
  };
}

/** How many tests ran; what failed around them is none. */
export function testsIn({ passed, failed, around }: ParsedReport): number {
  return passed + failed - around.length;
}

function missingFrom(
  { failures, failed, passing, passed, skippedTests }: ParsedReport,
  before: readonly string[],
): { readonly gone: readonly string[]; readonly switchedOff: readonly string[] } {
  const isSkipped = new Set(skippedTests);
  const isThere = new Set([...passing, ...failures.map(({ test }) => test), ...skippedTests]);
  // where the report does not name all that passed, absence says nothing
  const namesAll = passing.length === passed && failures.length === failed;
  return {
    gone: namesAll ? before.filter((name) => !isThere.has(name)) : [],
    switchedOff: before.filter((name) => isSkipped.has(name)),
  };
}

/** Which ones is not known; that they are missing is. */
function fewer(count: number): TestFailure {
  return vanished('tests without a name', `${count} fewer tests ran than before, and the report does not name them.`);
}

/** The error type of a test that ran before and does not run now. */
export const TEST_VANISHED = 'TestVanished';

function vanished(test: string, message: string): TestFailure {
  return { ...failureFrom({ test, text: message }), test, errorType: TEST_VANISHED };
}
