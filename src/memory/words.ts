/** The words of a text, however they are written: compatibility forms made one, case folded, punctuation gone. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** One line, short enough for a list; what was cut is marked. */
export function oneLine(text: string, length: number): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  const characters = Array.from(line); // never half of a surrogate pair
  return characters.length <= length
    ? line
    : `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`;
}
