const CASED = /\p{Cased}/u;
/** Whose decomposition ends with it. */
const IOTA_BELOW = /^[\u1f80-\u1faf\u1fb2-\u1fb4\u1fb7\u1fbc\u1fc2-\u1fc4\u1fc7\u1fcc\u1ff2-\u1ff4\u1ff7\u1ffc]$/;

/** `str.title()`: a letter is large after anything that has no case, so `o'neil` becomes `O'Neil`. */
export function titleCase(text: string): string {
  let out = '';
  let at = 0;
  let isAfterCased = false;
  for (const char of text) {
    at += char.length;
    out += isAfterCased ? lowered(char, text.slice(at)) : titled(char);
    isAfterCased = CASED.test(char);
  }
  return out;
}

/** A sigma is a final one or not by what follows it. */
function lowered(char: string, rest: string): string {
  return char === '\u03a3' ? `a${char}${rest}`.toLowerCase().charAt(1) : char.toLowerCase();
}

function titled(char: string): string {
  const special = digraph(char) ?? iotaSubscript(char);
  if (special !== undefined) return special;
  if (char >= '\u10d0' && char <= '\u10ff') return char; // Georgian has large letters, but no titles
  const large = char.toUpperCase();
  return large.length === char.length ? large : firstLarge(large);
}

/** One letter that becomes several, as \u00df does: only the first of them is large. */
function firstLarge(letters: string): string {
  const at = letters.search(CASED) + 1;
  return letters.slice(0, at) + letters.slice(at).toLowerCase();
}

/** Letters that are two in one have a form of their own with only the first one large. */
function digraph(char: string): string | undefined {
  const large = char.toUpperCase();
  return { '\u01c4': '\u01c5', '\u01c7': '\u01c8', '\u01ca': '\u01cb', '\u01f1': '\u01f2' }[large];
}

/** Greek vowels keep the small iota under them, which `toUpperCase` writes out beside them. */
function iotaSubscript(char: string): string | undefined {
  const vowel = char.toUpperCase().slice(0, -1);
  if (vowel === '' || !IOTA_BELOW.test(char)) return undefined;
  return vowel.length === 1 ? `${vowel}\u0345`.normalize('NFC') : `${vowel}\u0345`;
}
