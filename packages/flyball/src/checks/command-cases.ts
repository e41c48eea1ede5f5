import { isAbsolute } from 'node:path';
import { sha256 } from '../core/canonical.js';
import { ConfigError, unreachable } from '../core/errors.js';
import {
  type Captured,
  SANDBOX_LIMITS,
  type Sandbox,
  type SandboxLimits,
  type SandboxResult,
} from '../ports/sandbox.js';
import { type CaseResult, type CaseRunner, compared, type Expected } from './case-runner.js';

/** How edge cases are run with a command. */
export interface CommandCaseOptions {
  readonly sandbox: Sandbox;
  /** Program and arguments, exactly as they are: no shell reads them. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** What it may read beside `cwd`. Nothing can be written: a case is run again after a crash. */
  readonly reads?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<SandboxLimits>;
  readonly artefact?: string;
}

const START_MS = 30_000;

/** Runs a program in the sandbox: the input is what it reads, its output is what is compared. */
export function commandCases(options: CommandCaseOptions): CaseRunner {
  const { sandbox, command, cwd, reads = [], env } = options;
  if (command.length === 0) throw new ConfigError('Edge cases need a command to run.');
  for (const path of [cwd, ...reads])
    if (!isAbsolute(path)) throw new ConfigError(`Edge cases run in absolute folders, got "${path}".`);
  const limits = { ...SANDBOX_LIMITS, ...options.limits };
  const mounts = [cwd, ...reads].map((path) => ({ path, access: 'read-only' as const }));
  return {
    ...(options.artefact === undefined ? {} : { artefact: options.artefact }),
    describe: `The program ${JSON.stringify(command)} is run. An input is the text it reads from standard input. Expect {"returns": text} for what it writes to standard output, or {"throws": text} for a failure whose error output holds the text.`,
    async runCase(run, { outputs }, { input, expected }) {
      const stdin = typeof input === 'string' ? input : JSON.stringify(input);
      // the files are what the artefacts say: their hash is part of what was run
      const files = sha256(outputs.artefacts.map(({ name, text }) => `${name}\n${text}`).join('\n'));
      const job = { stages: [command], cwd, mounts, stdin, limits, ...(env === undefined ? {} : { env }) };
      const result = await run.step(
        'edge-case',
        { command, stdin, files },
        (_input, { signal }) => sandbox.run(job, { signal }),
        { class: 'pure', timeoutMs: limits.wallMs + START_MS },
      );
      return resultOf(expected, result);
    },
  };
}

function resultOf(expected: Expected, { end, stdout, stderr }: SandboxResult): CaseResult {
  switch (end.how) {
    case 'exit':
      return end.code === 0
        ? compared(trimmed(expected), { value: textOf(stdout).trimEnd() })
        : compared(expected, { error: `exit code ${end.code}: ${textOf(stderr)}` });
    case 'signal':
      return compared(expected, { error: `ended by ${end.signal}: ${textOf(stderr)}` });
    case 'limit':
      return { ran: true, ok: false, actual: `was stopped at the limit ${end.limit} (${end.allowed})` };
    case 'not-started':
      return { ran: false, problem: `The program did not start: ${end.because}` };
    case 'aborted':
      return { ran: false, problem: 'The program was aborted.' };
    case 'planted':
      return { ran: true, ok: false, actual: `left a Git repository, now ${end.aside.join(', ')}` };
    default:
      return unreachable(end);
  }
}

function trimmed(expected: Expected): Expected {
  return 'returns' in expected && typeof expected.returns === 'string'
    ? { returns: expected.returns.trimEnd() }
    : expected;
}

function textOf({ head, tail }: Captured): string {
  return `${head}${tail}`;
}
