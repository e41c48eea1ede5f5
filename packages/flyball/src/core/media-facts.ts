import type { MediaPart } from './parts.js';

/** What can be read off the bytes of an image, a sound or a document, to count what it costs. */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Width and height in pixels: PNG, JPEG, GIF and WebP. Undefined for other formats and for damaged files. */
export function imageSize({ data }: Pick<MediaPart, 'data'>): ImageSize | undefined {
  const bytes = Buffer.from(data, 'base64');
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function pngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 4) !== 'GIF8') return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    default:
      return undefined;
  }
}

/** The size is in the first frame header, after segments of any length. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** The lowest rate in use for speech (Opus, 6 kbit/s): a sound whose format says nothing is no longer than this. */
const LEAST_BYTES_PER_SECOND = 750;

/** Seconds of a sound: as a WAV file says, else the most that so many bytes can be. */
export function mostSeconds({ data }: Pick<MediaPart, 'data'>): number {
  const bytes = Buffer.from(data, 'base64');
  return bytes.length / (waveRate(bytes) ?? LEAST_BYTES_PER_SECOND);
}

/** Bytes a second of an uncompressed WAV file, where its header does not contradict itself: players go by other fields. */
function waveRate(bytes: Buffer): number | undefined {
  if (bytes.length < 44 || bytes.toString('latin1', 8, 16) !== 'WAVEfmt ') return undefined;
  const [format, channels, block, bits] = [20, 22, 32, 34].map((at) => bytes.readUInt16LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  const [samples, rate] = [bytes.readUInt32LE(24), bytes.readUInt32LE(28)];
  const isPlain = (format === 1 || format === 3) && channels > 0 && channels <= 8 && samples <= 192_000;
  const isSound = isPlain && block === (channels * bits) / 8 && rate === samples * block;
  return isSound && rate > 0 ? rate : undefined;
}

/** No page of a PDF is smaller than this, so a file whose pages are compressed has no more than its size allows. */
const LEAST_BYTES_PER_PAGE = 1_000;

/** Pages of a PDF: those that can be seen in it, and where some may be packed or disguised, the most that it can have. */
export function mostPages({ data }: Pick<MediaPart, 'data'>): number {
  const text = Buffer.from(data, 'base64').toString('latin1');
  const pages = text.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  const counts = text.matchAll(/\/Count\s+(\d{1,6})\b/g);
  const said = [...counts].reduce((most, [, count]) => Math.max(most, Number(count)), pages);
  const mayHide = pages === 0 || /\/ObjStm\b|\/\w*#[0-9a-fA-F]{2}|\/Encrypt\b/.test(text);
  return mayHide ? Math.max(1, said, Math.ceil(text.length / LEAST_BYTES_PER_PAGE)) : said;
}
