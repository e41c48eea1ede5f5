import { redactSecrets, secretForms } from 'flyball/internal';

/** A word longer than any key: what is held back is bounded. */
const LONGEST_WORD = 8_192;
const LONGEST_KEY_FILE = 24_000;
const KEY_FILE = '-----BEGIN ';
type Span = readonly [start: number, end: number];
const LONGEST_HEAD = 70;
const KEY_FILE_END = /-----END [A-Z ]{1,50}-----/;
const KEY_FILE_HEAD = /^-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----/;

/**
 * Text that arrives in pieces, without secrets. One that is cut by the end of a piece would not be recognized, so the
 * last word is held back until it is whole, and a key file until its last line.
 */
export class SafeText {
  /** As far as it may be shown. Only ever grows. */
  safe = '';
  private held = '';
  private readonly known: readonly string[];
  private readonly forms: readonly string[];

  constructor(known: readonly string[]) {
    this.known = known;
    this.forms = secretForms(known);
  }

  add(text: string): void {
    this.held += text;
    const cut = this.boundary();
    if (cut > 0) this.release(cut);
  }

  /** Nothing more comes. */
  close(): void {
    this.release(this.held.length);
  }

  private release(cut: number): void {
    this.safe += redactSecrets(this.held.slice(0, cut), this.known);
    this.held = this.held.slice(cut);
  }

  /** As far as can be shown without cutting through anything that may be a secret. */
  private boundary(): number {
    let cut = this.afterLastWord();
    const spans = [...this.keyFiles(), ...this.knownSecrets()];
    for (let before = -1; before !== cut; ) {
      before = cut;
      for (const [start, end] of spans) if (start < cut && cut < end) cut = start;
    }
    return this.held.length - cut > LONGEST_KEY_FILE ? this.held.length : cut;
  }

  private afterLastWord(): number {
    for (let at = this.held.length - 1; at >= 0; at--) {
      const code = this.held.charCodeAt(at);
      // a color begins with an escape character: without that, what follows it would not be recognized
      if ((code <= 32 && code !== 27) || code > 127) return at + 1;
    }
    return this.held.length > LONGEST_WORD ? this.held.length : 0;
  }

  /** From its first line to its last; one that has not ended goes on for as long as it may. */
  private *keyFiles(): Iterable<Span> {
    for (let begin = this.held.indexOf(KEY_FILE); begin >= 0; begin = this.held.indexOf(KEY_FILE, begin + 1)) {
      const rest = this.held.slice(begin);
      if (KEY_FILE_HEAD.test(rest)) {
        const end = KEY_FILE_END.exec(rest);
        yield [begin, end === null ? Number.POSITIVE_INFINITY : begin + end.index + end[0].length];
      } else if (rest.length < LONGEST_HEAD && !rest.includes('\n')) yield [begin, Number.POSITIVE_INFINITY];
    }
  }

  /** Known secrets may hold spaces: whole ones, and what may be the beginning of one. */
  private *knownSecrets(): Iterable<Span> {
    for (const secret of this.forms) {
      for (let at = this.held.indexOf(secret); at >= 0; at = this.held.indexOf(secret, at + 1))
        yield [at, at + secret.length];
      for (let length = Math.min(secret.length - 1, this.held.length); length > 0; length--) {
        if (!this.held.endsWith(secret.slice(0, length))) continue;
        yield [this.held.length - length, Number.POSITIVE_INFINITY];
        break;
      }
    }
  }
}
