import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { FlyballError } from '../core/errors.js';

export interface Body {
  readonly bytes: Buffer;
  /** The limit was reached: there is more. */
  readonly isCut: boolean;
}

/** Reads at most `maxBytes` off the wire and at most as many out of it: a small page that unpacks to gigabytes is cut too. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return collect(response, maxBytes);
  const decoder = decoderFor(encoding);
  if (decoder === undefined) {
    response.destroy();
    throw new FlyballError('EFFECT_FAILED', `The page is compressed as "${encoding}", which is not understood.`);
  }
  let isWireCut = false;
  async function* capped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      isWireCut = size > maxBytes;
      if (isWireCut) return;
      yield chunk;
    }
  }
  pipeline(response, capped, decoder, () => undefined); // its failure reaches whoever reads the decoder
  const chunks: Buffer[] = [];
  try {
    const body = await collect(decoder, maxBytes, chunks);
    return { ...body, isCut: body.isCut || isWireCut };
  } catch (error) {
    if (isWireCut) return { bytes: Buffer.concat(chunks), isCut: true }; // of course the rest is missing
    if (!String((error as { code?: unknown }).code).match(/^(Z_|ERR__?BROTLI|ERR_BROTLI)/)) throw error;
    throw new FlyballError('EFFECT_FAILED', 'The compressed content of the page is damaged.', { cause: error });
  }
}

function decoderFor(encoding: string) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined; // several encodings on top of each other too: no honest server does that
  }
}

async function collect(source: AsyncIterable<Buffer>, maxBytes: number, chunks: Buffer[] = []): Promise<Body> {
  let left = maxBytes;
  for await (const chunk of source) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) return { bytes: Buffer.concat(chunks), isCut: true }; // leaving the loop destroys the stream
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

/** By a byte order mark, else as the server says, else as the page says about itself, else UTF-8. */
export function decodePage(bytes: Buffer, contentType: string): string {
  const said = /charset\s*=\s*["']?([\w.:-]{1,40})/i;
  const inPage = /<meta[^>]{0,300}?charset\s*=\s*["']?([\w.:-]{1,40})/i;
  const label = bom(bytes) ?? said.exec(contentType)?.[1] ?? inPage.exec(bytes.toString('latin1', 0, 2048))?.[1];
  try {
    return new TextDecoder(label ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder('utf-8').decode(bytes); // a name that no browser knows either: nothing else makes it throw
  }
}

function bom(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}
