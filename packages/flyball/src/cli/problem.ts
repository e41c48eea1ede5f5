import { type ErrorCode, FlyballError } from '../core/errors.js';
import { type CommandLine, quoted } from './command-line.js';
import { isAddress } from './database-address.js';
import { EXIT, type ExitCode, exitCodeOfError } from './exit-codes.js';

/** An error as a person or a script meets it: what happened, what to do next, and how the process ends. */
export interface Problem {
  readonly code: ErrorCode | 'UNEXPECTED';
  /** One line, except that several mistakes in a file have a line each. */
  readonly message: string;
  readonly next: string;
  readonly exitCode: ExitCode;
  readonly retryable: boolean;
}

/** What the command was about, so that the advice can name it. */
export interface About {
  readonly command: CommandLine;
  readonly runId?: string;
  readonly database?: string;
}

/** Errors that tell every mistake of a file, each on a line. */
const HAS_LINES: ReadonlySet<ErrorCode> = new Set(['CONFIG_INVALID', 'INPUT_INVALID']);

const FREE_SPACE = 'Free some space and run the command again. Nothing that was saved is lost.';

export function problemOf(error: unknown, about: About): Problem {
  if (error instanceof FlyballError) {
    return {
      code: error.code,
      message: HAS_LINES.has(error.code) ? lineEach(error.message) : oneLine(error.message),
      next: nextStep(error, about),
      exitCode: exitCodeOfError(error.code),
      retryable: error.retryable,
    };
  }
  const refused = refusalOfSystem(error);
  if (refused !== undefined) return refused;
  const message = error instanceof Error ? error.message || error.name : String(error);
  const next = 'This is an unexpected error. Set FLYBALL_DEBUG=1 to see the stack trace.';
  return { code: 'UNEXPECTED', message: oneLine(message), next, exitCode: EXIT.failed, retryable: false };
}

/** What a system says about a file that a command was told to write or read, and what helps. */
const REFUSALS: Readonly<Record<string, { readonly what: string; readonly next: string; readonly code: ErrorCode }>> = {
  EACCES: { what: 'permission is denied', next: 'Make it writable, or name another place.', code: 'STORAGE_READ_ONLY' },
  EPERM: { what: 'permission is denied', next: 'Make it writable, or name another place.', code: 'STORAGE_READ_ONLY' },
  EROFS: { what: 'the file system is read-only', next: 'Name another place.', code: 'STORAGE_READ_ONLY' },
  ENOSPC: { what: 'the disk is full', next: FREE_SPACE, code: 'STORAGE_FULL' },
  EDQUOT: { what: 'the quota is used up', next: FREE_SPACE, code: 'STORAGE_FULL' },
  ENOENT: {
    what: 'there is no such file or folder',
    next: 'Check the path, or create the folder.',
    code: 'INPUT_INVALID',
  },
  EEXIST: { what: 'a file with this name exists', next: 'Name another place.', code: 'INPUT_INVALID' },
  ENOTDIR: { what: 'a part of the path is not a folder', next: 'Name another place.', code: 'INPUT_INVALID' },
  EISDIR: { what: 'it is a folder', next: 'Name a file.', code: 'INPUT_INVALID' },
};

function refusalOfSystem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path } = error as NodeJS.ErrnoException;
  const refusal = REFUSALS[code];
  if (refusal === undefined || path === undefined) return undefined; // without a path nobody could do anything about it
  return {
    code: refusal.code,
    message: `${oneLine(path)}: ${refusal.what}.`,
    next: refusal.next,
    exitCode: exitCodeOfError(refusal.code),
    retryable: refusal.code === 'STORAGE_FULL',
  };
}

type NextStep = (command: About['command'], runId: string, error: FlyballError, about: About) => string;

const fixAndResume: NextStep = (command, runId) =>
  `Nothing is lost. Fix the cause, then run: ${command('resume', runId)}`;
const copyFirst: NextStep = (_command, _runId, error, about) =>
  `Make a copy of ${databaseOf(error, about)} before you try to repair it. Nothing was changed.`;
const inFileOrCommand: NextStep = (_command, _runId, error, about) =>
  error.detail['file'] === undefined ? forCommand(error) : forFile(error, about);

/** What to do about an error, where there is more to say than whether to try again. */
const NEXT_STEPS: Partial<Record<ErrorCode, NextStep>> = {
  RUN_NOT_FOUND: (command, _runId, { detail: { archive } }) =>
    typeof archive === 'string'
      ? `To list the runs in the archive, use: ${command('archive', 'list', archive)}`
      : `To list runs, use: ${command('runs')}`,
  AGENT_UNKNOWN: () => 'Name one of the agents that the file exports with --agent, or export this one.',
  RUN_EXISTS: (command, runId) => `Omit --id, choose another one, or look at that run: ${command('show', runId)}`,
  ALREADY_TERMINAL: (command, runId) =>
    `Read it with ${command('show', runId)}, or fork it from one of its entries: ${command('fork', runId, '--at', '<entry>')}`,
  JOURNAL_CONFLICT: (command, runId) =>
    `Another process is running it. You can still send signals, pause it or cancel it. See ${command('show', runId)}`,
  SIGNAL_INVALID: (command, runId) => `To see what it is waiting for, run: ${command('show', runId)}`,
  FORK_REFUSED: (command, runId, { detail: { nearest } }) =>
    typeof nearest === 'number' && nearest >= 0
      ? `Fork from there: ${command('fork', runId, '--at', String(nearest))}`
      : `See its entries: ${command('show', runId)}`,
  REPLAY_DIVERGED: fixAndResume,
  FOREIGN_AWAIT: fixAndResume,
  RUN_STALLED: fixAndResume,
  STORAGE_FAILED: (_command, _runId, error, about) =>
    isOnServer(error, about)
      ? `Look at the server of ${databaseOf(error, about)}, or choose another database with --db or FLYBALL_DB.`
      : `Look at ${databaseOf(error, about)} and its folder, or choose another file with --db or FLYBALL_DB.`,
  STORAGE_READ_ONLY: (_command, _runId, error, about) =>
    isOnServer(error, about)
      ? 'Use a server that accepts writes and a user who may create and write the tables, or choose another database with --db or FLYBALL_DB.'
      : `Make ${databaseOf(error, about)} and its folder writable, or choose another file with --db or FLYBALL_DB.`,
  // the run is there: whoever gave the same command again would have two
  STORAGE_FULL: (command, _runId, { detail: { runId } }) =>
    typeof runId === 'string' ? `Free some space, then run: ${command('resume', runId)}` : FREE_SPACE,
  STORAGE_BUSY: () => 'Run the command again in a moment.',
  JOURNAL_NEWER: () =>
    'Install the newest flyball (npm install -g flyball@latest) and run the command again. Nothing was changed.',
  JOURNAL_CORRUPT: copyFirst,
  JOURNAL_TRUNCATED: copyFirst,
  DRIVER_MISSING: () => 'Install what is missing, then run the command again.',
  CONFIG_INVALID: inFileOrCommand,
  INPUT_INVALID: inFileOrCommand,
  VALUE_NOT_SERIALIZABLE: (_command, _runId, error) => forCommand(error),
};

function nextStep(error: FlyballError, about: About): string {
  const { command, runId = '<run>' } = about;
  // whoever threw it knows more than its code says
  if (typeof error.detail['next'] === 'string') return error.detail['next'];
  const next = NEXT_STEPS[error.code];
  if (next !== undefined) return next(command, runId, error, about);
  return error.retryable ? 'You can run the command again.' : `See ${command('show', runId)}`;
}

function databaseOf(error: FlyballError, { database = 'the database' }: About): string {
  return fileOf(error) ?? database;
}

function isOnServer(error: FlyballError, about: About): boolean {
  return isAddress(databaseOf(error, about));
}

/** The file that it is about: a copy or its source is not the database of the command. */
function fileOf({ detail }: FlyballError): string | undefined {
  return typeof detail['path'] === 'string' ? detail['path'] : undefined;
}

function forCommand({ detail }: FlyballError): string {
  const { example } = detail;
  if (typeof example === 'string') return `Give it with --input ${quoted(example)}. Nothing was started.`;
  return 'Correct the command and run it again; --help shows examples. Nothing was started or changed.';
}

/** The agent file cannot be used: what the command wanted to say to the run may be stored already. */
function forFile({ detail }: FlyballError, { command, runId = '<run>' }: About): string {
  if (detail['exists'] === true) return `Nothing is lost. Fix that, then run: ${command('resume', runId)}`;
  const look = detail['about'] === 'model' ? ` To check the configuration, run: ${command('doctor')}` : '';
  return `Nothing was started. Fix that and run the command again.${look}`;
}

const MOST_LINES = 20;

/** Mistakes in a file, one below the other. */
function lineEach(text: string): string {
  const lines = text.split('\n').flatMap((line) => line.trimEnd() || []);
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… and ${more} more lines`] : [])].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
