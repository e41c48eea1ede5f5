import { typeName } from './equality.js';
import { repr, SPACE_CLASS } from './text.js';
import { PyError, type PyValue } from './value.js';

export { fixed, roundTo, thousands } from './fixed.js';
export { floatText } from './float-text.js';
export { formatFixed } from './format.js';

/** Digits may be parted by single underscores. */
const RUN = '[0-9](?:_?[0-9])*';
const FLOAT = new RegExp(`^[+-]?(?:${RUN}(?:\\.(?:${RUN})?)?|\\.${RUN})(?:[eE][+-]?${RUN})?$`);
const INT = new RegExp(`^[+-]?${RUN}$`);
const NAMED = /^([+-]?)(?:(inf|infinity)|nan)$/i;
/** Around numbers the separators U+001C to U+001F are no blanks, though they are everywhere else. */
const OUTER = new RegExp(`^(?:(?![\\x1c-\\x1f])[${SPACE_CLASS}])+|(?:(?![\\x1c-\\x1f])[${SPACE_CLASS}])+$`, 'gu');
const OTHER_DECIMALS = /(?![0-9])\p{Nd}/gu;

/** `float(value)`. */
export function toFloat(value: PyValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return floatOfInt(value);
  if (typeof value === 'string') return floatOfText(value);
  const type = `'${typeName(value)}'`;
  throw new PyError('TypeError', `float() argument must be a string or a real number, not ${type}`);
}

/** `int(value)`. */
export function toInt(value: PyValue): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'number') return truncated(value);
  if (typeof value === 'string') return intOfText(value);
  const type = `'${typeName(value)}'`;
  throw new PyError('TypeError', `int() argument must be a string, a bytes-like object or a real number, not ${type}`);
}

export function floatOfInt(value: bigint): number {
  const float = Number(value);
  if (Number.isFinite(float)) return float;
  throw new PyError('OverflowError', 'int too large to convert to float');
}

/** Towards zero. */
function truncated(value: number): bigint {
  if (Number.isNaN(value)) throw new PyError('ValueError', 'cannot convert float NaN to integer');
  if (!Number.isFinite(value)) throw new PyError('OverflowError', 'cannot convert float infinity to integer');
  return BigInt(Math.trunc(value));
}

function floatOfText(text: string): number {
  const plain = asciiDigits(text.replace(OUTER, ''));
  if (FLOAT.test(plain)) return Number(plain.replaceAll('_', ''));
  const named = NAMED.exec(plain);
  if (named === null) throw new PyError('ValueError', `could not convert string to float: ${repr(text)}`);
  if (named[2] === undefined) return Number.NaN;
  return named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** More digits than this are not read: it would take too long. */
export const MAX_INT_DIGITS = 4300;

export function tooManyDigits(digits: number): PyError {
  const limit = `Exceeds the limit (${MAX_INT_DIGITS} digits) for integer string conversion`;
  const advice = 'use sys.set_int_max_str_digits() to increase the limit';
  return new PyError('ValueError', `${limit}: value has ${digits} digits; ${advice}`);
}

function intOfText(text: string): bigint {
  const plain = asciiDigits(text.replace(OUTER, ''));
  if (!INT.test(plain)) {
    throw new PyError('ValueError', `invalid literal for int() with base 10: ${repr(text)}`);
  }
  const digits = plain.replaceAll('_', '').replace(/^[+-]/, '');
  if (digits.length > MAX_INT_DIGITS) throw tooManyDigits(digits.length);
  return plain.startsWith('-') ? -BigInt(digits) : BigInt(digits);
}

/** Decimals of every script count. */
function asciiDigits(text: string): string {
  return text.replace(OTHER_DECIMALS, (char) => String(decimalOf(char.codePointAt(0) ?? 0)));
}

const IS_DECIMAL = /^\p{Nd}$/u;

/** Runs of decimals start with their zero; runs that touch are each ten long. */
function decimalOf(code: number): number {
  let start = code;
  while (IS_DECIMAL.test(String.fromCodePoint(start - 1))) start -= 1;
  return (code - start) % 10;
}
