import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { embedderContract } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Embedder } from '../../ports/embedder.js';
import { writeTinyModel } from './tiny-model.test-data.js';
import { type TransformersOptions, transformersEmbedder } from './transformers-embedder.js';

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
  let temporary: string;
  let embedder: Embedder;
  beforeAll(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'flyball-onnx-'));
    embedder = await open();
  });
  afterAll(() => rm(temporary, { recursive: true, force: true }));

  const load = () => import(pathToFileURL(found ?? '').href) as Promise<unknown>;
  /** A model in a folder deep below the root: a short path could also be the name of a model on the hub. */
  const open = async (options: Partial<TransformersOptions> = {}, words = WORDS, at = 'a/tiny'): Promise<Embedder> => {
    const folder = join(temporary, at);
    await mkdir(folder, { recursive: true });
    await writeTinyModel(folder, words);
    return transformersEmbedder({ folder, load, ...options });
  };

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

  it('takes its dimensions from the model and names them, with the folder and the pooling, in its id', () => {
    expect(embedder.dimensions).toBe(4);
    expect(embedder.id).toMatch(/^transformers\/tiny-fp32-mean-[0-9a-f]{16}@4$/);
  });

  it('has another id for weights of the same name and size that differ, and for other prefixes', async () => {
    const same = await open({}, WORDS, 'b/tiny');
    const other = await open({}, { ...WORDS, cat: [0, 1, 0, 0.1] }, 'c/tiny');
    const prefixed = await open({ queryPrefix: 'red ' });
    expect(same.id).toBe(embedder.id);
    expect(new Set([embedder.id, other.id, prefixed.id]).size).toBe(3);
  });

  it('puts the prefix of its kind before a text, and none before nothing', async () => {
    const prefixed = await open({ queryPrefix: 'red ', documentPrefix: 'due ' });
    const [red, due] = await embedder.embed(['red cat', 'due cat'], how);
    expect(await prefixed.embed(['cat'], { ...how, as: 'query' })).toEqual([red]);
    expect(await prefixed.embed(['cat', ' '], how)).toEqual([due, new Float32Array(4)]);
  });

  it('keeps the order over several batches, with texts that hold nothing between them', async () => {
    const pairs = await open({ batch: 2 });
    const texts = ['cat', '', 'due', 'sofa cat', ' ', 'red', 'days'];
    expect(await pairs.embed(texts, how)).toEqual(await embedder.embed(texts, how));
    expect((await pairs.embed(texts, how))[2]).toEqual((await embedder.embed(['due'], how))[0]);
  });

  it('gives a text the same vector in any company, also where the weights are quantized', async () => {
    const rounded = await open({ dtype: 'q8' }, { ...WORDS, days: [90, -90, 0, 0] }, 'd/tiny');
    const [alone] = await rounded.embed(['cat sofa'], how);
    expect((await rounded.embed(['cat sofa', 'days'], how))[0]).toEqual(alone);
  });

  it('asks no server for what is missing, and leaves the settings of the package as they were', async () => {
    const library = (await load()) as { readonly env: object };
    const settings = { ...library.env };
    const fetched = vi.spyOn(globalThis, 'fetch');
    const broken = await open({}, WORDS, 'e/tiny');
    await rm(join(temporary, 'e/tiny/tokenizer.json'));
    await expect(broken.embed(['cat'], how)).rejects.toMatchObject({ code: 'EFFECT_FAILED' });
    expect(fetched).not.toHaveBeenCalled();
    expect({ ...library.env }).toEqual(settings);
    fetched.mockRestore();
  });
});

describe('a folder that is no model', () => {
  it('is refused at once, with what is missing [R5-RET-EMBED-TRANSFORMERS]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flyball-onnx-'));
    await expect(transformersEmbedder({ folder })).rejects.toThrow(
      /does not contain config\.json, tokenizer\.json, tokenizer_config\.json, onnx\/model\.onnx\./,
    );
    await writeTinyModel(folder, WORDS);
    await expect(transformersEmbedder({ folder, dtype: 'q4' })).rejects.toThrow(
      /does not contain onnx\/model_q4\.onnx/,
    );
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
