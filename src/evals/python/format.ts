import { typeName } from './equality.js';
import { fixed, thousands } from './fixed.js';
import { PyError, type PyValue } from './value.js';

/** `f"{value:.2f}"` for any value: what cannot be printed so raises. */
export function formatFixed(value: PyValue, digits: number): string {
  if (typeof value === 'string') throw unfit(digits);
  return fixed(floatOf(numberOf(value)), digits);
}

/** `f"{value:,}"`, or `f"{value:,.2f}"` where digits are given. */
export function formatThousands(value: PyValue, digits?: number): string {
  if (typeof value === 'string') throw unfit(digits);
  const number = numberOf(value);
  return digits === undefined ? thousands(number) : thousands(floatOf(number), digits);
}

function unfit(digits: number | undefined): PyError {
  const problem =
    digits === undefined ? "Cannot specify ',' with 's'." : "Unknown format code 'f' for object of type 'str'";
  return new PyError('ValueError', problem);
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
