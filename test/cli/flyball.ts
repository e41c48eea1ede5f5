import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/files.mjs';

/** The built command line, used as a stranger uses it: real processes, a real database in a folder of its own. */

const MAIN = join(root, 'dist/cli/main.js');
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

export function newDesk(): Desk {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-cli-'));
  const database = join(folder, '.flyball/flyball.db');

  const start = (words: readonly string[], input?: string): Started =>
    launch(process.execPath, [MAIN, ...words], input);

  function launch(program: string, words: readonly string[], input?: string): Started {
    const { NO_COLOR: _colour, FLYBALL_DB: _database, FLYBALL_DEBUG: _debug, ...env } = process.env;
    const child = spawn(program, words, {
      cwd: folder,
      env: { ...env, NODE_OPTIONS: '' }, // the hooks of a test runner are not for this process
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
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
    child.stdin?.end(input);
    const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, out, error }));
    return {
      child,
      ended,
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
    piped: (input, ...words) => start(words, input).ended,
    paste: (command) => launch('sh', ['-c', `flyball() { "${process.execPath}" "${MAIN}" "$@"; }\n${command}`]).ended,
    start: (...words) => start(words),
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
