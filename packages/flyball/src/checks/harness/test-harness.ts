import { isAbsolute } from 'node:path';
import { sha256 } from '../../core/canonical.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { type Mount, SANDBOX_LIMITS, type Sandbox, type SandboxLimits } from '../../ports/sandbox.js';
import type { Baseline, TestFailure, TestHarness, TestLevel, TestReport } from '../contracts.js';
import { shortened } from './failure-text.js';
import { compareWith, testsIn } from './regressions.js';
import type { ParsedReport, TestFormat } from './report.js';
import { TEST_FORMATS } from './report.js';
import { removeReport, runTestJob, SIDE_COMMAND_MS, type TestJob } from './test-job.js';
import { TEST_TRIGGERS } from './triggers.js';

/** How tests are run. */
export interface TestHarnessOptions {
  readonly level: TestLevel;
  readonly sandbox: Sandbox;
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  /** Absolute. Files under it are named relative to it in failures. */
  readonly cwd: string;
  /** `cwd`, read-only, where it is absent. */
  readonly mounts?: readonly Mount[];
  readonly env?: Readonly<Record<string, string>>;
  readonly network?: 'none' | 'host';
  readonly limits?: Partial<SandboxLimits>;
  readonly format: TestFormat | 'auto';
  /**
   * Where the command writes its report, in a read-write mount; relative to `cwd`. It belongs to the harness: removed
   * before each run and when the run is rolled back. Without it the report is on stdout.
   */
  readonly reportFile?: string;
  /** Of the journaled step. */
  readonly name?: string;
}

/** Test runners need more of everything than a single program, and print whole reports. */
export const TEST_LIMITS: SandboxLimits = {
  ...SANDBOX_LIMITS,
  wallMs: 120_000,
  cpuS: 240,
  memoryMb: 2048,
  processes: 256,
  diskMb: 2048,
  outputBytes: 4 * 1024 * 1024,
};

/** What a report may take of the journal. Counts and the comparison are made before anything is left out. */
export const REPORT_CAPS = { failures: 50, names: 5000, command: 500 } as const;

/** The sandbox ends a command first, so that the report says which limit it was. */
const MARGIN_MS = 5000;

/**
 * Runs a test command in the sandbox as one journaled step. A crash runs it again, a replay takes what it reported.
 * Whatever it writes into read-write mounts, beside the report file, is not undone: grant as little as it needs.
 */
export function testHarness(options: TestHarnessOptions): TestHarness {
  const job = jobFrom(options);
  const command = commandName(options.command);
  const name = options.name ?? `tests:${options.level}`;
  const named = { level: options.level, command, cwd: options.cwd };
  const empty: TestReport = { ...named, ...zero(), ms: 0 };
  return {
    ...named,
    runTests: (run, baseline) =>
      orProblem(empty, () =>
        run.step(
          name,
          { level: options.level, command: [...options.command], cwd: options.cwd, format: options.format },
          async (_input, how): Promise<TestReport> => {
            const { report, ms } = await runTestJob(job, how);
            return boundedReport({ ...named, ms }, report, baseline);
          },
          {
            class: 'idempotent',
            timeoutMs: job.limits.wallMs + 2 * SIDE_COMMAND_MS + MARGIN_MS,
            compensate: async (_input, _result, how) => {
              if (job.reportFile !== undefined) await removeReport(job, how.signal);
            },
            simulate: () => ({ ...empty, problem: 'the tests were not run: this run is a simulation', blocked: true }),
          },
        ),
      ),
  };
}

/** Two commands that begin alike stay two when they are cut. */
function commandName(words: readonly string[]): string {
  const text = words.join(' ');
  const { command: max } = REPORT_CAPS;
  return text.length <= max ? text : `${shortened(text, max)} ${sha256(text).slice(0, 12)}`;
}

/** A sandbox that never came back is a problem of the report too; every other failure is the run's. */
async function orProblem(empty: TestReport, body: () => ReturnType<TestHarness['runTests']>): Promise<TestReport> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof FlyballError) || error.code !== 'EFFECT_TIMEOUT') throw error;
    return { ...empty, problem: `the sandbox did not end the command: ${error.message}`, blocked: true };
  }
}

function jobFrom(options: TestHarnessOptions): TestJob {
  const [program] = options.command;
  if (!Object.hasOwn(TEST_TRIGGERS, options.level)) throw new ConfigError(`There is no test level '${options.level}'.`);
  if (program === undefined || program === '') throw new ConfigError('A test command begins with a program.');
  if (!isAbsolute(options.cwd)) throw new ConfigError(`cwd must be an absolute path, got '${options.cwd}'.`);
  if (options.format !== 'auto' && !TEST_FORMATS.includes(options.format))
    throw new ConfigError(`format must be auto or one of ${TEST_FORMATS.join(', ')}, got '${options.format}'.`);
  const limits = { ...TEST_LIMITS, ...options.limits };
  for (const [limit, value] of Object.entries(limits))
    if (!(Number.isFinite(value) && value > 0)) throw new ConfigError(`Limit ${limit} must be above 0, got ${value}.`);
  return {
    sandbox: options.sandbox,
    command: [...options.command],
    cwd: options.cwd,
    mounts: options.mounts ?? [{ path: options.cwd, access: 'read-only' }],
    env: options.env ?? {},
    network: options.network ?? 'none',
    limits,
    format: options.format,
    ...(options.reportFile === undefined ? {} : { reportFile: options.reportFile }),
  };
}

function zero(): Omit<TestReport, 'level' | 'command' | 'cwd' | 'ms'> {
  return { passed: 0, failed: 0, skipped: 0, failures: [], passing: [], known: [], regressions: [] };
}

/** The report as the journal keeps it. */
export function boundedReport(
  base: Pick<TestReport, 'level' | 'command' | 'cwd' | 'ms'>,
  report: ParsedReport,
  baseline: Baseline,
): TestReport {
  if (report.problem !== undefined)
    return { ...base, ...zero(), problem: report.problem, ...(report.blocked === true ? { blocked: true } : {}) };
  const compared = compareWith(baseline, report);
  const around = new Set(report.around);
  // where not all can be kept, those that failed are: they are what somebody may want to be rid of
  const names = [...report.failures.map(({ test }) => test).filter((test) => !around.has(test)), ...report.passing];
  const known = names.slice(0, REPORT_CAPS.names);
  const ran = testsIn(report);
  return {
    ...base,
    passed: report.passed,
    failed: compared.failed,
    skipped: compared.skipped,
    failures: worstFirst(compared.failures, [around, new Set(compared.regressions)]),
    passing: report.passing.slice(0, REPORT_CAPS.names),
    known,
    ...(known.length < ran ? { ran } : {}),
    regressions: compared.regressions.slice(0, REPORT_CAPS.names),
  };
}

/** Where not all can be kept, a file that was not loaded is, for it explains the others; regressions come next. */
function worstFirst(failures: readonly TestFailure[], worse: readonly ReadonlySet<string>[]): readonly TestFailure[] {
  if (failures.length <= REPORT_CAPS.failures) return failures;
  const rank = ({ test }: TestFailure) => worse.findIndex((names) => names.has(test)) >>> 0; // last where it is in none
  return failures.toSorted((a, b) => rank(a) - rank(b)).slice(0, REPORT_CAPS.failures);
}
