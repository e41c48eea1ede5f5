/** Characters of text whose counts are kept. */
const KEPT_CHARACTERS = 4_000_000;

/** Counts a text once while it is in use. Two halves, of which the older is dropped when the newer is full: bounded. */
export function remembered(
  count: (text: string) => number,
  keptCharacters: number = KEPT_CHARACTERS,
): (text: string) => number {
  let newer = new Map<string, number>();
  let older = new Map<string, number>();
  let characters = 0;
  return (text) => {
    const known = newer.get(text);
    if (known !== undefined) return known;
    const tokens = older.get(text) ?? count(text);
    if (characters + text.length > keptCharacters / 2) {
      older = newer;
      newer = new Map();
      characters = 0;
    }
    newer.set(text, tokens);
    characters += text.length;
    return tokens;
  };
}
