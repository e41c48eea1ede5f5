import type { TestFailure } from '../contracts.js';

export const TEST_FORMATS = [
  'vitest-json',
  'jest-json',
  'tap',
  'node-test-tap',
  'node-test-spec',
  'junit',
  'pytest',
] as const;
/** The format of a test report. */
export type TestFormat = (typeof TEST_FORMATS)[number];

/** What a test command left behind. */
export interface ReportText {
  readonly stdout: string;
  readonly stderr?: string;
  /** The report where it was written to a file; stdout is not looked at then. */
  readonly file?: string;
  /** Null where it did not end by itself. */
  readonly exitCode: number | null;
  /** Files under it get names relative to it. */
  readonly cwd?: string;
}

/** One test, as a reader of a format found it. */
export type ReadTest =
  | { readonly outcome: 'passed' | 'skipped'; readonly name: string }
  | {
      readonly outcome: 'failed';
      readonly name: string;
      readonly failure: TestFailure;
      /** No test, but what stands around some: a file that was not loaded, a hook. Once it is well nothing names it. */
      readonly isAround?: boolean;
    };

/** What a reader of a format made of the text, before anything is believed. */
export interface ReadReport {
  readonly tests: readonly ReadTest[];
  /** Where the format counts tests that it does not name. */
  readonly counts?: TestCounts;
  readonly problem?: string;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A report that was read. With a `problem` it says nothing about the code: no passes, no failures. */
export interface ParsedReport extends TestCounts {
  readonly format?: TestFormat;
  readonly failures: readonly TestFailure[];
  /** Names of the tests that passed; fewer than `passed` where the format does not name them all. */
  readonly passing: readonly string[];
  readonly skippedTests: readonly string[];
  /** Which of the failures are no tests: nobody misses them later. */
  readonly around: readonly string[];
  readonly problem?: string;
  /** With a problem that is none of the code. */
  readonly blocked?: true;
}

export function unreadable(problem: string): ReadReport {
  return { tests: [], problem };
}
