import { bracePairs } from './braces.js';

type Span = readonly [from: number, to: number];

/** Languages whose blocks are indentation and not brackets. */
export function isIndented(artefact: string): boolean {
  return /\.(?:pyi?|ya?ml|nim|coffee|sass|pug|haml)$/i.test(artefact);
}

/** The function that holds the line, else the innermost block; undefined at the top level. */
export function blockAt(lines: readonly string[], line: number, indented: boolean): Span | undefined {
  return indented ? indentedBlock(lines, line) : (bracedBlock(lines, line) ?? indentedBlock(lines, line));
}

const CONTROL = /\b(?:if|else|for|while|switch|catch|do|try|finally|with|match|loop|unsafe)\b/;
const FUNCTION =
  /\b(?:function|func|fn|fun|def|sub|class|interface|struct|impl|trait|enum|constructor|get|set)\b|=>|\)/;

function bracedBlock(lines: readonly string[], line: number): Span | undefined {
  const around = bracePairs(lines).flatMap(([open, close]) => {
    const from = headerOf(lines, open);
    return from <= line && line <= close ? [{ from, open, close }] : [];
  });
  const innermostFirst = around.sort((a, b) => a.close - a.from - (b.close - b.from));
  const found = innermostFirst.find(({ from, open }) => isFunction(lines.slice(from - 1, open))) ?? innermostFirst[0];
  return found === undefined ? undefined : [found.from, found.close];
}

/** By the text in front of its body. */
function isFunction(header: readonly string[]): boolean {
  const text = header.join('\n').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  const front = text.slice(0, Math.max(0, text.lastIndexOf('{')));
  return FUNCTION.test(front) && !CONTROL.test(front);
}

const MOST_HEADER_LINES = 12;

/** A signature may begin above the line of its bracket, with its comment and decorators in front of it. */
function headerOf(lines: readonly string[], open: number): number {
  let from = open;
  const isPart = (text: string): boolean => text.trim() !== '' && !/[;{}]\s*$/.test(text.replace(/\/\/.*$/, ''));
  while (from > 1 && open - from < MOST_HEADER_LINES && isPart(lines[from - 2] ?? '')) from--;
  return from;
}

const DEFINITION = /^\s*(?:async\s+def|def|class)\b/;

/** Upwards to the definition that is indented less; to the nearest such line where there is no definition. */
function indentedBlock(lines: readonly string[], line: number): Span | undefined {
  const start = lastFilled(lines, line);
  const own = lines[start - 1] ?? '';
  if (DEFINITION.test(own)) return bodyOf(lines, start);
  let nearest: number | undefined;
  let margin = indentOf(own);
  for (let at = start - 1; at >= 1 && margin > 0; at--) {
    const text = lines[at - 1] ?? '';
    if (text.trim() === '' || indentOf(text) >= margin) continue;
    margin = indentOf(text);
    nearest ??= at;
    if (DEFINITION.test(text)) return bodyOf(lines, at);
  }
  return nearest === undefined ? undefined : bodyOf(lines, nearest);
}

function bodyOf(lines: readonly string[], header: number): Span {
  const margin = indentOf(lines[header - 1] ?? '');
  let from = header;
  while (from > 1 && /^\s*@/.test(lines[from - 2] ?? '') && indentOf(lines[from - 2] ?? '') === margin) from--;
  let to = header;
  for (let at = header + 1; at <= lines.length; at++) {
    const text = lines[at - 1] ?? '';
    if (text.trim() === '') continue;
    const isClosing = /^\s*[)\]}]/.test(text) && indentOf(text) === margin;
    if (indentOf(text) <= margin && !isClosing) break;
    to = at;
  }
  return [from, to];
}

function lastFilled(lines: readonly string[], line: number): number {
  let at = line;
  while (at > 1 && (lines[at - 1] ?? '').trim() === '') at--;
  return at;
}

const TAB = 8;

function indentOf(text: string): number {
  const space = /^[ \t]*/.exec(text)?.[0] ?? '';
  return [...space].reduce((width, character) => width + (character === '\t' ? TAB : 1), 0);
}

/** The line that defines a name, else the first one that calls something by it. */
export function namedLine(lines: readonly string[], name: string | undefined): number | undefined {
  const word = name?.split('.').at(-1)?.trim() ?? '';
  if (!/^[\p{L}\p{N}_$]+$/u.test(word)) return undefined;
  const holds = (text: string, after: RegExp): boolean => {
    const at = text.search(new RegExp(`(?<![\\p{L}\\p{N}_$])${word.replaceAll('$', '\\$')}(?![\\p{L}\\p{N}_$])`, 'u'));
    return at >= 0 && after.test(text);
  };
  const defined = lines.findIndex((text) =>
    holds(text, /\b(?:function|func|fn|fun|def|sub|class|interface|struct|const|let|var|type|enum)\b/),
  );
  const found = defined >= 0 ? defined : lines.findIndex((text) => holds(text, /\(/));
  return found < 0 ? undefined : found + 1;
}
