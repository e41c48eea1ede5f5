import { stringValue } from './string-literal.js';

export type Token =
  | { readonly kind: 'name' | 'number' | 'mark'; readonly text: string }
  /** `text` is what the literal means; undefined where it is made up when the program runs. */
  | { readonly kind: 'string'; readonly text: string | undefined };

/** A statement's line: brackets and backslashes join several lines of the file into one. */
export interface LogicalLine {
  readonly indent: number;
  readonly tokens: readonly Token[];
  /** Of the file, counted from 1. */
  readonly number: number;
}

const STRING =
  /([rRbBuUfF]{0,2})("""[\s\S]*?(?<!\\)(?:\\\\)*"""|'''[\s\S]*?(?<!\\)(?:\\\\)*'''|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*')/y;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /\d[\w.]*/y;
const BLANK = /(?:[ \t\f\r]|#[^\n]*|\\\r?\n)+/y;

/** Cuts a Python file into lines of tokens. What stands in function bodies is cut too, and never understood. */
export function logicalLines(source: string): readonly LogicalLine[] {
  const lines: LogicalLine[] = [];
  let tokens: Token[] = [];
  let [at, depth, indent, number, began] = [0, 0, indentAt(source, 0), 1, 1];
  const end = (): void => {
    if (tokens.length > 0) lines.push({ indent, tokens, number: began });
    tokens = [];
  };
  const match = (form: RegExp): string | undefined => {
    form.lastIndex = at;
    return form.exec(source)?.[0];
  };
  while (at < source.length) {
    const passed = match(BLANK);
    if (passed !== undefined) {
      number += newlinesIn(passed);
      at += passed.length;
      continue;
    }
    if (source[at] === '\n') {
      number++;
      at++;
      if (depth > 0) continue;
      end();
      [indent, began] = [indentAt(source, at), number];
      continue;
    }
    const found = tokenAt(match, source.charAt(at));
    if (found.token.kind === 'mark') depth = Math.max(0, depth + depthOf(found.token.text));
    tokens.push(found.token);
    number += newlinesIn(found.taken);
    at += found.taken.length;
  }
  end();
  return lines;
}

function tokenAt(
  match: (form: RegExp) => string | undefined,
  mark: string,
): { readonly token: Token; readonly taken: string } {
  const string = match(STRING);
  if (string !== undefined) return { token: { kind: 'string', text: stringValue(string) }, taken: string };
  const word = match(WORD);
  if (word !== undefined) return { token: { kind: 'name', text: word }, taken: word };
  const number = match(NUMBER);
  if (number !== undefined) return { token: { kind: 'number', text: number }, taken: number };
  return { token: { kind: 'mark', text: mark }, taken: mark };
}

function depthOf(mark: string): number {
  if ('([{'.includes(mark)) return 1;
  return ')]}'.includes(mark) ? -1 : 0;
}

/** A tab counts to the next multiple of eight, as Python has it. */
function indentAt(source: string, from: number): number {
  let indent = 0;
  for (let at = from; at < source.length; at++) {
    if (source[at] === ' ') indent++;
    else if (source[at] === '\t') indent += 8 - (indent % 8);
    else break;
  }
  return indent;
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1;
}
