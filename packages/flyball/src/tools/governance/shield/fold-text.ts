/**
 * Text as a reader takes it, whatever tricks it is written with: invisible characters gone, hidden tag characters made
 * visible, letters without accents, width and case. Keeps for each character where it stood, so that what is found can
 * be cut out of the original.
 */
export interface FoldedText {
  readonly text: string;
  /** The stretch of the original that a stretch of the folded text was read from. */
  span(start: number, end: number): { readonly start: number; readonly end: number };
}

/** Zero-width, directional, variation and filler characters: they show nothing and split words. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
/** Copies of ASCII that no font shows. */
const TAGS = { first: 0xe0020, last: 0xe007e, offset: 0xe0000 };

/** Letters of other scripts that look like Latin ones. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x', і: 'i', ј: 'j' },
  ...{ ѕ: 's', һ: 'h', ԁ: 'd', ԛ: 'q', ԝ: 'w', г: 'r', п: 'n', ӏ: 'l', ь: 'b' },
  ...{ α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x', γ: 'y', ω: 'w' },
  ...{ ı: 'i', ɡ: 'g', ɑ: 'a', ᴏ: 'o', ꓲ: 'i', ꓳ: 'o', ꓐ: 'b', ꓰ: 'e' },
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: plain text is the whole range
const ASCII = /^[\x00-\x7f]*$/;

export function foldText(original: string): FoldedText {
  if (ASCII.test(original)) return { text: original.toLowerCase(), span: (start, end) => ({ start, end }) };
  return fold(original, (letter) => letter);
}

/** Folded once more, with letters of other scripts read as the Latin ones they look like. */
export function latinize(original: string): FoldedText {
  if (ASCII.test(original)) return foldText(original);
  return fold(original, (letter) => LOOKALIKES[letter] ?? letter);
}

/** What literal words become in folded text. */
export function folded(text: string): string {
  return foldText(text).text;
}

function fold(original: string, read: (letter: string) => string): FoldedText {
  const letters: string[] = [];
  const origins: number[] = [];
  let at = 0;
  for (const character of original) {
    for (const letter of plainOf(character)) {
      const shown = read(letter);
      letters.push(shown);
      for (let unit = 0; unit < shown.length; unit++) origins.push(at);
    }
    at += character.length;
  }
  return {
    text: letters.join(''),
    // up to where the next character stood, so that invisible ones in between go along
    span: (start, end) => ({ start: origins[start] ?? original.length, end: origins[end] ?? original.length }),
  };
}

function plainOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return character.toLowerCase();
  if (code >= TAGS.first && code <= TAGS.last) return String.fromCharCode(code - TAGS.offset).toLowerCase();
  if (INVISIBLE.test(character)) return '';
  return character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
