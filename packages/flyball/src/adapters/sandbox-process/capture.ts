import type { Captured } from '../../ports/sandbox.js';

const NEWLINE = 0x0a;

/** Keeps the two ends of a stream and counts the rest: memory stays bounded however much is written. */
export class Capture {
  private readonly half: number;
  private readonly head: Buffer[] = [];
  private tail: Buffer[] = [];
  private headBytes = 0;
  private tailBytes = 0;
  private bytes = 0;
  private newlines = 0;
  private last = NEWLINE;

  constructor(limit: number) {
    this.half = Math.floor(limit / 2);
  }

  write(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.newlines++;
    this.last = chunk[chunk.length - 1] ?? this.last;
    const first = chunk.subarray(0, this.half - this.headBytes);
    if (first.length > 0) this.head.push(Buffer.from(first)); // copied: a slice would keep the whole chunk alive
    this.headBytes += first.length;
    this.keepLast(chunk.subarray(first.length));
  }

  end(): Captured {
    if (this.tailBytes > this.half) this.trim();
    const elidedBytes = this.bytes - this.headBytes - this.tailBytes;
    const lines = this.newlines + (this.last === NEWLINE ? 0 : 1);
    if (elidedBytes === 0) {
      const head = Buffer.concat([...this.head, ...this.tail]).toString('utf8');
      return { head, tail: '', bytes: this.bytes, lines, elidedBytes };
    }
    const [head, tail] = [wholeAtEnd(Buffer.concat(this.head)), wholeAtStart(Buffer.concat(this.tail))];
    return {
      head: head.toString('utf8'),
      tail: tail.toString('utf8'),
      bytes: this.bytes,
      lines,
      elidedBytes: this.bytes - head.length - tail.length,
    };
  }

  private keepLast(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const kept = chunk.length > this.half ? chunk.subarray(chunk.length - this.half) : chunk;
    this.tail.push(Buffer.from(kept));
    this.tailBytes += kept.length;
    // joined only when twice as much has come together, so that many small chunks do not cost a copy each
    if (this.tailBytes > this.half * 2 || this.tail.length > 1024) this.trim();
    else if (this.tailBytes > this.half) this.dropWholeChunks();
  }

  private dropWholeChunks(): void {
    for (
      let [first] = this.tail;
      first !== undefined && this.tailBytes - first.length >= this.half;
      [first] = this.tail
    ) {
      this.tail.shift();
      this.tailBytes -= first.length;
    }
  }

  private trim(): void {
    const joined = Buffer.concat(this.tail);
    const kept = joined.subarray(Math.max(0, joined.length - this.half));
    this.tail = [Buffer.from(kept)];
    this.tailBytes = kept.length;
  }
}

/** Without a character that was cut in two at the end. */
function wholeAtEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function wholeAtStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
