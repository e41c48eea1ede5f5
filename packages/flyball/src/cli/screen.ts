import { inertJson } from '../core/inert-json.js';
import { foldedLine } from './folded.js';

/** Where a command writes: people read lines, programs read JSON, and nothing is written for both. */
export interface Screen {
  /** Machine-readable: `data` is written and `line` is not. */
  readonly json: boolean;
  /** A terminal that somebody looks at: a status line may come and go. */
  readonly live: boolean;
  readonly width: number;
  readonly paint: Paint;
  line(text?: string): void;
  data(value: unknown): void;
  /** A line of a log for programs: to the error stream where nobody reads the other one any more. */
  log(line: string): void;
  /** To the error stream, for people, in both modes. */
  complain(text: string): void;
  /** Replaces the status line; empty removes it. Nothing happens where nobody looks. */
  status(text: string): void;
}

export type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (color: Color, text: string) => string;

const CODES: Readonly<Record<Color, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export interface Streams {
  readonly out: {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly isClosed?: boolean;
    write(text: string): unknown;
  };
  readonly error: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A command stays in one piece: people copy it. */
const COMMAND = `\u001b[${CODES.cyan[0]}m`;

function folded(text: string, width: number): string {
  const lines = text.split('\n').map((line) => (line.trimStart().startsWith(COMMAND) ? line : foldedLine(line, width)));
  return lines.join('\n');
}

const ERASE_LINE = '\r\u001b[2K';

export function screenOn({ out, error, env }: Streams, json: boolean): Screen {
  const terminal = out.isTTY === true && env['TERM'] !== 'dumb';
  const color = terminal && (env['NO_COLOR'] ?? '') === '';
  const live = terminal && color && !json;
  const columns = out.columns ?? 0; // some pseudo-terminals say 0
  const width = columns === 0 ? 100 : Math.max(40, columns);
  let shown = '';
  const write = (text: string): void => {
    if (shown === '') out.write(text);
    else out.write(`${ERASE_LINE}${text}${shown}`); // the status line stays last
  };
  return {
    json,
    live,
    width,
    paint: (name, text) => (color ? `\u001b[${CODES[name][0]}m${text}\u001b[${CODES[name][1]}m` : text),
    line: (text = '') => {
      if (!json) write(`${live ? folded(text, width) : text}\n`);
    },
    data: (value) => {
      if (json) out.write(`${inertJson(JSON.stringify(value))}\n`);
    },
    log: (line) => {
      if (json) (out.isClosed === true ? error : out).write(line);
    },
    complain: (text) => {
      if (shown !== '') out.write(ERASE_LINE);
      error.write(`${text}\n`);
      if (shown !== '') out.write(shown);
    },
    status: (text) => {
      if (!live || text === shown) return;
      const cut = text.length > width - 1 ? `${text.slice(0, width - 2)}…` : text;
      out.write(`${ERASE_LINE}${cut}`);
      shown = cut;
    },
  };
}
