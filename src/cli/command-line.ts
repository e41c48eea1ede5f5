/** Writes commands that a reader can paste: quoted for a shell, and with the database they need. */
export type CommandLine = (...words: readonly string[]) => string;

export function commandLineFor(databaseOption: string | undefined): CommandLine {
  const suffix = databaseOption === undefined ? '' : ` --db ${quoted(databaseOption)}`;
  return (...words) => `flyball ${words.map(quoted).join(' ')}${suffix}`;
}

export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
