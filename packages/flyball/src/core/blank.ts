/** Takes room and shows nothing, though Unicode counts it among the symbols: the empty braille cell, the null notehead. */
const EMPTY_SYMBOLS = '\u{2800}\u{1d159}';
const UNSEEN = new RegExp(`[\\p{Default_Ignorable_Code_Point}${EMPTY_SYMBOLS}]`, 'gu');
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * The same for JSON Schema, in the words that all its regular expressions share (`\p` is not one of them): something
 * that is no space, no control and not unseen. It lets pass what only a table of Unicode tells apart, such as an accent
 * without its letter; `isBlank` judges.
 */
export const SEEN_PATTERN = `[^\\s\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8${'\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}'}]`;

/** Whether a text has nothing in it that anybody can read: then nothing was said, whatever its length. */
export function isBlank(text: string): boolean {
  return !SEEN.test(text.replace(UNSEEN, ''));
}
