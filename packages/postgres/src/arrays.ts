/** Arrays as PostgreSQL takes them in binary: nothing is escaped, and each text is copied once. */

const [TEXT, INT8, FLOAT8] = [25, 20, 701];
const HEADER = 20;

export function texts(values: readonly (string | null | undefined)[]): Buffer {
  const sizes = values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : -1));
  const size = sizes.reduce((sum, each) => sum + 4 + Math.max(0, each), 0);
  const buffer = arrayOf(TEXT, values.length, size);
  let at = HEADER;
  values.forEach((value, index) => {
    at = buffer.writeInt32BE(sizes[index] ?? -1, at);
    if (typeof value === 'string') at += buffer.write(value, at, 'utf8');
  });
  return ended(buffer, values.length, at);
}

export function integers(values: readonly number[]): Buffer {
  const buffer = arrayOf(INT8, values.length, values.length * 12);
  let at = HEADER;
  for (const value of values) {
    at = buffer.writeInt32BE(8, at);
    at = buffer.writeBigInt64BE(BigInt(value), at);
  }
  return ended(buffer, values.length, at);
}

export function floats(values: readonly (number | null | undefined)[]): Buffer {
  const buffer = arrayOf(FLOAT8, values.length, values.length * 12);
  let at = HEADER;
  for (const value of values) {
    at = buffer.writeInt32BE(typeof value === 'number' ? 8 : -1, at);
    if (typeof value === 'number') at = buffer.writeDoubleBE(value, at);
  }
  return ended(buffer, values.length, at);
}

function arrayOf(type: number, length: number, size: number): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER + size);
  buffer.writeInt32BE(length === 0 ? 0 : 1, 0); // dimensions
  buffer.writeInt32BE(1, 4); // there may be nulls
  buffer.writeInt32BE(type, 8);
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16); // the first index
  return buffer;
}

function ended(buffer: Buffer, length: number, at: number): Buffer {
  return buffer.subarray(0, length === 0 ? 12 : at);
}
