/**
 * What Python's `str.split()` divides at. Not JavaScript's `\s`: that takes U+FEFF and leaves the separators U+001C to
 * U+001F and the next-line character.
 */
export const WHITESPACE = '\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const GAPS = new RegExp(`[${WHITESPACE}]+`, 'u');

/** `text.lower().split()` as Python has it. */
export function whitespaceWords(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(GAPS)
    .filter((word) => word !== '');
}

/** `text.strip() == ''` as Python has it. */
export function hasNoWords(text: string): boolean {
  return text.split(GAPS).every((word) => word === '');
}
