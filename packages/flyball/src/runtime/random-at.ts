import { hash } from 'node:crypto';

/** 53 bits from a hash: the same place in the same run always draws the same number. */
export function randomAt(place: string): number {
  const bits = Buffer.from(hash('sha256', place, 'hex').slice(0, 14), 'hex');
  return (bits.readUIntBE(1, 6) * 32 + ((bits[0] ?? 0) & 31)) / 2 ** 53;
}
