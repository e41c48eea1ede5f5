import { wordsOf } from './words.js';

/** Words that stand in every text and ask for nothing. */
export const SAYING_NOTHING: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its may me my ' +
    'no not of on or our shall should so than that the their them there these they this those to was we were what when ' +
    'where which while who whom why will with would you your'
  ).split(' '),
);

/** The words of a text that say something, brought to one form: what a search by words compares. */
export function termsOf(text: string): readonly string[] {
  return wordsOf(text)
    .filter((word) => !SAYING_NOTHING.has(word))
    .map(stemmed);
}

/**
 * Takes the commonest English endings off: plurals, `-ing` and `-ed`. It is meant to bring the forms of one word together
 * and need not be right about language; a word too short to lose anything stays as it is.
 */
export function stemmed(word: string): string {
  if (word.length <= 4 || /\p{N}/u.test(word)) return word;
  const singular = word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : /(?:ss|sh|ch|x)es$/.test(word)
      ? word.slice(0, -2)
      : /[^su]s$/.test(word)
        ? word.slice(0, -1)
        : word;
  if (singular.length > 5 && singular.endsWith('ing')) return singular.slice(0, -3);
  return singular.length > 4 && singular.endsWith('ed') ? singular.slice(0, -2) : singular;
}
