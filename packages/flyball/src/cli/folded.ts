/** In front of what continues a line: nothing that we write begins like this. */
const CONTINUED = '  ↳ ';
const ESCAPE = String.fromCharCode(27);
/** Codes of colors take no room. */
const PIECES = new RegExp(`${ESCAPE}\\[\\d+m|[\\s\\S]`, 'gu');

/**
 * A line for a terminal of so many columns. A terminal breaks a long line by itself and begins the next one at its edge,
 * where a text that was padded to the right length would look like a line of ours: so it is broken here, with a mark.
 */
export function foldedLine(line: string, width: number): string {
  if (line.length <= width / 2) return line; // no character is wider than two columns
  return new Folding(width, CONTINUED).fold(line);
}

/** Text that arrives in pieces. */
export class Folding {
  /** Where the cursor stands. */
  column = 0;
  private readonly width: number;
  private readonly margin: string;

  constructor(width: number, margin: string) {
    this.width = width;
    this.margin = margin;
  }

  fold(text: string): string {
    let folded = '';
    for (const [piece] of text.matchAll(PIECES)) {
      const columns = columnsOf(piece, this.column);
      if (this.column + columns > this.width) {
        folded += `\n${this.margin}`;
        this.column = this.margin.length;
      }
      folded += piece;
      this.column = piece === '\n' ? 0 : this.column + columns;
    }
    return folded;
  }
}

/** At most: some take less, and what is not ASCII may take two. */
function columnsOf(piece: string, column: number): number {
  if (piece === '\n' || piece.length > 2) return 0;
  if (piece === '\t') return 8 - (column % 8);
  return piece >= ' ' && piece <= '~' ? 1 : 2;
}
