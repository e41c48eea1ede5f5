import { FlyballError } from 'flyball';

export interface TarFile {
  /** As the archive has it, its first folder included. */
  readonly path: string;
  readonly content: Buffer;
}

const BLOCK = 512;
/** Longer names than any that we want. */
const MOST_NAME = 65_536;

/**
 * Reads a tar archive as it comes: ustar, with the longer names of pax and GNU. Only regular files are told of, and only
 * those that `wants` is true for are kept in memory; links and devices are passed over.
 */
export async function* tarFiles(
  chunks: AsyncIterable<Uint8Array>,
  wants: (path: string, size: number) => boolean,
): AsyncGenerator<TarFile> {
  const bytes = new ByteQueue(chunks);
  let longName: string | undefined;
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const { type, size, path } = headerOf(header);
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (type === 'x' || type === 'L') {
      const text = (await bytes.take(bounded(size))).toString('utf8');
      longName = type === 'L' ? text.replace(/\0.*$/s, '') : (paxPath(text) ?? longName);
    } else {
      const name = longName ?? path;
      if (type !== 'g') longName = undefined;
      if ((type === '0' || type === '\0') && wants(name, size)) yield { path: name, content: await bytes.take(size) };
      else await bytes.skip(size);
    }
    await bytes.skip(padding);
  }
}

function headerOf(header: Buffer): { readonly type: string; readonly size: number; readonly path: string } {
  const sum = octal(header, 148, 8);
  let own = 8 * 32; // the sum's own place counts as blanks
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) own += byte;
  if (sum !== own) throw spoilt('a header has another sum than it says');
  const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : '';
  const name = text(header, 0, 100);
  const type = String.fromCharCode(header[156] ?? 0);
  return { type, size: octal(header, 124, 12), path: prefix === '' ? name : `${prefix}/${name}` };
}

function text(block: Buffer, from: number, length: number): string {
  return block
    .subarray(from, from + length)
    .toString('utf8')
    .replace(/\0.*$/s, '');
}

/** Octal digits, or, from 8 GiB on, a binary number marked by its first bit. */
function octal(block: Buffer, from: number, length: number): number {
  const field = block.subarray(from, from + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    let value = (field[0] ?? 0) & 0x7f;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    if (!Number.isSafeInteger(value)) throw spoilt('a file is too large');
    return value;
  }
  const digits = text(block, from, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw spoilt('a size is not a number');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** Records of `length key=value\n`; the last path counts. */
function paxPath(records: string): string | undefined {
  let [rest, path] = [records, undefined as string | undefined];
  for (let found = /^(\d+) ([^=]+)=/.exec(rest); found !== null; found = /^(\d+) ([^=]+)=/.exec(rest)) {
    const record = Buffer.from(rest).subarray(0, Number(found[1]));
    if (record.length <= found[0].length) break;
    if (found[2] === 'path') path = record.subarray(Buffer.byteLength(found[0]), -1).toString('utf8');
    rest = Buffer.from(rest).subarray(record.length).toString('utf8');
  }
  return path;
}

function bounded(size: number): number {
  if (size > MOST_NAME) throw spoilt('a name is too long');
  return size;
}

/** Bytes that come in chunks and are taken in other sizes. */
class ByteQueue {
  private readonly source: AsyncIterator<Uint8Array>;
  private held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.source = chunks[Symbol.asyncIterator]();
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = size; missing > 0; ) {
      const part = await this.some(missing);
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  async skip(size: number): Promise<void> {
    for (let missing = size; missing > 0; ) missing -= (await this.some(missing)).length;
  }

  /** At least one byte, at most that many. */
  private async some(most: number): Promise<Buffer> {
    while (this.held.length === 0) {
      const next = await this.source.next();
      if (next.done === true) throw cutShort();
      this.held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    const part = this.held.subarray(0, most);
    this.held = this.held.subarray(part.length);
    return part;
  }
}

/** It may have been the connection: the same request may do better. */
export function cutShort(): FlyballError {
  return new FlyballError('EFFECT_FAILED', 'The archive is incomplete.', { retryable: true });
}

function spoilt(how: string): FlyballError {
  return new FlyballError('INPUT_INVALID', `This is not a tar archive, or it is damaged: ${how}.`);
}
