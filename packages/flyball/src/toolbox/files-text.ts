import { FlyballError } from '../core/errors.js';

/** How the bytes of a file are text. `latin1` stands for any text that is no UTF: it gives every byte back unchanged. */
export type TextEncoding = 'utf-8' | 'utf-8 with BOM' | 'utf-16le' | 'utf-16be' | 'latin1';

export interface FileText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

const SNIFFED_BYTES = 8192;
const UTF8_BOM = [0xef, 0xbb, 0xbf];

/** Undefined for bytes that are no text. */
export function decodeText(bytes: Buffer): FileText | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: bytes.toString('utf16le', 2), encoding: 'utf-16le' };
  if (bytes[0] === 0xfe && bytes[1] === 0xff && bytes.length % 2 === 0)
    return { text: Buffer.from(bytes.subarray(2)).swap16().toString('utf16le'), encoding: 'utf-16be' };
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return undefined;
  const hasBom = UTF8_BOM.every((byte, at) => bytes[at] === byte);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes); // drops the BOM
    return { text, encoding: hasBom ? 'utf-8 with BOM' : 'utf-8' };
  } catch {
    return { text: bytes.toString('latin1'), encoding: 'latin1' }; // not UTF-8: the only failure a fatal decoder has
  }
}

export function encodeText({ text, encoding }: FileText): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-8 with BOM':
      return Buffer.concat([Buffer.from(UTF8_BOM), Buffer.from(text, 'utf8')]);
    case 'utf-16le':
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    case 'utf-16be':
      return Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]);
    case 'latin1':
      if (/[\u0100-\uffff]/.test(text)) {
        throw new FlyballError(
          'EFFECT_FAILED',
          'The file is neither UTF-8 nor UTF-16, so characters beyond Latin-1 cannot be put into it. Replace it as a whole with write_file.',
        );
      }
      return Buffer.from(text, 'latin1');
  }
}

/** A last line break ends a line and starts none. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export function countLines(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

export interface LineChange {
  readonly added: number;
  readonly removed: number;
}

/** What differs between the lines that two texts share at their start and at their end. */
export function lineChange(before: string, after: string): LineChange {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end++;
  return { added: fresh.length - start - end, removed: old.length - start - end };
}
