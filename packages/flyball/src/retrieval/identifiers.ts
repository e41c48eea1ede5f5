/**
 * What a query must not lose on its way: numbers, quoted names, and words that nobody invents twice, such as
 * `close_bank_account_7392`, `RFC9110`, `dbc_83f5` or `user@example.org`. In the order in which they stand.
 */
export function identifiersIn(text: string): readonly string[] {
  const found = [...quoted(text), ...(text.match(TOKENS) ?? []).map(trimmed).filter(isIdentifier)];
  return [...new Set(found)];
}

/** Those that another text does not hold. Case and thousands separators do not count. */
export function lostIdentifiers(from: string, to: string): readonly string[] {
  const there = plain(to);
  return identifiersIn(from).filter((identifier) => !there.includes(plain(identifier)));
}

const TOKENS = /[\p{L}\p{N}_$%@#.,:/+'’-]+/gu;
const QUOTES = /"([^"\n]{2,80})"|“([^”\n]{2,80})”|‘([^’\n]{2,80})’|`([^`\n]{2,80})`/gu;

function quoted(text: string): readonly string[] {
  // a whole sentence in quotes is speech, not a name
  return [...text.matchAll(QUOTES)]
    .map((match) => match.slice(1).find((part) => part !== undefined) ?? '')
    .filter((name) => name.trim() !== '' && name.split(/\s+/).length <= 5 && !/[.!?]$/.test(name));
}

/** By hand: an expression for the end would be tried from every mark in the middle. */
function trimmed(token: string): string {
  const isMark = (at: number): boolean => ".,:'’/+-".includes(token.charAt(at));
  let [from, to] = [0, token.length];
  while (from < to && isMark(from)) from++;
  while (to > from && isMark(to - 1)) to--;
  return token.slice(from, to);
}

function isIdentifier(token: string): boolean {
  if (/\p{N}/u.test(token)) return true;
  return /\p{L}_\p{L}|\p{L}@\p{L}|\p{Ll}\p{Lu}/u.test(token);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/(?<=\d),(?=\d)/g, '');
}
