import { featureAdvice, type ShellFeature } from './commands-features.js';

/** A word as the program would get it; `opaque` when part of it is known only once a shell has expanded it. */
export interface Word {
  readonly text: string;
  readonly opaque: boolean;
}

/** Raised inside the parser alone; its message is written for the model. */
export class Refusal extends Error {}

const META = new Set([' ', '\t', '\n', '|', '&', ';', '(', ')', '<', '>']);

/** Reads words: quotes, escapes, and whatever a shell would expand inside them. */
export abstract class WordParser {
  readonly features: Set<ShellFeature>;
  protected readonly text: string;
  protected readonly allowed: ReadonlySet<ShellFeature>;
  protected at = 0;

  constructor(text: string, allowed: ReadonlySet<ShellFeature>, features: Set<ShellFeature>) {
    this.text = text;
    this.allowed = allowed;
    this.features = features;
  }

  /** Commands up to `close`, which is taken. */
  abstract list(close: ')' | '}' | undefined): void;
  /** Commands written inside backticks. */
  protected abstract nested(text: string): void;

  protected word(): Word {
    const start = this.at;
    let text = '';
    let opaque = false;
    while (this.at < this.text.length && !META.has(this.peek())) {
      const char = this.peek();
      if (char === "'") text += this.singleQuoted();
      else if (char === '"') {
        const inner = this.doubleQuoted();
        text += inner.text;
        opaque ||= inner.opaque;
      } else if (char === '\\') text += this.escaped();
      else {
        const expanded = this.expansion(start);
        if (expanded === undefined) text += this.plain();
        else opaque = true;
        text += expanded ?? '';
      }
    }
    return { text, opaque };
  }

  /** What a shell would replace, outside quotes; undefined for an ordinary character. */
  private expansion(start: number): string | undefined {
    const char = this.peek();
    if (char === '$') return this.dollar(false);
    if (char === '`') return this.backticks();
    if (char === '*' || char === '?' || char === '[') return this.need('glob', 1);
    const before = this.at === start ? '' : this.peek(-1);
    if (char === '~' && (before === '' || before === '=' || before === ':')) return this.need('tilde', 1);
    if (char === '{' && /^\{[^\s{}]*(?:,|\.\.)/.test(this.text.slice(this.at))) return this.need('braces', 1);
    if (char === '!' && !/^!(?:[\s=]|$)/.test(this.text.slice(this.at))) return this.need('history', 1);
    return undefined;
  }

  private dollar(isQuoted: boolean): string | undefined {
    const rest = this.text.slice(this.at, this.at + 256);
    if (rest.startsWith('$((')) throw new Refusal('Arithmetic $(( )) is not allowed. Write the number.');
    if (!isQuoted && /^\$['"]/.test(rest)) throw new Refusal(`Quoting with ${rest.slice(0, 2)} is not allowed.`);
    if (rest.startsWith('$(')) {
      this.need('substitution', 2);
      this.list(')');
      return '';
    }
    const name = /^\$(?:[A-Za-z_]\w*|[0-9@*#?$!-]|\{[A-Za-z_]\w*\})/.exec(rest)?.[0];
    if (name !== undefined) return this.need('variable', name.length);
    if (!rest.startsWith('${')) return undefined;
    this.need('variable');
    throw new Refusal('Only a plain name in braces can be checked. Write out the value of the expression.');
  }

  private backticks(): string {
    this.need('substitution', 1);
    let inner = '';
    for (; this.peek() !== '`'; this.at++) {
      if (this.at >= this.text.length) throw new Refusal('A backtick is not closed.');
      if (this.peek() === '\\' && /[`\\$]/.test(this.peek(1))) this.at++;
      inner += this.peek();
    }
    this.at++;
    this.nested(inner);
    return '';
  }

  private singleQuoted(): string {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) throw new Refusal('A single quote is not closed.');
    const inner = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return inner;
  }

  private doubleQuoted(): Word {
    let text = '';
    let opaque = false;
    for (this.at++; this.peek() !== '"'; ) {
      if (this.at >= this.text.length) throw new Refusal('A double quote is not closed.');
      const expanded = this.peek() === '$' ? this.dollar(true) : this.peek() === '`' ? this.backticks() : undefined;
      if (expanded !== undefined) opaque = true;
      else {
        if (this.peek() === '\\' && /["\\$`]/.test(this.peek(1))) this.at++;
        text += this.text[this.at++] ?? '';
      }
    }
    this.at++;
    return { text, opaque };
  }

  private escaped(): string {
    const next = this.peek(1);
    if (next === '') throw new Refusal('The command line ends in a backslash.');
    if (next === '\n') throw new Refusal(featureAdvice('sequence'));
    this.at += 2;
    return next;
  }

  private plain(): string {
    const char = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    if (/[\p{Cc}\p{Cf}]/u.test(char))
      throw new Refusal('The command line contains an invisible character outside quotes.');
    if (/[\p{Z}]/u.test(char))
      throw new Refusal('The command line contains an unusual space outside quotes. Use plain ones.');
    this.at += char.length;
    return char;
  }

  protected need(feature: ShellFeature, width = 0): '' {
    if (!this.allowed.has(feature)) throw new Refusal(featureAdvice(feature));
    this.features.add(feature);
    this.at += width;
    return '';
  }

  protected blanks(): void {
    while (this.peek() === ' ' || this.peek() === '\t') this.at++;
  }

  protected take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  protected peek(ahead = 0): string {
    return this.text[this.at + ahead] ?? '';
  }
}
