import { createHash } from 'node:crypto';

/**
 * A number from 0 inclusive to 1 exclusive that follows from names alone: the same after a crash and in any order of
 * calls, and another one for every purpose and key.
 */
export function draw(...of: readonly (string | number)[]): number {
  return createHash('sha256').update(of.join('\u0000')).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** From a normal distribution with mean 0 and deviation 1, of two draws. */
export function normalOf(first: number, second: number): number {
  return Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
}

/** From Beta(a, b) for whole numbers: the a-th smallest of a + b - 1 draws. */
export function betaOf(a: number, b: number, drawn: (n: number) => number): number {
  const draws = Array.from({ length: a + b - 1 }, (_none, n) => drawn(n));
  return draws.sort((x, y) => x - y)[a - 1] ?? 0.5;
}
