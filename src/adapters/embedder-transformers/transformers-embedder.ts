import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ConfigError, FlyballError } from '../../core/errors.js';
import type { Embedder } from '../../ports/embedder.js';

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
  /** Texts in one call of the model. 16 where absent. */
  readonly batch?: number;
  /** Brings the package, where it cannot be found from here. */
  readonly load?: () => Promise<unknown>;
}

const PACKAGE = '@huggingface/transformers';
const BATCH = 16;
const FILES: Readonly<Record<NonNullable<TransformersOptions['dtype']>, string>> = {
  fp32: 'model.onnx',
  fp16: 'model_fp16.onnx',
  q8: 'model_quantized.onnx',
  q4: 'model_q4.onnx',
};

/** What this adapter needs of the package. */
interface Library {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
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
  const { dtype = 'fp32', batch = BATCH, queryPrefix = '', documentPrefix = '' } = options;
  if (!(Number.isInteger(batch) && batch >= 1)) throw new ConfigError(`batch must be at least 1, got ${batch}.`);
  const folder = resolve(options.folder);
  const model = await described(folder, dtype);
  let loading: Promise<Extractor> | undefined;
  return {
    id: `transformers/${basename(folder)}-${dtype}-${model.size}@${model.dimensions}${prefixes(documentPrefix, queryPrefix)}`,
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
      return vectors;
    },
  };
}

function prefixes(...given: readonly [string, string]): string {
  return given.every((prefix) => prefix === '') ? '' : `+${JSON.stringify(given).replace(/\s/g, '_')}`;
}

/** Read before anything is loaded, so that a wrong folder fails at once and says what is missing. */
async function described(
  folder: string,
  dtype: NonNullable<TransformersOptions['dtype']>,
): Promise<{ readonly dimensions: number; readonly size: number }> {
  const missing = (what: string): ConfigError =>
    new ConfigError(
      `${folder} holds no ${what}. Put a model there as it lies on the Hugging Face hub: config.json, tokenizer.json, tokenizer_config.json and onnx/${FILES[dtype]}.`,
    );
  const config = await readFile(join(folder, 'config.json'), 'utf8').catch(() => undefined);
  if (config === undefined) throw missing('config.json');
  await stat(join(folder, 'tokenizer.json')).catch(() => {
    throw missing('tokenizer.json');
  });
  const { size } = await stat(join(folder, 'onnx', FILES[dtype])).catch(() => {
    throw missing(`onnx/${FILES[dtype]}`);
  });
  const { hidden_size, dim, d_model } = JSON.parse(config) as Readonly<Record<string, unknown>>;
  const dimensions = hidden_size ?? dim ?? d_model;
  if (typeof dimensions === 'number' && Number.isInteger(dimensions) && dimensions > 0) return { dimensions, size };
  throw new ConfigError(`${join(folder, 'config.json')} does not say how long its vectors are (hidden_size).`);
}

async function extractorOf(folder: string, dtype: string, load: TransformersOptions['load']): Promise<Extractor> {
  const library = await libraryBy(load);
  library.env.allowRemoteModels = false;
  library.env.allowLocalModels = true;
  // the same for every folder, because the package has one setting for all: paths are given whole
  library.env.localModelPath = '/';
  try {
    return await library.pipeline('feature-extraction', folder.replace(/^\/+/, ''), { dtype, local_files_only: true });
  } catch (cause) {
    throw new FlyballError(
      'EFFECT_FAILED',
      `The model in ${folder} cannot be loaded: ${(cause as Error).message}. Check that it is one for feature extraction.`,
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
