import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/files.mjs';

/** The built command line, used as a stranger uses it: real processes, a real database in a folder of its own. */

const MAIN = join(root, 'packages/flyball/dist/cli/main.js');
/** The compiled file of agents, test/programs/cli-agents.ts. */
export const AGENTS = join(root, 'dist-programs/cli-agents.js');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export interface Desk {
  readonly folder: string;
  readonly database: string;
  /** Runs one command to its end. */
  flyball(...words: readonly string[]): Promise<Ended>;
  /** The same, with something on standard input. */
  piped(input: string, ...words: readonly string[]): Promise<Ended>;
  /** Runs a command as it was printed, pasted into a shell. */
  paste(command: string): Promise<Ended>;
  /** Starts a command and lets it run. */
  start(...words: readonly string[]): Started;
  /** The same, with somebody on the other side of standard input. */
  talk(...words: readonly string[]): Talking;
  /** What the test's agents did to the world. */
  ledger(): readonly unknown[];
  clear(): void;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the output so far contains the text. */
  says(text: string): Promise<void>;
}

export interface Talking extends Started {
  /** Gives it a line. */
  say(line: string): void;
  /** The end of the input, as Ctrl-D makes it. */
  hangUp(): void;
  /** All that was written to standard output so far. */
  out(): string;
}

/** `env` comes over that of the test run; undefined takes a variable away. */
export function newDesk({
  env: given = {},
}: {
  readonly env?: Readonly<Record<string, string | undefined>>;
} = {}): Desk {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-cli-'));
  const database = join(folder, '.flyball/flyball.db');

  const start = (words: readonly string[], input: Input = 'none'): Talking =>
    launch(process.execPath, [MAIN, ...words], input);

  function launch(program: string, words: readonly string[], input: Input = 'none'): Talking {
    const { NO_COLOR: _color, FLYBALL_DB: _database, FLYBALL_DEBUG: _debug, ...env } = process.env;
    const child = spawn(program, words, {
      cwd: folder,
      env: { ...env, NODE_OPTIONS: '', ...given }, // the hooks of a test runner are not for this process
      stdio: [input === 'none' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let out = '';
    let error = '';
    const watchers = new Set<() => void>();
    const told = () => {
      for (const watcher of watchers) watcher();
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      told();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      error += text;
      told();
    });
    child.stdin?.on('error', () => undefined); // a command that is over no longer reads
    if (typeof input === 'object') child.stdin?.end(input.text);
    const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, out, error }));
    return {
      child,
      ended,
      say: (line) => void child.stdin?.write(`${line}\n`),
      hangUp: () => void child.stdin?.end(),
      out: () => out,
      says: (text) =>
        new Promise((resolve, reject) => {
          const watcher = () => {
            if (!(out + error).includes(text)) return;
            watchers.delete(watcher);
            resolve();
          };
          watchers.add(watcher);
          watcher();
          ended.then(() => reject(new Error(`It ended without saying "${text}":\n${out}\n${error}`)), reject);
        }),
    };
  }

  return {
    folder,
    database,
    flyball: (...words) => start(words).ended,
    piped: (text, ...words) => start(words, { text }).ended,
    paste: (command) => launch('sh', ['-c', `flyball() { "${process.execPath}" "${MAIN}" "$@"; }\n${command}`]).ended,
    start: (...words) => start(words),
    talk: (...words) => start(words, 'held'),
    ledger: () => {
      const path = join(folder, 'ledger.jsonl');
      if (!existsSync(path)) return [];
      return readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { what: unknown }).what);
    },
    clear: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Nothing, a text, or whatever a test says. */
type Input = 'none' | 'held' | { readonly text: string };

/** Lines of JSON, as `--json` writes them. */
export function jsonLines(text: string): readonly Record<string, unknown>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export function lastJson(text: string): Record<string, unknown> {
  return jsonLines(text).at(-1) ?? {};
}
