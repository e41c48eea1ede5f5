import type { Row, SqlValue } from './database.js';

/**
 * What tells a row that was written from one that a disk, a copy or a stray write has changed since: 53 bits, which is
 * enough against chance and is a number to JavaScript and to SQLite alike. It is taken several times for every entry, so it
 * must cost next to nothing: a cryptographic hash took half as long as the insert itself. Against somebody who can write
 * the file nothing in it helps; for that there is the audit export.
 */
export type Checksum = number;

/** No checksum is negative. */
export const NO_CHECKSUM: Checksum = -1;

/** Each part goes in with its kind and length, so that no two lists of parts read the same. */
export function checksumOf(before: Checksum, ...parts: readonly SqlValue[]): Checksum {
  const lanes = new Lanes();
  lanes.take(before);
  for (const part of parts) lanes.take(part);
  return lanes.finished();
}

const TEXT = 1;
const BYTES = 2;
const NUMBER = 3;
const NOTHING = 4;

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);

/**
 * Two lanes of 32 bits that take in one unit after the other. Each step is a bijection of the lane, so rows that differ in
 * one unit never have the same lanes.
 */
class Lanes {
  private a = 0x243f6a88;
  private b = 0x85a308d3;

  take(part: SqlValue): void {
    if (part === null) this.step(NOTHING);
    else if (typeof part === 'number') {
      double[0] = part;
      this.step(NUMBER);
      this.step(words[0] ?? 0);
      this.step(words[1] ?? 0);
    } else {
      this.step(typeof part === 'string' ? TEXT : BYTES);
      this.step(part.length);
      if (typeof part === 'string') this.takeText(part);
      else for (const byte of part) this.step(byte);
    }
  }

  /** As `step` for each unit. Bodies are most of what is summed up: with the lanes in variables it takes a third of the time. */
  private takeText(text: string): void {
    let { a, b } = this;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      a = Math.imul(((a << 5) | (a >>> 27)) ^ unit, 0x9e3779b1);
      b = Math.imul(((b << 7) | (b >>> 25)) ^ unit, 0x85ebca77);
    }
    this.a = a;
    this.b = b;
  }

  private step(unit: number): void {
    this.a = Math.imul(((this.a << 5) | (this.a >>> 27)) ^ unit, 0x9e3779b1);
    this.b = Math.imul(((this.b << 7) | (this.b >>> 25)) ^ unit, 0x85ebca77);
  }

  /** All 64 bits of the lanes go into all 53 of the number. */
  finished(): Checksum {
    const low = avalanche(this.a ^ Math.imul(this.b, 0xc2b2ae35));
    const high = avalanche(this.b ^ Math.imul(low, 0x27d4eb2f));
    return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
  }
}

function avalanche(lane: number): number {
  const once = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

export function checksumIn(row: Row, column: string): Checksum {
  const value = row[column];
  return typeof value === 'number' ? value : NO_CHECKSUM;
}
