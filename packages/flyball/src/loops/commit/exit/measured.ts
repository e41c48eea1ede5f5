import type { VerificationVerdict } from '../../../checks/contracts.js';

/** Why one of these levels was not run although it should have been. What nobody asked for is not listed. */
export function whySkipped({ skipped }: VerificationVerdict, isMeant: (level: string) => boolean): string | undefined {
  return skipped.find(({ level }) => isMeant(level))?.why;
}

/** Why a level that was asked for could not be had; undefined where it was, or where it does not apply. */
export function whyUnmet({ skipped }: VerificationVerdict, wanted: string): string | undefined {
  return skipped.find(({ level, unmet }) => level === wanted && unmet === true)?.why;
}

/** What the tests say: nothing where there are none, and nothing good where they could not be run. */
export type TestsRun =
  | { readonly ran: 'none' }
  | { readonly ran: 'some'; readonly rate: number; readonly problem?: string };

/**
 * Tests that were to be run and were not, a command that could not be run, or one that ran no test at all, are no pass:
 * otherwise deleting the tests would be the cheapest repair.
 */
export function testsOf(verdict: VerificationVerdict): TestsRun {
  const { tests, testPassRate } = verdict;
  const problem = problemWith(verdict);
  if (problem !== undefined) return { ran: 'some', rate: 0, problem };
  return tests.length === 0 ? { ran: 'none' } : { ran: 'some', rate: testPassRate };
}

function problemWith(verdict: VerificationVerdict): string | undefined {
  const broken = verdict.tests.find(({ problem }) => problem !== undefined);
  if (broken !== undefined) return `${broken.command}: ${broken.problem}`;
  const isEmpty = verdict.tests.length > 0 && verdict.tests.every(({ passed, failed }) => passed + failed === 0);
  return isEmpty
    ? 'the test commands ran no test'
    : whySkipped(verdict, (level) => level === 'tests' || level.startsWith('test:'));
}
