import type { PyValue } from '../python/value.js';
import type { Token } from './tokens.js';

/** The few expressions that signatures, decorators and type aliases are made of. */
export type Expression =
  | { readonly kind: 'constant'; readonly value: PyValue }
  | { readonly kind: 'name'; readonly path: readonly string[] }
  | { readonly kind: 'subscript'; readonly of: Expression; readonly items: readonly Expression[] }
  | { readonly kind: 'call'; readonly of: Expression; readonly arguments: readonly Argument[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  /** `A | B`. */
  | { readonly kind: 'either'; readonly of: readonly Expression[] };

export interface Argument {
  readonly name: string | undefined;
  readonly value: Expression;
}

const WORDS: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ['None', null],
  ['True', true],
  ['False', false],
]);

/** Reads tokens one after the other. `expression` answers undefined where something stands that is none of ours. */
export class TokenReader {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  get isDone(): boolean {
    return this.at >= this.tokens.length;
  }

  takes(text: string): boolean {
    const token = this.tokens[this.at];
    if (token === undefined || token.kind === 'string' || token.text !== text) return false;
    this.at++;
    return true;
  }

  name(): string | undefined {
    const token = this.tokens[this.at];
    if (token?.kind !== 'name') return undefined;
    this.at++;
    return token.text;
  }

  expression(): Expression | undefined {
    const parts = [this.postfix()];
    while (this.takes('|')) parts.push(this.postfix());
    const known = parts.filter((part) => part !== undefined);
    if (known.length !== parts.length) return undefined;
    return known.length === 1 ? known[0] : { kind: 'either', of: known };
  }

  /** What stands between here and the closing bracket, which is taken too. */
  arguments(close: string): readonly Argument[] | undefined {
    const found: Argument[] = [];
    while (!this.takes(close)) {
      const mark = this.at;
      const name = this.name();
      const isNamed = name !== undefined && this.takes('=');
      if (!isNamed) this.at = mark;
      const value = this.expression();
      if (value === undefined) return undefined;
      found.push({ name: isNamed ? name : undefined, value });
      if (!this.takes(',') && !this.isAt(close)) return undefined;
    }
    return found;
  }

  private isAt(text: string): boolean {
    const token = this.tokens[this.at];
    return token !== undefined && token.kind !== 'string' && token.text === text;
  }

  private postfix(): Expression | undefined {
    let left = this.atom();
    while (left !== undefined && (this.isAt('[') || this.isAt('('))) left = this.after(left);
    return left;
  }

  private after(of: Expression): Expression | undefined {
    if (this.takes('(')) {
      const given = this.arguments(')');
      return given && { kind: 'call', of, arguments: given };
    }
    this.takes('[');
    const items = this.arguments(']');
    return items && { kind: 'subscript', of, items: items.map(({ value }) => value) };
  }

  private atom(): Expression | undefined {
    const token = this.tokens[this.at];
    if (token === undefined) return undefined;
    if (token.kind === 'string') return this.strings();
    if (token.kind === 'name') return this.dotted();
    if (this.takes('[')) {
      const items = this.arguments(']');
      return items && { kind: 'list', items: items.map(({ value }) => value) };
    }
    const sign = this.takes('-') ? '-' : '';
    const number = this.tokens[this.at];
    if (number?.kind !== 'number') return undefined;
    this.at++;
    return numberOf(sign + number.text.replaceAll('_', ''));
  }

  /** Literals side by side are one. */
  private strings(): Expression | undefined {
    let text: string | undefined = '';
    for (let token = this.tokens[this.at]; token?.kind === 'string'; token = this.tokens[++this.at])
      text = text === undefined || token.text === undefined ? undefined : text + token.text;
    return text === undefined ? undefined : { kind: 'constant', value: text };
  }

  private dotted(): Expression | undefined {
    const first = this.name() ?? '';
    const word = WORDS.get(first);
    if (word !== undefined) return { kind: 'constant', value: word };
    const path = [first];
    while (this.takes('.')) {
      const next = this.name();
      if (next === undefined) return undefined;
      path.push(next);
    }
    return { kind: 'name', path };
  }
}

function numberOf(text: string): Expression | undefined {
  if (/^-?\d+$/.test(text)) return { kind: 'constant', value: BigInt(text) };
  return /^-?\d+\.?\d*(?:e[-+]?\d+)?$/i.test(text) ? { kind: 'constant', value: Number(text) } : undefined;
}
