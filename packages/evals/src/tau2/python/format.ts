import { typeName } from './equality.js';
import { fixed } from './fixed.js';
import { PyError, type PyValue } from './value.js';

/** `f"{value:.2f}"` for any value: what cannot be printed so raises. */
export function formatFixed(value: PyValue, digits: number): string {
  if (typeof value === 'string') throw new PyError('ValueError', "Unknown format code 'f' for object of type 'str'");
  return fixed(floatOf(numberOf(value)), digits);
}

function numberOf(value: PyValue): bigint | number {
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  throw new PyError('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`);
}

function floatOf(value: bigint | number): number {
  const float = Number(value);
  if (typeof value === 'number' || Number.isFinite(float)) return float;
  throw new PyError('OverflowError', 'int too large to convert to float');
}
