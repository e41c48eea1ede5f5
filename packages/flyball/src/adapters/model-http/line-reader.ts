import { StringDecoder } from 'node:string_decoder';

/** Lines out of bytes that arrive in pieces of any size, also such that cut through a character. */
export class LineReader {
  private readonly decoder = new StringDecoder('utf8');
  private readonly onLine: (line: string) => void;
  private rest = '';

  constructor(onLine: (line: string) => void) {
    this.onLine = onLine;
  }

  take(chunk: Buffer): void {
    const piece = this.decoder.write(chunk);
    if (!piece.includes('\n')) {
      this.rest += piece; // not searched again: a long line in many pieces would cost their square
      return;
    }
    const text = this.rest + piece;
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      this.onLine(text.slice(from, text[at - 1] === '\r' ? at - 1 : at));
      from = at + 1;
    }
    this.rest = text.slice(from);
  }

  /** What stands after the last line break, as a line of its own where there is something. */
  end(): void {
    const last = this.rest + this.decoder.end();
    this.rest = '';
    if (last !== '') this.onLine(last);
  }
}
