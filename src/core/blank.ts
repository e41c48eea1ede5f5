/** Takes room and shows nothing, though Unicode counts it among the symbols: the empty braille cell, the null notehead. */
const EMPTY_SYMBOLS = '\u{2800}\u{1d159}';
const UNSEEN = new RegExp(`[\\p{Default_Ignorable_Code_Point}${EMPTY_SYMBOLS}]`, 'gu');
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether a text has nothing in it that anybody can read: then nothing was said, whatever its length. */
export function isBlank(text: string): boolean {
  return !SEEN.test(text.replace(UNSEEN, ''));
}
