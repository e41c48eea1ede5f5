import { typeName } from './equality.js';
import { decodeError } from './json-position.js';
import { readString } from './json-string.js';
import { MAX_INT_DIGITS, tooManyDigits } from './number.js';
import { type PyDict, PyError, type PyValue } from './value.js';

export { type DumpOptions, dumpJson } from './json-dump.js';

export interface ParseOptions {
  /** `float`: whole numbers are read as floats (`parse_int=float`). */
  readonly integers?: 'int' | 'float';
}

/** Deeper than any record, and well below the depth at which the reference or we run out of stack. */
const MAX_DEPTH = 900;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const BLANK = /[ \t\n\r]*/y;
const WORDS: readonly (readonly [string, PyValue])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];

/** `json.loads`, its errors included. Anything but a text is the TypeError that it raises for it. */
export function parseJson(text: PyValue, options: ParseOptions = {}): PyValue {
  if (typeof text !== 'string') {
    const problem = `the JSON object must be str, bytes or bytearray, not ${typeName(text)}`;
    throw new PyError('TypeError', problem);
  }
  if (text.startsWith('\ufeff')) throw decodeError('Unexpected UTF-8 BOM (decode using utf-8-sig)', text, 0);
  const reader = new Reader(text, options.integers === 'float');
  return reader.whole();
}

class Reader {
  readonly #text: string;
  readonly #asFloats: boolean;
  #at = 0;
  #depth = 0;

  constructor(text: string, asFloats: boolean) {
    this.#text = text;
    this.#asFloats = asFloats;
  }

  whole(): PyValue {
    this.#skip();
    const value = this.#value();
    this.#skip();
    if (this.#at !== this.#text.length) throw decodeError('Extra data', this.#text, this.#at);
    return value;
  }

  #value(): PyValue {
    const char = this.#text.charAt(this.#at);
    if (char === '"') return this.#string();
    if (char === '{') return this.#nested('object', () => this.#object());
    if (char === '[') return this.#nested('array', () => this.#array());
    const word = WORDS.find(([name]) => this.#text.startsWith(name, this.#at));
    if (word === undefined) return this.#number();
    this.#at += word[0].length;
    return word[1];
  }

  #nested(kind: string, read: () => PyValue): PyValue {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      const problem = `maximum recursion depth exceeded while decoding a JSON ${kind} from a unicode string`;
      throw new PyError('RecursionError', problem);
    }
    this.#at += 1;
    this.#skip();
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): PyDict {
    const dict: PyDict = new Map();
    if (this.#take('}')) return dict;
    for (;;) {
      if (this.#text.charAt(this.#at) !== '"') throw this.#expecting('property name enclosed in double quotes');
      const key = this.#string();
      this.#skip();
      if (!this.#take(':')) throw this.#expecting("':' delimiter");
      this.#skip();
      dict.set(key, this.#value());
      this.#skip();
      if (this.#take('}')) return dict;
      this.#comma();
    }
  }

  #array(): PyValue[] {
    const list: PyValue[] = [];
    if (this.#take(']')) return list;
    for (;;) {
      list.push(this.#value());
      this.#skip();
      if (this.#take(']')) return list;
      this.#comma();
    }
  }

  #comma(): void {
    if (!this.#take(',')) throw this.#expecting("',' delimiter");
    this.#skip();
  }

  #string(): string {
    const [value, end] = readString(this.#text, this.#at + 1);
    this.#at = end;
    return value;
  }

  #number(): PyValue {
    NUMBER.lastIndex = this.#at;
    const [found, fraction, exponent] = NUMBER.exec(this.#text) ?? [];
    if (found === undefined) throw this.#expecting('value');
    this.#at += found.length;
    if (fraction !== undefined || exponent !== undefined || this.#asFloats) return Number(found);
    return wholeNumber(found);
  }

  #take(char: string): boolean {
    if (this.#text.charAt(this.#at) !== char) return false;
    this.#at += 1;
    return true;
  }

  #skip(): void {
    BLANK.lastIndex = this.#at;
    BLANK.test(this.#text);
    this.#at = BLANK.lastIndex;
  }

  #expecting(what: string): PyError {
    return decodeError(`Expecting ${what}`, this.#text, this.#at);
  }
}

function wholeNumber(text: string): bigint {
  const digits = text.startsWith('-') ? text.length - 1 : text.length;
  if (digits > MAX_INT_DIGITS) throw tooManyDigits(digits);
  return BigInt(text);
}
