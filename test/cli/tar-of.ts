import { gzipSync } from 'node:zlib';

const BLOCK = 512;

/** A tar archive as `git archive` makes them, packed: a comment for all first, long names in a record of their own. */
export function tarGz(files: Iterable<readonly [path: string, content: string | Uint8Array]>): Buffer {
  const parts = [entry('pax_global_header', '52 comment=0123456789012345678901234567890123456789\n', 'g')];
  for (const [path, content] of files) {
    const isLong = Buffer.byteLength(path) > 100;
    if (isLong) parts.push(entry('long.paxheader', pax('path', path), 'x'));
    parts.push(entry(isLong ? path.slice(0, 60) : path, content, path.endsWith('/') ? '5' : '0'));
  }
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 1 });
}

function pax(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bare = Buffer.byteLength(rest);
  let length = bare + String(bare).length;
  if (String(length).length > String(bare).length) length++;
  return `${length}${rest}`;
}

export function entry(path: string, content: string | Uint8Array, type: string, linked = ''): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0);
  header.write('0000644\0', 100);
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(linked, 157);
  header.write('ustar\0' + '00', 257);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}
