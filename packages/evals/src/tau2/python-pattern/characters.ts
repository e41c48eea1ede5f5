import { WHITESPACE } from 'flyball/internal';
import type { Category } from './syntax.js';

const DIGIT = /^\p{Nd}$/u;
const WORD = /^[\p{L}\p{N}_]$/u;
const SPACE = new RegExp(`^[${WHITESPACE}]$`, 'u');
const ASCII: Readonly<Record<Category, RegExp>> = { digit: /^[0-9]$/, word: /^[a-zA-Z0-9_]$/, space: /^[ \t-\r]$/ };
const UNICODE: Readonly<Record<Category, RegExp>> = { digit: DIGIT, word: WORD, space: SPACE };

export function isIn(category: Category, code: number, ascii: boolean): boolean {
  return (ascii ? ASCII : UNICODE)[category].test(String.fromCodePoint(code));
}

/** The lower-case letter, where there is one of a single character, and otherwise the first of several. */
export function lowerCase(code: number, ascii: boolean): number {
  if (code < 128) return code >= 65 && code <= 90 ? code + 32 : code;
  return ascii ? code : (String.fromCodePoint(code).toLowerCase().codePointAt(0) ?? code);
}

/**
 * Lower-case letters that differ and have the same upper case, so that a search that ignores case takes one for another:
 * the long s and s, the two small sigmas, and so on. From the Unicode character database.
 */
const SAME_UPPER_CASE: readonly (readonly number[])[] = [
  [0x69, 0x131],
  [0x73, 0x17f],
  [0xb5, 0x3bc],
  [0x345, 0x3b9, 0x1fbe],
  [0x390, 0x1fd3],
  [0x3b0, 0x1fe3],
  [0x3b2, 0x3d0],
  [0x3b5, 0x3f5],
  [0x3b8, 0x3d1],
  [0x3ba, 0x3f0],
  [0x3c0, 0x3d6],
  [0x3c1, 0x3f1],
  [0x3c2, 0x3c3],
  [0x3c6, 0x3d5],
  [0x432, 0x1c80],
  [0x434, 0x1c81],
  [0x43e, 0x1c82],
  [0x441, 0x1c83],
  [0x442, 0x1c84, 0x1c85],
  [0x44a, 0x1c86],
  [0x463, 0x1c87],
  [0x1c88, 0xa64b],
  [0x1e61, 0x1e9b],
  [0xfb05, 0xfb06],
];
const TWINS: ReadonlyMap<number, readonly number[]> = new Map(
  SAME_UPPER_CASE.flatMap((group) => group.map((code) => [code, group] as const)),
);

/** A lower-case letter with those that count as the same when case is ignored. */
export function twinsOf(lower: number, ascii: boolean): readonly number[] {
  return (ascii ? undefined : TWINS.get(lower)) ?? [lower];
}

/** Capitals whose lower case is not simply that of the letter's own upper case. */
const OTHER_CAPITALS: ReadonlyMap<number, readonly number[]> = new Map([
  [0x69, [0x130]],
  [0x6b, [0x212a]],
  [0xdf, [0x1e9e]],
  [0xe5, [0x212b]],
  [0x3b8, [0x3f4]],
  [0x3c9, [0x2126]],
  [0x1c6, [0x1c5]],
  [0x1c9, [0x1c8]],
  [0x1cc, [0x1cb]],
  [0x1f3, [0x1f2]],
]);

/** All characters whose lower case this is, itself among them. */
export function formsOf(lower: number, ascii: boolean): readonly number[] {
  if (ascii) return lower >= 97 && lower <= 122 ? [lower, lower - 32] : [lower];
  const upper = String.fromCodePoint(lower).toUpperCase();
  const capital = upper.codePointAt(0) ?? lower;
  const own = Array.from(upper).length === 1 && lowerCase(capital, false) === lower ? [capital] : [];
  return [lower, ...own, ...(OTHER_CAPITALS.get(lower) ?? [])];
}
