import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { embedderContract } from 'flyball/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Embedder } from '../../ports/embedder.js';
import { hashEmbedder } from '../../retrieval/hash-embedder.js';
import { httpEmbedder } from './http-embedder.js';
import type { HttpEmbedderOptions } from './options.js';

const DIMENSIONS = 64;
const signal = new AbortController().signal;
const how = { signal, as: 'document' } as const;

interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number };
}
type Answer = (asked: Asked, response: ServerResponse) => Promise<void> | void;

/** An endpoint that speaks as OpenAI's does; `next` answers in place of it, once each. */
class Endpoint {
  readonly asked: Asked[] = [];
  next: Answer[] = [];
  private readonly server: Server = createServer((request, response) => void this.receive(request, response));

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
    const asked = { path: request.url ?? '', headers: request.headers, body };
    this.asked.push(asked);
    await (this.next.shift() ?? embeddings)(asked, response);
  }
}

const embeddings: Answer = async ({ body }, response) => {
  const vectors = await hashEmbedder({ dimensions: DIMENSIONS }).embed(body.input, how);
  // out of order, and twice as long as they should be: neither is promised
  const data = vectors.map((vector, index) => ({ index, embedding: Array.from(vector, (value) => value * 2) }));
  response.end(JSON.stringify({ object: 'list', data: data.reverse(), model: body.model }));
};
const says =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (_asked, response) =>
    void response.writeHead(status, headers).end(body);

const endpoint = new Endpoint();
let baseUrl = '';
beforeAll(async () => {
  baseUrl = await endpoint.open();
});
afterAll(() => endpoint.close());
beforeEach(() => {
  endpoint.asked.length = 0;
  endpoint.next = [];
});

function open(more: Partial<HttpEmbedderOptions> = {}): Embedder {
  return httpEmbedder({ id: 'test/small', baseUrl, dimensions: DIMENSIONS, ...more });
}

embedderContract({ describe, it }, 'HTTP [R5-RET-EMBED-HTTP]', () => open());

describe('embeddings over HTTP', () => {
  it('are asked for in batches, by model, key and prefix, and put back in order [R5-RET-EMBED-HTTP]', async () => {
    const embedder = open({ batch: 2, apiKey: 'sk-secret', documentPrefix: 'passage: ', sendDimensions: true });
    const vectors = await embedder.embed(['one', 'two', ' ', 'three'], how);
    expect(endpoint.asked.map(({ body }) => body.input)).toEqual([
      ['passage: one', 'passage: two'],
      ['passage: three'],
    ]);
    expect(endpoint.asked[0]).toMatchObject({
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer sk-secret' },
      body: { model: 'small', dimensions: DIMENSIONS },
    });
    const [three] = await hashEmbedder({ dimensions: DIMENSIONS }).embed(['passage: three'], how);
    expect(vectors[3]).toEqual(three);
    expect(vectors[2]?.every((value) => value === 0)).toBe(true);
  });

  it('say in their id what changes them: length and prefixes', () => {
    expect(open().id).toBe('test/small@64');
    expect(open({ queryPrefix: 'query: ' }).id).not.toBe(open({ queryPrefix: 'question: ' }).id);
  });

  it('are asked for again after as long as the provider wants, and after other failures for a time [R5-RET-EMBED-HTTP]', async () => {
    endpoint.next = [
      says(429, '{"error":{"message":"slow down"}}', { 'retry-after-ms': '20' }),
      says(503, 'busy', { 'retry-after': '0' }),
    ];
    expect(await open().embed(['one'], how)).toHaveLength(1);
    expect(endpoint.asked).toHaveLength(3);
  });

  it('are given up after the last try, or where the provider asks for too much patience [R5-RET-EMBED-HTTP]', async () => {
    endpoint.next = [says(500, 'x', { 'retry-after': '0' }), says(500, 'x', { 'retry-after': '0' })];
    await expect(open({ retries: 1 }).embed(['one'], how)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(endpoint.asked).toHaveLength(2);
    endpoint.next = [says(429, 'x', { 'retry-after': '3600' })];
    await expect(open().embed(['one'], how)).rejects.toThrow(/wait for 3600 s/);
    expect(endpoint.asked).toHaveLength(3);
  });

  it.each([
    [401, /Check the API key/],
    [404, /name of the model and the base URL/],
    [400, /dimensions and the length/],
    [413, /batch smaller/],
  ])(
    'are not asked for again after a refusal with %d, which says what to do [R5-RET-EMBED-HTTP]',
    async (status, next) => {
      endpoint.next = [says(status, 'no, sk-secret-key is wrong')];
      const asking = open({ apiKey: 'sk-secret-key' }).embed(['one'], how);
      await expect(asking).rejects.toMatchObject({ code: 'MODEL_REJECTED', retryable: false });
      await expect(asking).rejects.toThrow(next);
      await expect(asking).rejects.not.toThrow(/sk-secret-key/);
      expect(endpoint.asked).toHaveLength(1);
    },
  );

  it('have to be of the length that was promised [R5-RET-EMBED-HTTP]', async () => {
    await expect(open({ dimensions: 32 }).embed(['one'], how)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('vectors of 64 dimensions, not of 32'),
    });
  });

  it.each([
    ['no JSON', 'oops'],
    ['no list', '{"data":{}}'],
    ['one too few', '{"data":[]}'],
    ['one twice', JSON.stringify({ data: [0, 0].map((index) => ({ index, embedding: Array(DIMENSIONS).fill(1) })) })],
    ['an index out of range', JSON.stringify({ data: [{ index: 7, embedding: Array(DIMENSIONS).fill(1) }] })],
    ['no numbers', JSON.stringify({ data: [{ index: 0, embedding: Array(DIMENSIONS).fill('x') }] })],
  ])('are not guessed at where the answer is %s', async (_what, body) => {
    endpoint.next = [says(200, body)];
    await expect(open({ retries: 0 }).embed(['one', 'two'].slice(0, 1), how)).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    });
  });

  it('are waited for no longer than allowed, and not at all once the caller has gone', async () => {
    endpoint.next = [() => undefined, () => undefined];
    await expect(open({ retries: 0, timeoutMs: 50 }).embed(['one'], how)).rejects.toThrow(/within 50 ms/);
    const gone = new AbortController();
    const asking = open().embed(['one'], { ...how, signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(asking).rejects.toThrow('gone');
  });

  it('say where nobody answers', async () => {
    const nobody = httpEmbedder({ id: 'test/small', baseUrl: 'http://127.0.0.1:1/v1', dimensions: 8, retries: 0 });
    await expect(nobody.embed(['one'], how)).rejects.toThrow(/cannot be reached at http:\/\/127\.0\.0\.1:1/);
  });

  it('are refused settings that cannot work', () => {
    expect(() => open({ id: 'small' })).toThrow(/provider\/model/);
    expect(() => open({ baseUrl: 'ftp://x' })).toThrow(/http: or https:/);
    expect(() => open({ baseUrl: 'nowhere' })).toThrow(/is not a URL/);
    expect(() => open({ batch: 0 })).toThrow(/batch must be/);
  });
});
