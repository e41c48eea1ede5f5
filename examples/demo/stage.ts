import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** How the demonstration speaks: paragraphs for the reader, commands with what they print. */

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const terminal = process.stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
const paint = (code: number, text: string): string => (terminal ? `\u001b[${code}m${text}\u001b[0m` : text);

export const heading = (text: string): void => console.log(`\n${paint(1, text)}`);
export const say = (text: string): void => console.log(text);
export const check = (text: string): void => console.log(`  ${paint(32, '✓')} ${text}`);

/** Long enough to read on, short enough not to be bored. */
export const breathe = (ms = 700): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly out: string }>;
}

/** Starts a real `flyball` process and shows the command and what it prints. */
export function flyball(
  words: readonly string[],
  how: { readonly database: string; readonly quiet?: boolean },
): Running {
  if (how.quiet !== true) console.log(paint(36, `\n  $ flyball ${words.map(quoted).join(' ')}`));
  const child = spawn(process.execPath, [CLI, ...words], {
    env: { ...process.env, FLYBALL_DB: how.database, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  let line = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    line += text;
    const lines = line.split('\n');
    line = lines.pop() ?? '';
    if (how.quiet !== true) for (const each of lines) console.log(paint(2, `  │ ${each}`));
  });
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    out,
  }));
  return { child, ended };
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return word.length > 60 ? `'${word.slice(0, 57)}…'` : `'${word}'`;
}
