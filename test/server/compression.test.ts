import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodingFor } from '../../packages/server/src/compress.js';
import { studioFiles } from '../../packages/server/src/studio-files.js';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
let folder: string;
beforeAll(async () => {
  stage = await serverStage();
  folder = mkdtempSync(join(tmpdir(), 'flyball-compression-'));
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const;

/** As it comes over the wire: `fetch` would undo it. */
function raw(path: string, accept: string): Promise<{ encoding: string | undefined; type: string; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    get(`${stage.url}${path}`, { headers: { 'accept-encoding': accept } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({
          encoding: answer.headers['content-encoding'],
          type: answer.headers['content-type'] ?? '',
          bytes: Buffer.concat(parts),
        }),
      );
    }).on('error', reject);
  });
}

describe('answers', () => {
  it('are compressed for whoever takes it, and the same to the byte when they are unpacked [F-D7]', async () => {
    const plain = await raw('/openapi.json', 'identity');
    expect(plain.encoding).toBeUndefined();
    for (const encoding of ['br', 'gzip'] as const) {
      const small = await raw('/openapi.json', encoding);
      expect(small.encoding).toBe(encoding);
      expect(small.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 3);
      expect(decoders[encoding](small.bytes).equals(plain.bytes)).toBe(true);
    }
    expect((await raw('/health', 'gzip')).encoding).toBeUndefined(); // a packet is a packet
  });

  it('that are told as they happen are not held back to be compressed [F-D7]', async () => {
    const control = new AbortController();
    const answer = await fetch(`${stage.url}/v1/events`, { signal: control.signal });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect((await answer.body?.getReader().read())?.done).toBe(false);
    control.abort();
  });
});

describe('files of the studio', () => {
  it('come compressed, each kind of bytes under its own tag [F-D7]', async () => {
    mkdirSync(join(folder, 'assets'));
    const script = 'export const word = "flyball";\n'.repeat(400);
    writeFileSync(join(folder, 'index.html'), '<!doctype html>');
    writeFileSync(join(folder, 'assets', 'index-1.js'), script);
    const files = studioFiles(folder);
    const ask = (headers: Record<string, string>) =>
      files('assets/index-1.js', new Request('http://x/studio/assets/index-1.js', { headers }));
    const tags = new Set<string | null>();
    for (const encoding of ['br', 'gzip'] as const) {
      const answer = await ask({ 'accept-encoding': encoding });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(bytes.byteLength).toBeLessThan(script.length / 10);
      expect(decoders[encoding](bytes).toString()).toBe(script);
      const etag = answer.headers.get('etag');
      tags.add(etag);
      const again = await ask({ 'accept-encoding': encoding, 'if-none-match': etag ?? '' });
      expect(again.status).toBe(304);
    }
    const plain = await ask({});
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(script);
    expect(tags.add(plain.headers.get('etag')).size).toBe(3);
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *;q=0.1', 'gzip'],
    ['identity', undefined],
    ['gzip;q=nonsense', undefined],
    [null, undefined],
  ])('a client that accepts %s gets %s [F-D7]', (accepted, encoding) => {
    expect(encodingFor(accepted)).toBe(encoding);
  });
});
