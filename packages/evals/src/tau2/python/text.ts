import { floatText } from './float-text.js';
import type { PyValue } from './value.js';

export { titleCase } from './title-case.js';

/** What `\s` and `str.split()` take for blank, as the inside of a character class: it lacks U+FEFF, has U+001C to U+001F. */
export const SPACE_CLASS = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const SPACES = new RegExp(`[${SPACE_CLASS}]+`, 'u');
const OUTER_SPACES = new RegExp(`^[${SPACE_CLASS}]+|[${SPACE_CLASS}]+$`, 'gu');
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u;
/** Digits without being decimals: superscripts, circled digits and their like. */
const OTHER_DIGITS =
  '\\xb2\\xb3\\xb9\\u1369-\\u1371\\u19da\\u2070\\u2074-\\u2079\\u2080-\\u2089\\u2460-\\u2468\\u2474-\\u247c' +
  '\\u2488-\\u2490\\u24ea\\u24f5-\\u24fd\\u24ff\\u2776-\\u277e\\u2780-\\u2788\\u278a-\\u2792' +
  '\\u{10a40}-\\u{10a43}\\u{10e60}-\\u{10e68}\\u{11052}-\\u{1105a}\\u{1f100}-\\u{1f10a}';
const DIGITS = new RegExp(`^[\\p{Nd}${OTHER_DIGITS}]+$`, 'u');
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** `str(value)`. */
export function str(value: PyValue): string {
  return typeof value === 'string' ? value : repr(value);
}

/** `repr(value)`. */
export function repr(value: PyValue): string {
  if (value === null) return 'None';
  if (value instanceof Map) return `{${[...value].map(([key, item]) => `${quoted(key)}: ${repr(item)}`).join(', ')}}`;
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'bigint' ? value.toString() : floatText(value);
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = quote;
  for (const char of text) out += char === quote ? `\\${quote}` : (ESCAPES[char] ?? printable(char));
  return out + quote;
}

function printable(char: string): string {
  if (char === ' ' || !UNPRINTABLE.test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** `str.isdigit()`: superscripts count, the empty string does not. */
export function isDigit(text: string): boolean {
  return DIGITS.test(text);
}

/** `str.split()` without a separator. */
export function splitWords(text: string): string[] {
  return text.split(SPACES).filter((word) => word !== '');
}

/** `str.strip()`, or of any of the given characters. */
export function strip(text: string, characters?: string): string {
  if (characters === undefined) return text.replace(OUTER_SPACES, '');
  const all = [...text];
  const from = all.findIndex((char) => !characters.includes(char));
  const to = all.findLastIndex((char) => !characters.includes(char));
  return from < 0 ? '' : all.slice(from, to + 1).join('');
}

export function lower(text: string): string {
  return text.toLowerCase();
}

export function upper(text: string): string {
  return text.toUpperCase();
}

/** Length in code points: `len(text)`. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
