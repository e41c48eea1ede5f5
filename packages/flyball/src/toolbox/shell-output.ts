import { trimmedEnd } from '../core/trimmed-end.js';
import type { Captured } from '../ports/sandbox.js';

/** How much of a stream a model is shown. */
export interface ShownAmount {
  readonly head: number;
  readonly tail: number;
  readonly maxBytes: number;
}

export interface ShownText {
  readonly text: string;
  readonly lines: number;
  readonly elidedLines: number;
}

const MAX_LINE = 2000;

/** Colors and cursor moves, window titles, and the rarer strings and two-letter codes, with 7 and with 8 bits. */
const TERMINAL_CODES = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?`,
    String.raw`\x1b[P^_X][^\x1b]*(?:\x1b\\)?`,
    String.raw`\x1b[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
/** What else does not print, except tabs. */
const CONTROL = /[^\P{Cc}\t]/gu;

/** Text as a terminal would have shown it, without colors and without what was overwritten by a carriage return. */
export function plainText(text: string): string {
  return text
    .replace(TERMINAL_CODES, '')
    .split('\n')
    .map((line) => trimmedEnd(line, '\r'))
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).replace(CONTROL, ''))
    .join('\n');
}

/** The first and the last lines, with a line between them that says how many are missing. */
export function shownOutput(captured: Captured, amount: ShownAmount): ShownText {
  const isWhole = captured.elidedBytes === 0;
  const first = linesOf(captured.head);
  const last = isWhole ? first : linesOf(captured.tail);
  if (isWhole && first.length <= amount.head + amount.tail) return fitted(first, [], 0, captured.lines, amount);
  const head = first.slice(0, amount.head);
  const tail =
    amount.tail === 0 ? [] : last.slice(isWhole ? Math.max(head.length, last.length - amount.tail) : -amount.tail);
  return fitted(head, tail, Math.max(captured.lines - head.length - tail.length, 0), captured.lines, amount);
}

/** Takes further lines away from the middle until the rest fits: few lines can still be much text. */
function fitted(head: string[], tail: string[], elided: number, lines: number, { maxBytes }: ShownAmount): ShownText {
  const [start, end] = [[...head], [...tail]];
  let elidedLines = elided;
  const size = (parts: readonly string[]) => parts.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  for (let bytes = size(start) + size(end); bytes > maxBytes; elidedLines++) {
    const dropped = start.length >= end.length * 2 || end.length === 0 ? start.pop() : end.shift();
    if (dropped === undefined) break;
    bytes -= Buffer.byteLength(dropped) + 1;
  }
  const gap = elidedLines === 0 ? [] : [`[${elidedLines} ${elidedLines === 1 ? 'line' : 'lines'} left out]`];
  return { text: [...start, ...gap, ...end].join('\n'), lines, elidedLines };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return plainText(text.endsWith('\n') ? text.slice(0, -1) : text)
    .split('\n')
    .map(shortened);
}

function shortened(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)} [${line.length - MAX_LINE} characters left out]`;
}
