import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../core/errors.js';
import { patiently } from '../../core/retry.js';
import type { Embedder } from '../../ports/embedder.js';
import type { HttpEmbedderOptions } from './options.js';
import { targetOf, vectorsFrom } from './request.js';

const DEFAULTS = { batch: 64, retries: 4, timeoutMs: 60_000, maxWaitMs: 30_000 };
const BASE_DELAY_MS = 500;

/**
 * Embeddings from any endpoint that speaks as OpenAI's does. The id of the embedder says the model, the length and the
 * prefixes: everything that changes a vector.
 */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  const settings = { ...DEFAULTS, ...options };
  const { dimensions, queryPrefix = '', documentPrefix = '' } = settings;
  check(settings);
  const target = targetOf(settings);
  const patience = {
    retries: settings.retries,
    baseDelayMs: BASE_DELAY_MS,
    maxDelayMs: settings.maxWaitMs,
    jitterMs: 0,
  };
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
        const parts = part.map(({ text }) => text);
        const made = await patiently(
          () => vectorsFrom(target, parts, { ...settings, signal }),
          patience,
          (ms) => sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted()),
        );
        for (const [nth, vector] of made.entries()) vectors[part[nth]?.nth ?? 0] = vector;
      }
      return vectors;
    },
  };
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
