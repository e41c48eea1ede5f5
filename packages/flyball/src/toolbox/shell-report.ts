import { unreachable } from '../core/errors.js';
import type { LimitName, ProgramEnd, SandboxEnd, SandboxResult } from '../ports/sandbox.js';
import { type ShownAmount, shownOutput } from './shell-output.js';

/** What a command came to: kept in the journal, and told to the model. */
export interface ShellResult {
  /** Null where a signal, a limit or nobody ended it. */
  readonly exitCode: number | null;
  readonly end: SandboxEnd;
  readonly stages: readonly ProgramEnd[];
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutLines: number;
  readonly stderrLines: number;
  readonly elidedLines: number;
  readonly sandbox: string;
  /** Why there was none, where there was none. */
  readonly unsandboxed?: string;
  readonly usage: SandboxResult['usage'];
}

export function shellResult(
  result: SandboxResult,
  how: { readonly sandbox: string; readonly unsandboxed?: string; readonly amount: ShownAmount },
): ShellResult {
  const stdout = shownOutput(result.stdout, how.amount);
  const stderr = shownOutput(result.stderr, how.amount);
  return {
    exitCode: result.end.how === 'exit' ? result.end.code : null,
    end: result.end,
    stages: result.stages,
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutLines: stdout.lines,
    stderrLines: stderr.lines,
    elidedLines: stdout.elidedLines + stderr.elidedLines,
    sandbox: how.sandbox,
    ...(how.unsandboxed === undefined ? {} : { unsandboxed: how.unsandboxed }),
    usage: result.usage,
  };
}

/** The text for the model: how it ended first, then what it wrote. */
export function presentShell(result: ShellResult): string {
  return [
    endText(result.end),
    ...earlierStages(result.stages),
    result.stdout === '' ? 'stdout: (empty)' : `stdout:\n${result.stdout}`,
    ...(result.stderr === '' ? [] : [`stderr:\n${result.stderr}`]),
    ...(result.unsandboxed === undefined ? [] : [`Ran without a sandbox: ${result.unsandboxed}.`]),
  ].join('\n');
}

const LIMIT_TEXT: Readonly<Record<LimitName, (allowed: number) => string>> = {
  wallMs: (allowed) => `it ran longer than ${allowed / 1000} s`,
  cpuS: (allowed) => `it used more than ${allowed} s of CPU time`,
  memoryMb: (allowed) => `it used more than ${allowed} MB of memory`,
  processes: (allowed) => `it started more than ${allowed} processes`,
  diskMb: (allowed) => `it wrote more than ${allowed} MB`,
};

function endText(end: SandboxEnd): string {
  switch (end.how) {
    case 'exit':
      return `exit code ${end.code}`;
    case 'signal':
      return `ended by ${end.signal}`;
    case 'not-started':
      return `not started: ${end.because}`;
    case 'limit':
      return `killed: ${LIMIT_TEXT[end.limit](end.allowed)} (limit ${end.limit}). Ask for less at once.`;
    case 'aborted':
      return 'killed: the call was cancelled';
    case 'planted':
      return `refused: it left a Git repository, whose settings could start programs outside the sandbox. It was renamed to ${end.aside.join(', ')}. Create repositories with the git command.`;
    default:
      return unreachable(end);
  }
}

/** Stages before the last one fail unseen in a shell. One whose reader had enough did not fail. */
function earlierStages(stages: readonly ProgramEnd[]): string[] {
  return stages.slice(0, -1).flatMap((end, index) => {
    const isFine =
      (end.how === 'exit' && (end.code === 0 || end.code === 141)) ||
      (end.how === 'signal' && end.signal === 'SIGPIPE');
    return isFine ? [] : [`command ${index + 1} of the pipeline: ${endText(end)}`];
  });
}
