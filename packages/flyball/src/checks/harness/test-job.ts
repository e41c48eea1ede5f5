import { resolve } from 'node:path';
import { failureOf, unreachable } from '../../core/errors.js';
import type { EffectContext } from '../../core/tool.js';
import type {
  Captured,
  Mount,
  Sandbox,
  SandboxEnd,
  SandboxJob,
  SandboxLimits,
  SandboxResult,
} from '../../ports/sandbox.js';
import { blockedReport, parseTestReport, problemReport } from './parse-report.js';
import type { ParsedReport, TestFormat } from './report.js';

/** A command that was asked to test something, ready to be run. */
export interface TestJob {
  readonly sandbox: Sandbox;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  readonly network: 'none' | 'host';
  readonly limits: SandboxLimits;
  readonly format: TestFormat | 'auto';
  readonly reportFile?: string;
}

export interface TestRun {
  readonly report: ParsedReport;
  readonly ms: number;
}

/** For the two small commands around the tests. */
export const SIDE_COMMAND_MS = 10_000;

/**
 * Runs the command and reads its report. Whatever keeps it from being read is a problem of the report; only an abort
 * rises, because then nobody waits for a report any more.
 */
export async function runTestJob(job: TestJob, { signal }: Pick<EffectContext, 'signal'>): Promise<TestRun> {
  try {
    // the report of an earlier run would pass for the report of this one
    if (job.reportFile !== undefined) await removeReport(job, signal);
    const result = await job.sandbox.run({ ...jobOf(job), stages: [job.command] }, { signal });
    signal.throwIfAborted();
    const report = stopped(result.end) ?? (await reportOf(job, result, signal));
    return { report, ms: Math.round(result.usage.wallMs) };
  } catch (error) {
    signal.throwIfAborted();
    return { report: blockedReport(`the tests could not be run: ${failureOf(error).message}`), ms: 0 };
  }
}

export async function removeReport(job: TestJob, signal: AbortSignal): Promise<void> {
  const { end, stderr } = await sideCommand(job, ['rm', '-f', '--', pathOf(job)], signal);
  if (end.how !== 'exit' || end.code !== 0)
    throw new Error(`the old report ${pathOf(job)} cannot be removed: ${stderr.head.trim()}`);
}

function sideCommand(job: TestJob, words: readonly string[], signal: AbortSignal): Promise<SandboxResult> {
  const limits = { ...job.limits, wallMs: SIDE_COMMAND_MS };
  return job.sandbox.run({ ...jobOf(job), stages: [words], limits }, { signal });
}

function pathOf({ cwd, reportFile = '' }: TestJob): string {
  return resolve(cwd, reportFile);
}

function jobOf({ cwd, mounts, env, network, limits }: TestJob): Omit<SandboxJob, 'stages'> {
  return { cwd, mounts, env, network, limits };
}

/** Undefined where the command ended by itself. */
function stopped(end: SandboxEnd): ParsedReport | undefined {
  switch (end.how) {
    case 'exit':
      return undefined;
    case 'signal':
      return problemReport(`the command was ended by ${end.signal}`);
    case 'not-started':
      return blockedReport(`the command could not be started: ${end.because}`);
    case 'limit':
      return blockedReport(`the command reached the limit ${end.limit} of ${end.allowed} and was killed`);
    case 'aborted':
      return blockedReport('the command was aborted');
    case 'planted':
      return blockedReport(`the command left a Git repository, which was renamed to ${end.aside.join(', ')}`);
    default:
      return unreachable(end);
  }
}

async function reportOf(job: TestJob, result: SandboxResult, signal: AbortSignal): Promise<ParsedReport> {
  const exitCode = result.end.how === 'exit' ? result.end.code : null;
  const stderr = `${result.stderr.head}${result.stderr.tail}`;
  const common = { stderr, exitCode, cwd: job.cwd };
  if (job.reportFile === undefined)
    return notFound(
      cutShort(result.stdout) ?? parseTestReport(job.format, { ...common, stdout: result.stdout.head }),
      exitCode,
    );
  const read = await sideCommand(job, ['cat', '--', pathOf(job)], signal);
  signal.throwIfAborted();
  const stdout = `${result.stdout.head}${result.stdout.tail}`;
  if (read.end.how !== 'exit' || read.end.code !== 0) {
    const said = (stderr.trim() || stdout.trim()).slice(-600);
    const problem = `the command left no report in ${pathOf(job)} (exit code ${exitCode}). It said last: ${said}`;
    return stopped(read.end) ?? notFound(problemReport(problem), exitCode);
  }
  return cutShort(read.stdout) ?? parseTestReport(job.format, { ...common, stdout, file: read.stdout.head });
}

/** What a shell or a script runner ends with when the program that it was to start is not there, or is none. */
const NOT_FOUND: readonly (number | null)[] = [126, 127];

function notFound(report: ParsedReport, exitCode: number | null): ParsedReport {
  return report.problem === undefined || !NOT_FOUND.includes(exitCode) ? report : { ...report, blocked: true };
}

/** Half a report is none: what is missing may be what failed. */
function cutShort({ elidedBytes, bytes }: Captured): ParsedReport | undefined {
  if (elidedBytes === 0) return undefined;
  return blockedReport(`the report has ${bytes} bytes, more than limits.outputBytes keeps: raise it, or report less`);
}
