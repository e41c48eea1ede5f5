import { decodeError } from './json-position.js';

const SIMPLE: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const HEX = /^[0-9a-fA-F]{4}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: raw control characters are what it looks for
const NOTABLE = /["\\\u0000-\u001f]/g;

/** Reads a string whose opening quote stands before `start`; gives it with the place after its closing quote. */
export function readString(text: string, start: number): readonly [value: string, end: number] {
  let value = '';
  let from = start;
  for (;;) {
    NOTABLE.lastIndex = from;
    const at = NOTABLE.exec(text)?.index;
    if (at === undefined) throw decodeError('Unterminated string starting at', text, start - 1);
    value += text.slice(from, at);
    const char = text.charAt(at);
    if (char === '"') return [value, at + 1];
    if (char !== '\\') throw decodeError('Invalid control character at', text, at);
    const [escaped, end] = readEscape(text, at, start);
    value += escaped;
    from = end;
  }
}

function readEscape(text: string, at: number, start: number): readonly [value: string, end: number] {
  const kind = text.charAt(at + 1);
  if (kind === '') throw decodeError('Unterminated string starting at', text, start - 1);
  if (kind === 'u') return readUnit(text, at);
  const simple = SIMPLE[kind];
  if (simple === undefined) throw decodeError('Invalid \\escape', text, at);
  return [simple, at + 2];
}

/** A surrogate without its other half is kept: two halves that meet make a pair by themselves in UTF-16. */
function readUnit(text: string, at: number): readonly [value: string, end: number] {
  const hex = text.slice(at + 2, at + 6);
  // Python wants something after the escape, if only the closing quote
  if (at + 6 >= text.length || !HEX.test(hex)) throw decodeError('Invalid \\uXXXX escape', text, at + 1);
  return [String.fromCharCode(Number.parseInt(hex, 16)), at + 6];
}
