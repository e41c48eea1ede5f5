import { PatternError } from './syntax.js';

/** Reads a pattern token by token: one character, or a backslash together with what follows it. */
export class Source {
  /** The token that is read next; undefined at the end. */
  next: string | undefined;
  private at = 0;
  private readonly characters: readonly string[];

  constructor(pattern: string) {
    this.characters = Array.from(pattern);
    this.advance();
  }

  /** Where the next token begins, in characters. */
  get position(): number {
    return this.at - Array.from(this.next ?? '').length;
  }

  get(): string | undefined {
    const token = this.next;
    this.advance();
    return token;
  }

  match(token: string): boolean {
    if (this.next !== token) return false;
    this.advance();
    return true;
  }

  /** At most `most` tokens that are among these characters. */
  take(most: number, among: RegExp): string {
    let taken = '';
    for (let count = 0; count < most && this.next !== undefined && among.test(this.next); count++)
      taken += this.get() ?? '';
    return taken;
  }

  until(end: string, what: string): string {
    for (let taken = ''; ; ) {
      const token = this.get();
      if (token === undefined) throw new PatternError(taken === '' ? `missing ${what}` : `missing ${end}`);
      if (token === end) {
        if (taken === '') throw new PatternError(`missing ${what}`);
        return taken;
      }
      taken += token;
    }
  }

  seek(position: number): void {
    this.at = position;
    this.advance();
  }

  private advance(): void {
    const first = this.characters[this.at];
    this.next = first;
    if (first === undefined) return;
    this.at++;
    if (first !== '\\') return;
    const second = this.characters[this.at];
    if (second === undefined) throw new PatternError('bad escape at the end of the pattern');
    this.at++;
    this.next = first + second;
  }
}
