import { ConfigError } from '../../core/errors.js';
import type { Embedder } from '../../ports/embedder.js';
import type { HttpEmbedderOptions } from './options.js';
import { type Target, targetOf, vectorsFrom } from './request.js';
import { isRetryable, type Pause, pauseBefore, waited } from './retry.js';

const DEFAULTS = { batch: 64, retries: 4, timeoutMs: 60_000, maxWaitMs: 30_000 };

/**
 * Embeddings from any endpoint that speaks as OpenAI's does. The id of the embedder says the model, the length and the
 * prefixes: everything that changes a vector.
 */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  const settings = { ...DEFAULTS, ...options };
  const { dimensions, queryPrefix = '', documentPrefix = '' } = settings;
  check(settings);
  const target = targetOf(settings);
  const prefixed =
    queryPrefix === '' && documentPrefix === '' ? '' : `+${JSON.stringify([documentPrefix, queryPrefix])}`;
  return {
    id: `${options.id}@${dimensions}${prefixed.replace(/\s/g, '_')}`,
    dimensions,
    semantic: true,
    async embed(texts, { signal, as }) {
      signal.throwIfAborted();
      const prefix = as === 'query' ? queryPrefix : documentPrefix;
      const asked = texts.flatMap((text, nth) => (text.trim() === '' ? [] : [{ nth, text: prefix + text }]));
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions)); // zeros for what holds nothing: endpoints refuse it
      for (let from = 0; from < asked.length; from += settings.batch) {
        const part = asked.slice(from, from + settings.batch);
        const made = await patiently(
          target,
          part.map(({ text }) => text),
          { ...settings, signal },
        );
        for (const [nth, vector] of made.entries()) vectors[part[nth]?.nth ?? 0] = vector;
      }
      return vectors;
    },
  };
}

interface Patience {
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Tries again what may be tried again, as long as the provider asks, up to the bound. */
async function patiently(target: Target, texts: readonly string[], how: Patience): Promise<readonly Float32Array[]> {
  for (let tries = 0; ; tries++) {
    let pause: Pause;
    try {
      return await vectorsFrom(target, texts, how);
    } catch (error) {
      if (how.signal.aborted || !isRetryable(error)) throw error;
      pause = pauseBefore(tries, error, how);
      if (tries >= how.retries || pause.tooLong) throw error;
    }
    await waited(pause.ms, how.signal);
  }
}

function check(settings: HttpEmbedderOptions & typeof DEFAULTS): void {
  const whole = { dimensions: settings.dimensions, batch: settings.batch, timeoutMs: settings.timeoutMs };
  for (const [name, value] of Object.entries(whole))
    if (!(Number.isInteger(value) && value >= 1)) throw new ConfigError(`${name} must be at least 1, got ${value}.`);
  if (!(Number.isInteger(settings.retries) && settings.retries >= 0))
    throw new ConfigError(`retries must be at least 0, got ${settings.retries}.`);
  if (!/^[^/\s]+\/\S+$/.test(settings.id))
    throw new ConfigError(
      `An embedder's id is written provider/model, such as openai/text-embedding-3-large; got "${settings.id}".`,
    );
}
