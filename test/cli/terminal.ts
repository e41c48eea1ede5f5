import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { quoted } from '../../packages/flyball/src/cli/command-line.js';
import { root } from '../../scripts/files.mjs';
import { patient } from '../patience.js';

/** The command line at a pseudo-terminal, as a person has it: keys go in, and what the screen shows can be looked at. */
export interface Terminal {
  /** Presses keys. */
  type(keys: string): void;
  /** Resolves when this has been written since the last time; escape sequences count. */
  sees(text: string): Promise<void>;
  /** What the screen shows now, line by line, without colors. */
  screen(): readonly string[];
  /** Everything that was written. */
  raw(): string;
  readonly ended: Promise<number | null>;
}

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
const COLUMNS = 100;
/** A screen that does not change tells more than a test that timed out. */
const PATIENCE_MS = patient(60_000);
/** An escape sequence with its first number and its letter, or one character. */
const PIECE = new RegExp(`(${'\u001b'}\\[\\??(\\d*)(?:;\\d+)*([A-Za-z]))|([^])`, 'gu');

/** Why there can be no terminal here, or undefined. */
export function noTerminal(): string | undefined {
  const found = spawnSync('script', ['--version'], { encoding: 'utf8' });
  if (found.status === 0 && /util-linux/.test(found.stdout)) return undefined;
  return 'script of util-linux, which gives a command a pseudo-terminal, is not installed';
}

export function openTerminal(
  given: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
  ...words: readonly string[]
): Terminal {
  const main = join(root, 'packages/flyball/dist/cli/main.js');
  const command = `stty rows 30 cols ${COLUMNS}; exec ${[process.execPath, main, ...words].map(quoted).join(' ')}`;
  const { NO_COLOR: _color, FLYBALL_DB: _database, FLYBALL_DEBUG: _debug, ...env } = process.env;
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: given.folder,
    env: { ...env, NODE_OPTIONS: '', TERM: 'xterm-256color', SHELL: '/bin/sh', ...given.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL')); // and with it the terminal: a test that failed leaves nobody waiting for keys
  let raw = '';
  let seen = 0;
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    for (const watcher of watchers) watcher();
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    type: (keys) => void child.stdin.write(keys),
    sees: (text) =>
      new Promise((resolve, reject) => {
        const watcher = (): void => {
          const at = raw.indexOf(text, seen);
          if (at < 0) return;
          seen = at + text.length;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
        watcher();
        const screen = (): string => `"${text}":\n${shown(raw).join('\n')}`;
        void ended.then(() => reject(new Error(`It ended without showing ${screen()}`)));
        setTimeout(() => reject(new Error(`It has not shown ${screen()}`)), PATIENCE_MS).unref();
      }),
    screen: () => shown(raw),
    raw: () => raw,
    ended,
  };
}

/** What a terminal makes of these bytes: the sequences that the command line and readline use. */
export function shown(raw: string): readonly string[] {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const line = (): string[] => {
    while (lines.length <= row) lines.push([]);
    return lines[row] ?? [];
  };
  const put = (mark: string): void => {
    if (column >= COLUMNS) [row, column] = [row + 1, 0];
    const cells = line();
    while (cells.length < column) cells.push(' ');
    cells[column] = mark;
    column += 1;
  };
  const control = (amount: number | undefined, kind: string): void => {
    if (kind === 'G') column = (amount ?? 1) - 1;
    else if (kind === 'A') row = Math.max(0, row - (amount ?? 1));
    else if (kind === 'B') row += amount ?? 1;
    else if (kind === 'C') column += amount ?? 1;
    else if (kind === 'D') column = Math.max(0, column - (amount ?? 1));
    else if (kind === 'K') line().splice(amount === 2 ? 0 : column);
    else if (kind === 'J') {
      line().splice(column);
      lines.splice(row + 1);
    } else if (kind !== 'm')
      throw new Error(`A terminal was sent ${amount ?? ''}${kind}, which this one does not know.`);
  };
  for (const [, sequence, amount, kind, mark] of raw.matchAll(PIECE)) {
    if (sequence !== undefined) control(amount === '' ? undefined : Number(amount), kind ?? '');
    else if (mark === '\r') column = 0;
    else if (mark === '\n') row += 1;
    else if (mark !== undefined) put(mark);
    line();
  }
  return lines.map((cells) => cells.join('').trimEnd());
}
