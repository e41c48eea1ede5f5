import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { embedderContract } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../ports/embedder.js';
import { writeTinyModel } from './tiny-model.test-data.js';
import { transformersEmbedder } from './transformers-embedder.js';

const how = { signal: new AbortController().signal, as: 'document' } as const;

/** The package is large, so it is no dependency: it is installed beside, where `.ci/run` puts it. */
function installed(): string | undefined {
  for (const base of [resolve('.cache/transformers'), resolve('.')])
    if (existsSync(join(base, 'node_modules', '@huggingface', 'transformers')))
      return createRequire(join(base, 'from.js')).resolve('@huggingface/transformers');
  return undefined;
}

const found = installed();
if (found === undefined)
  process.stdout.write(
    'Skipped @huggingface/transformers: it is not in .cache/transformers. Install it with ONNXRUNTIME_NODE_INSTALL=skip npm install --prefix .cache/transformers --no-save @huggingface/transformers@4.3.1\n',
  );

const WORDS = {
  cat: [1, 0, 0, 0.1],
  sofa: [0.8, 0.3, 0, 0],
  sleeps: [0.9, 0.2, 0.1, 0],
  red: [0.5, 0.5, 0, 0.2],
  invoices: [0, 0, 1, 0.1],
  due: [0, 0.1, 0.9, 0],
  days: [0, 0, 0.8, 0.4],
};

describe.skipIf(found === undefined)('@huggingface/transformers over a folder with an ONNX model', () => {
  let folder: string;
  let embedder: Embedder;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flyball-onnx-'));
    await writeTinyModel(folder, WORDS);
    embedder = await open();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const open = (): Promise<Embedder> =>
    transformersEmbedder({ folder, load: () => import(pathToFileURL(found ?? '').href) as Promise<unknown> });

  embedderContract({ describe, it }, 'transformers [R5-RET-EMBED-TRANSFORMERS]', () => embedder);

  it('averages the vectors of the words and brings them to length 1 [R5-RET-EMBED-TRANSFORMERS]', async () => {
    const [vector] = await embedder.embed(['cat sofa'], how);
    const sums = WORDS.cat.map((value, nth) => (value + (WORDS.sofa[nth] ?? 0)) / 2);
    const length = Math.hypot(...sums);
    for (const [nth, value] of (vector ?? []).entries()) expect(value).toBeCloseTo((sums[nth] ?? 0) / length, 5);
  });

  it('gives a text the same vector beside a longer one: padding does not count', async () => {
    const [alone] = await embedder.embed(['cat'], how);
    const [beside] = await embedder.embed(['cat', 'invoices due days red sofa'], how);
    for (const [nth, value] of (alone ?? []).entries()) expect(beside?.[nth]).toBeCloseTo(value, 5);
  });

  it('takes its dimensions from the model and names them, with the folder, in its id', () => {
    expect(embedder.dimensions).toBe(4);
    expect(embedder.id).toMatch(/^transformers\/flyball-onnx-\S+-fp32-\d+@4$/);
  });
});

describe('a folder that is no model', () => {
  it('is refused at once, with what is missing [R5-RET-EMBED-TRANSFORMERS]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flyball-onnx-'));
    await expect(transformersEmbedder({ folder })).rejects.toThrow(/no config\.json.*tokenizer\.json/);
    await writeTinyModel(folder, WORDS);
    await expect(transformersEmbedder({ folder, dtype: 'q8' })).rejects.toThrow(/no onnx\/model_quantized\.onnx/);
    await writeFile(join(folder, 'config.json'), '{}');
    await expect(transformersEmbedder({ folder })).rejects.toThrow(/hidden_size/);
    await rm(folder, { recursive: true });
  });

  it('says which package to install where it is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flyball-onnx-'));
    await writeTinyModel(folder, WORDS);
    const missing = await transformersEmbedder({ folder, load: () => Promise.reject(new Error('not found')) });
    await expect(missing.embed(['cat'], how)).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: expect.stringContaining('npm i @huggingface/transformers'),
    });
    await rm(folder, { recursive: true });
  });
});
