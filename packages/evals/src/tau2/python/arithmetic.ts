import { typeName } from './equality.js';
import { floatOfInt } from './number.js';
import { PyError, type PyValue } from './value.js';

/** `a - b`: whole numbers stay whole. */
export function subtract(a: PyValue, b: PyValue): bigint | number {
  return calculated(
    '-',
    a,
    b,
    (x, y) => x - y,
    (x, y) => x - y,
  );
}

/** `a * b` of numbers; text and lists are not repeated here, because no tool of the reference does it. */
export function multiply(a: PyValue, b: PyValue): bigint | number {
  const [sequence, factor] = isSequence(a) ? [true, b] : [isSequence(b), a];
  if (sequence && typeName(factor) !== 'int' && typeName(factor) !== 'bool') {
    throw new PyError('TypeError', `can't multiply sequence by non-int of type '${typeName(factor)}'`);
  }
  return calculated(
    '*',
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
  );
}

export function absolute(value: PyValue): bigint | number {
  const number = numeric(value);
  if (number === undefined) throw new PyError('TypeError', `bad operand type for abs(): '${typeName(value)}'`);
  return number < 0 || Object.is(number, -0) ? -number : number;
}

function calculated(
  sign: string,
  a: PyValue,
  b: PyValue,
  ofInts: (a: bigint, b: bigint) => bigint,
  ofFloats: (a: number, b: number) => number,
): bigint | number {
  const [x, y] = operands(sign, a, b);
  return typeof x === 'bigint' && typeof y === 'bigint' ? ofInts(x, y) : ofFloats(asFloat(x), asFloat(y));
}

function operands(sign: string, a: PyValue, b: PyValue): readonly [bigint | number, bigint | number] {
  const [x, y] = [numeric(a), numeric(b)];
  if (x !== undefined && y !== undefined) return [x, y];
  const types = `'${typeName(a)}' and '${typeName(b)}'`;
  throw new PyError('TypeError', `unsupported operand type(s) for ${sign}: ${types}`);
}

function numeric(value: PyValue): bigint | number | undefined {
  if (typeof value === 'boolean') return BigInt(value);
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
}

function asFloat(value: bigint | number): number {
  return typeof value === 'bigint' ? floatOfInt(value) : value;
}

function isSequence(value: PyValue): boolean {
  return typeof value === 'string' || Array.isArray(value);
}
