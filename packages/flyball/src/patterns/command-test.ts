import type { TestReport } from '../checks/contracts.js';
import { type TestHarnessOptions, testHarness } from '../checks/harness/test-harness.js';
import { callingNoModel } from '../core/use.js';
import { checkGiven } from '../kit/options.js';
import type { Test } from '../kit/tested.js';

/** How many failures are told. */
const MOST_TOLD = 3;

/** What `commandTest` is given: how a test command is run. */
export type CommandTestOptions = Omit<TestHarnessOptions, 'level' | 'format'> &
  Partial<Pick<TestHarnessOptions, 'level' | 'format'>>;

/** Passes a value when a test command passes, in a sandbox. Its score is the share of tests that passed. */
export function commandTest(options: CommandTestOptions): Test<unknown, unknown> {
  const { sandbox, command, cwd } = options;
  checkGiven('commandTest', { sandbox, command, cwd });
  const harness = testHarness({ level: 'unit', format: 'auto', ...options });
  return callingNoModel<Test<unknown, unknown>>(async (run) => {
    const report = await harness.runTests(run, { passing: [], known: [] });
    const { passed, failed } = report;
    const score = passed + failed === 0 ? 0 : passed / (passed + failed);
    return report.problem === undefined && failed === 0
      ? { ok: true, score }
      : { ok: false, because: why(report), score };
  });
}

function why({ problem, failed, failures }: TestReport): string {
  if (problem !== undefined) return problem;
  const told = failures.slice(0, MOST_TOLD).map(({ test, message }) => `${test}: ${message}`);
  return [`${failed} tests failed`, ...told].join('\n');
}
