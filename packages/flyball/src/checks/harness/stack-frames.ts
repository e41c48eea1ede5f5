import type { StackFrame } from '../contracts.js';
import { isAbsoluteFile, isForeign, isTestFile, sourceFile } from './source-file.js';

/** Longer lines are data, not frames; a limit keeps the reading linear whatever a line holds. */
const MAX_LINE = 4096;
const MAX_FRAMES = 50;

/**
 * The frames that a text shows, innermost first: V8's `at fn (file:1:2)`, the arrows of vitest, and Python's tracebacks,
 * which are written the other way round. Files under `cwd` become relative to it.
 */
export function stackFrames(text: string, cwd?: string): readonly StackFrame[] {
  const script: StackFrame[] = [];
  const python: StackFrame[] = [];
  for (const line of text.split('\n')) {
    if (line.length > MAX_LINE) continue;
    const frame = scriptFrame(line, cwd);
    if (frame !== undefined) script.push(frame);
    else {
      const other = pythonFrame(line, cwd);
      if (other !== undefined) python.push(other);
    }
  }
  return [...script, ...python.reverse()].slice(0, MAX_FRAMES);
}

/** The line belongs to a stack, also where it names no file: `at new Promise (<anonymous>)`. */
export function isFrameLine(line: string): boolean {
  if (line.length > MAX_LINE) return false;
  return (
    scriptFrame(line) !== undefined || /^\s+at (?:async )?[\w$.<>[\] ]+ \((?:<anonymous>|index \d+|native)\)/.test(line)
  );
}

function scriptFrame(line: string, cwd?: string): StackFrame | undefined {
  const body = line.trim();
  if (body.startsWith('❯ ')) return arrowFrame(body.slice(2).trim(), cwd);
  if (!body.startsWith('at ')) return undefined;
  const said = body.slice(3).replace(/^async /, '');
  const opens = said.lastIndexOf(' (');
  // an object that is printed behind the last frame begins on the same line
  const closes = said.endsWith(')') ? said.length - 1 : said.endsWith(') {') ? said.length - 3 : -1;
  if (opens > 0 && closes > opens) return frameAt(said.slice(opens + 2, closes), cwd, said.slice(0, opens));
  return frameAt(said.replace(/ \{$/, ''), cwd);
}

/** `function file:1:2`, or only the place. */
function arrowFrame(said: string, cwd?: string): StackFrame | undefined {
  const space = said.indexOf(' ');
  if (space > 0 && !looksLikeFile(said.slice(0, space)))
    return frameAt(said.slice(space + 1), cwd, said.slice(0, space));
  return frameAt(said, cwd);
}

function frameAt(place: string, cwd?: string, name?: string): StackFrame | undefined {
  // code from `eval` gives two places: where it was evaluated is the one that somebody can open
  const [first = ''] = place.split('), ');
  const match = /^(.*?):(\d{1,9})(?::(\d{1,9}))?$/.exec(first);
  const [, file = '', line, column] = match ?? [];
  if (line === undefined || !looksLikeFile(file)) return undefined;
  return {
    file: sourceFile(file, cwd),
    line: Number(line),
    ...(column === undefined ? {} : { column: Number(column) }),
    ...named(name),
  };
}

function named(name: string | undefined): { readonly function?: string } {
  const plain = name?.replace(/^.*\(eval at /, '').replace(/ \[as [^\]]*\]$/, '');
  return plain === undefined || plain === '' || plain.includes('<anonymous>') ? {} : { function: plain.slice(0, 200) };
}

function looksLikeFile(file: string): boolean {
  if (file.startsWith('<')) return false;
  return /^[a-z]+:/i.test(file) || /[/\\]/.test(file) || /\.\w{1,5}$/.test(file);
}

/** `File "x.py", line 3, in f` of the interpreter; `x.py:3: in f` and `x.py:3: ValueError` of pytest. */
function pythonFrame(line: string, cwd?: string): StackFrame | undefined {
  const native = /^\s*File "([^"]+)", line (\d{1,9})(?:, in (.+))?$/.exec(line);
  const short = native ?? /^((?:[A-Za-z]:)?[^\s:"][^:"]*\.py):(\d{1,9}): (?:in (.+)|[\w.]*)$/.exec(line);
  const [, file, at, name] = short ?? [];
  if (file === undefined || at === undefined || file.startsWith('<')) return undefined;
  const isModule = name === undefined || name.startsWith('<');
  return {
    file: sourceFile(file, cwd),
    line: Number(at),
    ...(isModule ? {} : { function: name.trim().slice(0, 200) }),
  };
}

/** Where a test failed: in the code or in the test. */
export interface StackAnalysis {
  /** Where a repair would start: innermost frame in the code under test, else in the test itself. */
  readonly at?: StackFrame;
  /** What kind of file that is. */
  readonly where: 'code' | 'test' | 'unknown';
}

/** Finds the frame that matters among those of runner, runtime and packages. */
export function analyseStack(
  frames: readonly StackFrame[],
  of: { readonly cwd?: string; readonly testFile?: string },
): StackAnalysis {
  const testFile = of.testFile === undefined ? undefined : sourceFile(of.testFile, of.cwd);
  const seen = frames.map((frame) => ({ frame, file: sourceFile(frame.file, of.cwd) }));
  const own = seen.filter(({ file }) => !isForeign(file));
  const isTest = (file: string) => file === testFile || isTestFile(file);
  const code = own.filter(({ file }) => !isTest(file));
  // code in the working folder is what a repair can reach; other code still says more than the test
  const found = code.find(({ file }) => !isAbsoluteFile(file)) ?? code[0];
  if (found !== undefined) return { at: found.frame, where: 'code' };
  const test = own.find(({ file }) => file === testFile) ?? own[0];
  return test === undefined ? { where: 'unknown' } : { at: test.frame, where: 'test' };
}
