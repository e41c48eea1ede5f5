/** Writes commands that a reader can paste: quoted for a shell, and with the database they need. */
export type CommandLine = (...words: readonly string[]) => string;

export function commandLineFor(databaseOption: string | undefined): CommandLine {
  const suffix = databaseOption === undefined ? '' : ` --db ${quoted(databaseOption)}`;
  return (...words) => `flyball ${words.map(quoted).join(' ')}${suffix}`;
}

export function quoted(word: string): string {
  if (UNPRINTABLE.test(word))
    return `$'${word.replaceAll(/['\\]/g, '\\$&').replaceAll(new RegExp(UNPRINTABLE, 'gu'), escaped)}'`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What must not be printed as it is, since a name can come from a model. Shells read the escapes between `$'` and `'`. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

function escaped(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
