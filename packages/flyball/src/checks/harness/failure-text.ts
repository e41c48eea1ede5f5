import { isFrameLine } from './stack-frames.js';

const CODE_STARTS = [String.raw`\x1b\[`, String.raw`\x9b`];
const TERMINAL_CODES = new RegExp(CODE_STARTS.map((start) => `${start}[0-?]*[ -/]*[@-~]`).join('|'), 'g');
/** What else does not print, except tabs and line ends. */
const CONTROL = new RegExp(`[${[String.raw`\0-\x08`, String.raw`\x0b-\x1f`, String.raw`\x7f-\x9f`].join('')}]`);
const CONTROLS = new RegExp(CONTROL, 'g');

/** Text without colors: some runners paint even what they write to a file. */
export function plain(text: string): string {
  if (!CONTROL.test(text)) return text; // nearly every text
  return text.replaceAll('\r\n', '\n').replace(TERMINAL_CODES, '').replace(CONTROLS, '');
}

/** At most `max` characters, and it says how many are missing. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)} [${text.length - max} characters left out]`;
}

export interface ErrorText {
  readonly errorType?: string;
  readonly message: string;
}

const ERROR_NAME = /(?:Error|Exception|Failure|Failed|Warning|Interrupt|Exit|Iteration|Group)$/;
const HEAD = /^(?:Uncaught |Unhandled |Thrown: )?([A-Za-z_$][\w$.]{0,200})(?: \[[\w ]{1,100}\])?(?:: |:$|$)/;

/** `TypeError: no list` in two; the stack and what follows it are left out. */
export function errorText(text: string): ErrorText {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const stack = lines.findIndex((line, index) => index >= first && isFrameLine(line));
  const said = lines
    .slice(Math.max(first, 0), stack < 0 ? undefined : stack)
    .join('\n')
    .trim();
  const [line = ''] = said.split('\n', 1);
  const [all = '', name = ''] = HEAD.exec(line) ?? [];
  if (!ERROR_NAME.test(name)) return { message: said };
  return { errorType: name, message: said.slice(all.length).trim() };
}

/**
 * What Node writes when a program dies: the place, the line of source, the error, its stack. The place is a frame of its
 * own, because a syntax error has no other.
 */
export function crash(text: string): { readonly text: string; readonly message?: string; readonly errorType?: string } {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => ERROR_NAME.test(HEAD.exec(line)?.[1] ?? ''));
  if (at < 0) return { text };
  const place = lines.slice(0, at).find((line) => /^\S.*:\d{1,9}$/.test(line));
  const { message, errorType } = errorText(lines.slice(at).join('\n'));
  const stack = lines.slice(at).join('\n');
  return {
    text: place === undefined ? stack : `at ${place}\n${stack}`,
    message,
    ...(errorType === undefined ? {} : { errorType }),
  };
}

/** Values that a message shows of the call that failed: Node's argument errors and counterexamples of property tests. */
const INPUT_MARKS = ['Counterexample: ', 'Falsifying example: ', 'Received type ', ' Received '] as const;

export function inputsIn(message: string): readonly string[] {
  return message
    .split('\n')
    .slice(0, 200)
    .flatMap((line) => {
      const mark = INPUT_MARKS.find((known) => line.includes(known));
      if (mark === undefined) return [];
      const shown = line.slice(line.indexOf(mark) + mark.length).trim();
      return shown === '' ? [] : [shown];
    });
}
