import type { StackFrame } from '../contracts.js';
import { type Compared, comparedIn } from './compared-values.js';
import { errorText } from './failure-text.js';
import { sourceFile } from './source-file.js';
import { stackFrames } from './stack-frames.js';

/** What one section of pytest's output says about a failure. */
export interface Traceback extends Compared {
  readonly message?: string;
  readonly errorType?: string;
  /** Innermost first. */
  readonly frames: readonly StackFrame[];
  readonly inputs?: readonly string[];
}

const MAX_LINES = 2000;
const MAX_LINE = 4096;

/** What was raised last is what failed; the rest is how it came to it. */
const CHAINED = /^(?:The above exception was the direct cause|During handling of the above exception)/;

export function isPytestTraceback(text: string): boolean {
  return /^E {3}/m.test(text) || /^Traceback \(most recent call last\):$/m.test(text);
}

/** Reads the styles long, short and native, which all end in the line that failed. */
export function readTraceback(all: readonly string[], cwd?: string): Traceback {
  const lines = all.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE));
  const chained = lines.findLastIndex((line) => CHAINED.test(line));
  const errors = lines
    .slice(chained + 1)
    .filter((line) => /^E(?: {3}|$)/.test(line))
    .map((line) => line.slice(4));
  // a syntax error names its place in its message
  const frames = [...stackFrames(errors.join('\n'), cwd), ...framesIn(lines, cwd)];
  const said = errors.length > 0 ? saidBy(errors) : nativeError(lines);
  const inputs = [...lastArguments(lines), ...calls(errors)];
  return {
    ...said,
    ...comparedIn(said.message ?? ''),
    frames,
    ...(inputs.length === 0 ? {} : { inputs }),
  };
}

function saidBy(errors: readonly string[]): { readonly message: string; readonly errorType?: string } {
  const margin = errors.reduce(
    (least, line) => (line.trim() === '' ? least : Math.min(least, line.length - line.trimStart().length)),
    MAX_LINE,
  );
  const text = errors.map((line) => line.slice(margin)).join('\n');
  if (/^assert /.test(text)) return { message: text.trim(), errorType: 'AssertionError' };
  if (!/^\s*File "/.test(text)) return errorText(text);
  const named = errorText(text.slice(text.lastIndexOf('\n', text.trimEnd().length - 1) + 1));
  return { ...named, message: `${named.message}\n${text}` };
}

/** Native tracebacks end with the error, unindented. */
function nativeError(lines: readonly string[]): { readonly message?: string; readonly errorType?: string } {
  const last = lines.findLastIndex((line) => /^\s+File "/.test(line));
  const from = lines.findIndex((line, index) => index > last && /^[A-Za-z_]/.test(line));
  return last < 0 || from < 0 ? {} : errorText(lines.slice(from).join('\n'));
}

const PLACE = /^((?:[A-Za-z]:)?[^\s:"][^:"]*\.py):(\d{1,9}): ?(?:in (.+)|[\w.]*)$/;

/** In the long style the function is named by the source above the place, not in the line itself. */
function framesIn(lines: readonly string[], cwd?: string): readonly StackFrame[] {
  const frames: StackFrame[] = [];
  let inside: string | undefined;
  for (const line of lines) {
    if (/^_ _ _/.test(line)) inside = undefined;
    const [, name] = /^[> ] {3}\s*(?:async )?def (\w{1,200})\(/.exec(line) ?? /^def (\w{1,200})\(/.exec(line) ?? [];
    if (name !== undefined) inside = name;
    const [, file, at, said] = PLACE.exec(line) ?? [];
    if (file === undefined) continue;
    const named = said ?? inside;
    frames.push({ file: sourceFile(file, cwd), line: Number(at), ...(named === undefined ? {} : { function: named }) });
    inside = undefined;
  }
  return frames.length > 0 ? frames.reverse() : stackFrames(lines.join('\n'), cwd);
}

/** `a = 1, b = 0` stands above the source of each function in the long style; the last one is of the call that failed. Bare objects say nothing. */
function lastArguments(lines: readonly string[]): readonly string[] {
  const found = lines.filter((line) => /^[A-Za-z_]\w{0,100} = \S/.test(line)).at(-1);
  if (found === undefined) return [];
  return found.split(/, (?=[A-Za-z_]\w{0,100} = )/).filter((part) => !/ object at 0x[0-9a-f]+>$/.test(part));
}

/** `+  where 6 = total([…])`: pytest shows which call gave a value. */
function calls(errors: readonly string[]): readonly string[] {
  return errors.flatMap((line) => {
    const mark = line.indexOf('+  where ');
    return mark < 0 ? [] : [line.slice(mark + 9).trim()];
  });
}
