import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ConfigError, FlyballError } from '../../core/errors.js';
import type { Embedder } from '../../ports/embedder.js';

/** Options of `transformersEmbedder`. */
export interface TransformersOptions {
  /**
   * A model as it lies on the Hugging Face hub, all-MiniLM-L6-v2 for one: config.json, tokenizer.json and onnx/model.onnx.
   * Nothing is ever downloaded.
   */
  readonly folder: string;
  /** Which of the files in `onnx`: `fp32` is model.onnx, `q8` is model_quantized.onnx. `fp32` where absent. */
  readonly dtype?: 'fp32' | 'fp16' | 'q8' | 'q4';
  /** Put before a question, and before a document, for models that want it. */
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
  /**
   * Texts in one call of the model. 16 where absent for `fp32`, else 1: quantized weights measure all texts of a call by
   * one scale, so that a text would get another vector in other company.
   */
  readonly batch?: number;
  /** Brings the package, where it cannot be found from here. */
  readonly load?: () => Promise<unknown>;
}

const PACKAGE = '@huggingface/transformers';
const BATCH = 16;
const DESCRIPTIONS = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
const FILES: Readonly<Record<NonNullable<TransformersOptions['dtype']>, string>> = {
  fp32: 'model.onnx',
  fp16: 'model_fp16.onnx',
  q8: 'model_quantized.onnx',
  q4: 'model_q4.onnx',
};

/** What this adapter needs of the package. */
interface Library {
  pipeline(task: 'feature-extraction', model: string, options: object): Promise<Extractor>;
}
type Extractor = (
  texts: readonly string[],
  options: { readonly pooling: 'mean'; readonly normalize: true },
) => Promise<{ tolist(): unknown }>;

/**
 * Embeddings by any ONNX model in a folder, in this process: token vectors averaged over a text and brought to length 1, as
 * sentence models want it. The id names the folder and what its vectors depend on.
 */
export async function transformersEmbedder(options: TransformersOptions): Promise<Embedder> {
  const { dtype = 'fp32', queryPrefix = '', documentPrefix = '' } = options;
  const { batch = dtype === 'fp32' ? BATCH : 1 } = options;
  if (!(Number.isInteger(batch) && batch >= 1)) throw new ConfigError(`batch must be at least 1, got ${batch}.`);
  const folder = resolve(options.folder);
  const model = await described(folder, dtype);
  let loading: Promise<Extractor> | undefined;
  return {
    id: `transformers/${basename(folder)}-${dtype}-mean-${model.digest}@${model.dimensions}${prefixes(documentPrefix, queryPrefix)}`.replace(
      /\s/g,
      '_',
    ),
    dimensions: model.dimensions,
    semantic: true,
    async embed(texts, { signal, as }) {
      signal.throwIfAborted();
      if (texts.length === 0) return [];
      loading ??= extractorOf(folder, dtype, options.load);
      const extract = await loading.catch((error: unknown) => {
        loading = undefined; // the package may be installed by then
        throw error;
      });
      const prefix = as === 'query' ? queryPrefix : documentPrefix;
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batch) {
        signal.throwIfAborted();
        vectors.push(...(await embedPart(extract, texts.slice(from, from + batch), prefix, model.dimensions)));
      }
      signal.throwIfAborted();
      return vectors;
    },
  };
}

function prefixes(...given: readonly [string, string]): string {
  return given.every((prefix) => prefix === '') ? '' : `+${JSON.stringify(given)}`;
}

/** Read before anything is loaded, so that a wrong folder fails at once and says what is missing. */
async function described(
  folder: string,
  dtype: NonNullable<TransformersOptions['dtype']>,
): Promise<{ readonly dimensions: number; readonly digest: string }> {
  const weights = FILES[dtype];
  const there = await readdir(folder).catch((): string[] => []);
  const below = await readdir(join(folder, 'onnx')).catch((): string[] => []);
  const missing = [
    ...DESCRIPTIONS.filter((file) => !there.includes(file)),
    ...(below.includes(weights) ? [] : [`onnx/${weights}`]),
  ];
  if (missing.length > 0)
    throw new ConfigError(
      `${folder} does not contain ${missing.join(', ')}. Copy a model there as it is on the Hugging Face hub: ${DESCRIPTIONS.join(', ')} and onnx/${weights}.`,
    );
  const parts = below.filter((file) => file.startsWith(weights)).sort(); // large models have their numbers in `.onnx_data`
  const files = [...DESCRIPTIONS, ...parts.map((file) => join('onnx', file))];
  return { dimensions: await dimensionsIn(join(folder, 'config.json')), digest: await digestOf(folder, files) };
}

async function dimensionsIn(file: string): Promise<number> {
  const { hidden_size, dim, d_model } = JSON.parse(await readFile(file, 'utf8')) as Readonly<Record<string, unknown>>;
  const dimensions = hidden_size ?? dim ?? d_model;
  if (typeof dimensions === 'number' && Number.isInteger(dimensions) && dimensions > 0) return dimensions;
  throw new ConfigError(`${file} does not say how long its vectors are (hidden_size).`);
}

/** Of everything in the folder that changes a vector: two trainings of one model have files of the same name and size. */
async function digestOf(folder: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    for await (const chunk of createReadStream(join(folder, file))) hash.update(chunk as Buffer);
    hash.update(`\0${file}\0`); // so that bytes cannot wander from one file to the next
  }
  return hash.digest('hex').slice(0, 16);
}

async function extractorOf(folder: string, dtype: string, load: TransformersOptions['load']): Promise<Extractor> {
  const library = await libraryBy(load);
  try {
    // an absolute path is never taken for the name of a model on the hub; the settings in `env` are everybody's, and left alone
    return await library.pipeline('feature-extraction', folder, { dtype, device: 'cpu', local_files_only: true });
  } catch (cause) {
    throw new FlyballError(
      'EFFECT_FAILED',
      `The model in ${folder} cannot be loaded: ${(cause as Error).message} Check that it is one for feature extraction.`,
      { cause },
    );
  }
}

async function libraryBy(load: TransformersOptions['load']): Promise<Library> {
  const name = PACKAGE; // not written where it is imported: the package is the user's to install, with its types
  try {
    return (await (load === undefined ? import(name) : load())) as Library;
  } catch (cause) {
    throw new FlyballError(
      'DRIVER_MISSING',
      `Embeddings by a local ONNX model need their package: ONNXRUNTIME_NODE_INSTALL=skip npm i ${PACKAGE}`,
      { cause },
    );
  }
}

/** Zeros for a text without anything in it: what a model makes of nothing points somewhere all the same. */
async function embedPart(
  extract: Extractor,
  texts: readonly string[],
  prefix: string,
  dimensions: number,
): Promise<readonly Float32Array[]> {
  const asked = texts.filter((text) => text.trim() !== '');
  const answered =
    asked.length === 0
      ? []
      : (
          await extract(
            asked.map((text) => prefix + text),
            { pooling: 'mean', normalize: true },
          )
        ).tolist();
  const rows = Array.isArray(answered) ? (answered as readonly unknown[]) : [];
  let next = 0;
  return texts.map((text) => (text.trim() === '' ? new Float32Array(dimensions) : vectorOf(rows[next++], dimensions)));
}

function vectorOf(row: unknown, dimensions: number): Float32Array {
  const numbers = Array.isArray(row) ? (row as readonly number[]) : [];
  const length = Math.hypot(...numbers);
  if (numbers.length !== dimensions || !Number.isFinite(length))
    throw new FlyballError(
      'EFFECT_FAILED',
      `The model gave ${numbers.length} numbers for a text, and its config.json says ${dimensions}. Use a model whose output is one vector a token.`,
    );
  return Float32Array.from(numbers, (value) => (length === 0 ? 0 : value / length));
}
