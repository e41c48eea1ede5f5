import { floatText } from './float-text.js';

/** `{:.Nf}`: the exact binary value, ties to even, never an exponent. */
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return floatText(value);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const scaled = scaledHalfEven(Math.abs(value), digits)
    .toString()
    .padStart(digits + 1, '0');
  if (digits === 0) return sign + scaled;
  return `${sign}${scaled.slice(0, -digits)}.${scaled.slice(-digits)}`;
}

/** `round(value, digits)` of a float; negative digits round before the point. */
export function roundTo(value: number, digits: number): number {
  if (!Number.isFinite(value)) return value;
  if (digits >= 0) return digits > 350 ? value : Number(fixed(value, digits));
  const places = Math.min(-digits, 400);
  const rounded = Number(`${scaledHalfEven(Math.abs(value), -places)}e${places}`);
  return value < 0 || Object.is(value, -0) ? -rounded : rounded;
}

/** `{:,}`, or `{:,.Nf}` where digits are given. */
export function thousands(value: bigint | number, digits?: number): string {
  const plain = plainText(value, digits);
  const [, sign = '', whole = '', rest = ''] = /^(-?)([0-9]+)(.*)$/s.exec(plain) ?? [];
  return whole === '' ? plain : sign + whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ',') + rest;
}

function plainText(value: bigint | number, digits: number | undefined): string {
  if (digits !== undefined) return fixed(Number(value), digits);
  return typeof value === 'bigint' ? value.toString() : floatText(value);
}

/** `size * 10 ** digits` as a whole number, computed exactly: a float is a whole number times a power of two. */
function scaledHalfEven(size: number, digits: number): bigint {
  const [mantissa, exponent] = parts(size);
  let over = mantissa * 10n ** BigInt(Math.max(digits, 0));
  let under = 10n ** BigInt(Math.max(-digits, 0));
  if (exponent >= 0) over <<= BigInt(exponent);
  else under <<= BigInt(-exponent);
  const whole = over / under;
  const twice = (over % under) * 2n;
  const isUp = twice > under || (twice === under && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}

const bytes = new DataView(new ArrayBuffer(8));

function parts(size: number): readonly [mantissa: bigint, exponent: number] {
  bytes.setFloat64(0, size);
  const bits = bytes.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  return exponent === 0 ? [fraction, -1074] : [fraction | 0x10000000000000n, exponent - 1075];
}
