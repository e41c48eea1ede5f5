import { redactSecrets } from '../../tools/governance/guards/secret-shapes.js';

/** A word longer than any key: what is held back is bounded. */
const LONGEST_WORD = 8_192;
const LONGEST_KEY_FILE = 24_000;
const KEY_FILE = '-----BEGIN ';
const KEY_FILE_HEAD = /^-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----/;

/**
 * Text that arrives in pieces, without secrets. One that is cut by the end of a piece would not be recognised, so the
 * last word is held back until it is whole, and a key file until its last line.
 */
export class SafeText {
  /** As far as it may be shown. Only ever grows. */
  safe = '';
  private held = '';
  private readonly known: readonly string[];

  constructor(known: readonly string[]) {
    this.known = known;
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

  private boundary(): number {
    const cut = Math.min(this.afterLastWord(), this.beforeKeyFile(), this.beforeKnown());
    return this.held.length - cut > LONGEST_KEY_FILE ? this.held.length : cut;
  }

  private afterLastWord(): number {
    for (let at = this.held.length - 1; at >= 0; at--) {
      const code = this.held.charCodeAt(at);
      if (code <= 32 || code > 127) return at + 1;
    }
    return this.held.length > LONGEST_WORD ? this.held.length : 0;
  }

  private beforeKeyFile(): number {
    const begin = this.held.lastIndexOf(KEY_FILE);
    if (begin < 0) return this.held.length;
    const rest = this.held.slice(begin);
    if (KEY_FILE_HEAD.test(rest)) return /-----END [A-Z ]{1,50}-----/.test(rest) ? this.held.length : begin;
    return rest.length < 70 && !rest.includes('\n') ? begin : this.held.length;
  }

  /** Known secrets may hold spaces: what could be the beginning of one stays. */
  private beforeKnown(): number {
    let cut = this.held.length;
    for (const secret of this.known) {
      for (let length = Math.min(secret.length - 1, this.held.length); length > 0; length--) {
        if (!this.held.endsWith(secret.slice(0, length))) continue;
        cut = Math.min(cut, this.held.length - length);
        break;
      }
    }
    return cut;
  }
}
