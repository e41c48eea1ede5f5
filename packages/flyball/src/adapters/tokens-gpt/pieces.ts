/** A token is merged from neighbors one by one, which costs the square of an unbroken run of characters. */
const LONGEST = 1000;

export interface Piece {
  readonly text: string;
  /** Cut inside a word: a token may have been cut in two, and what was one rule's work is now two's. */
  readonly torn: boolean;
}

/** The text in pieces that are quick to count: cut before white space, where tokens begin anyway, or where it must be. */
export function* pieces(text: string): Generator<Piece> {
  for (let from = 0; from < text.length; ) {
    if (text.length - from <= LONGEST) {
      yield { text: text.slice(from), torn: false };
      return;
    }
    const space = lastSpace(text, from);
    const end = space > from ? space : wholeCharacter(text, from + LONGEST);
    yield { text: text.slice(from, end), torn: space <= from };
    from = end;
  }
}

/** The last place before the limit where a word ends and white space begins. */
function lastSpace(text: string, from: number): number {
  for (let at = from + LONGEST; at > from; at--) {
    if (isSpace(text.charCodeAt(at)) && !isSpace(text.charCodeAt(at - 1))) return at;
  }
  return from;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Not between the two halves of a character. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
