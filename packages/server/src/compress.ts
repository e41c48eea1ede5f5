import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** Below this an answer fits one packet anyhow. */
const WORTH_BYTES = 1_400;
const COMPRESSIBLE = /^(text\/(?!event-stream)|application\/(json|manifest\+json|problem\+json|yaml)|image\/svg\+xml)/;

/** Fonts and pictures are compressed already, and a stream has to be told as it happens. */
export function isCompressible(type: string): boolean {
  return COMPRESSIBLE.test(type);
}

/** What the client prefers of the two that we speak; undefined where it takes neither. */
export function encodingFor(accepted: string | null): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = given === undefined ? 1 : Number(given.slice(2));
    if (name !== '') weights.set(name, Number.isNaN(weight) ? 0 : weight);
  }
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, gz] = [weightOf('br'), weightOf('gzip')];
  if (br === 0 && gz === 0) return undefined;
  return br >= gz ? 'br' : 'gzip';
}

/** As small as it gets, once: for files that are read at the first request and served for as long as the server runs. */
export function smallest(bytes: Uint8Array): Readonly<Record<Encoding, Uint8Array<ArrayBuffer>>> {
  return {
    br: new Uint8Array(brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })),
    gzip: new Uint8Array(gzipSync(bytes, { level: 9 })),
  };
}

const encoders: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 5 }),
};

/**
 * The answer, made smaller where that is worth it and the client takes it. Quick rather than small, and in a thread of
 * the pool: others wait for the same processor. Credentials are sent in a header and never by a browser on its own, so
 * that nobody else can make it ask for an answer and learn from its length.
 */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const { headers, status, body } = response;
  if (body === null || !isCompressible(headers.get('content-type') ?? '')) return response;
  // what has a tag is compared byte for byte, and may be smaller already
  if (headers.has('content-encoding') || headers.has('etag')) return response;
  const varied = new Headers(headers);
  varied.append('vary', 'accept-encoding');
  const encoding = encodingFor(request.headers.get('accept-encoding'));
  if (encoding === undefined || request.method === 'HEAD') return new Response(body, { status, headers: varied });
  const plain = new Uint8Array(await response.arrayBuffer());
  if (plain.byteLength < WORTH_BYTES) return new Response(plain, { status, headers: varied });
  varied.set('content-encoding', encoding);
  varied.delete('content-length');
  return new Response(new Uint8Array(await encoders[encoding](plain)), { status, headers: varied });
}
