import assert from 'node:assert/strict';
import type { EmbedContext, Embedder } from '../../ports/embedder.js';
import type { ContractSuite } from './suite.js';

type EmbedderTest = (embedder: Embedder) => Promise<void>;

const TEXTS = ['The cat sleeps on the sofa.', 'Invoices are due in 30 days.', 'Über den Wolken 漢字 😀', 'a'];

function how(given: Partial<EmbedContext> = {}): EmbedContext {
  return { signal: new AbortController().signal, as: 'document', ...given };
}

/** Contract tests for embedders. `open` creates one. */
export function embedderContract(suite: ContractSuite, name: string, open: () => Promise<Embedder> | Embedder): void {
  suite.describe(`embedder contract: ${name}`, () => {
    vectorContract((title, body) => {
      suite.it(title, async () => body(await open()));
    });
  });
}

function vectorContract(test: (title: string, body: EmbedderTest) => void): void {
  test('says who it is and how long its vectors are', async (embedder) => {
    assert.match(embedder.id, /^[^/\s]+\/\S+$/);
    assert.ok(Number.isInteger(embedder.dimensions) && embedder.dimensions > 0);
    assert.equal(typeof embedder.semantic, 'boolean');
  });

  test('gives one vector of that length for each text, in order', async (embedder) => {
    const vectors = await embedder.embed(TEXTS, how());
    assert.equal(vectors.length, TEXTS.length);
    for (const [index, vector] of vectors.entries()) {
      assert.ok(vector instanceof Float32Array);
      assert.equal(vector.length, embedder.dimensions);
      const [alone] = await embedder.embed([TEXTS[index] ?? ''], how());
      assert.ok(alone !== undefined && dot(alone, vector) > 0.999, 'a text alone got another vector');
    }
  });

  test('gives vectors of length 1', async (embedder) => {
    for (const vector of await embedder.embed(TEXTS, how())) {
      assert.ok(vector.every(Number.isFinite));
      assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-3);
    }
  });

  test('gives a text with nothing in it zeros or a vector, never NaN', async (embedder) => {
    for (const vector of await embedder.embed(['', ' \n'], how())) {
      const size = dot(vector, vector);
      assert.ok(size === 0 || Math.abs(size - 1) < 1e-3, `its length is ${Math.sqrt(size)}`);
    }
  });

  test('gives nothing for nothing', async (embedder) => {
    assert.deepEqual(await embedder.embed([], how()), []);
  });

  test('puts a text nearer to one that shares most of its words than to one that shares none', async (embedder) => {
    const documents = ['The cat sleeps on the red sofa.', 'Invoices are due within thirty days.'];
    const [near, far] = await embedder.embed(documents, how());
    const [query] = await embedder.embed(['the cat sleeps on the sofa'], how({ as: 'query' }));
    assert.ok(query !== undefined && near !== undefined && far !== undefined);
    assert.ok(dot(query, near) > dot(query, far));
  });

  test('makes nothing for a caller who has gone', async (embedder) => {
    await assert.rejects(async () => embedder.embed(TEXTS, how({ signal: AbortSignal.abort(new Error('gone')) })));
  });
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
