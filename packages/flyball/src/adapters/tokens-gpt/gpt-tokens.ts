import { ConfigError, FlyballError } from '../../core/errors.js';
import { pieces } from './pieces.js';
import { remembered } from './text-memo.js';

/** The encodings of OpenAI's models, the newest first. Other vendors' differ, but not by half. */
const ENCODINGS = ['o200k_base', 'o200k_harmony', 'cl100k_base', 'p50k_base', 'p50k_edit', 'r50k_base'] as const;
/** The name of a GPT token encoding. */
export type GptEncodingName = (typeof ENCODINGS)[number];

interface Encoding {
  countTokens(text: string, options: { readonly disallowedSpecial: Set<string> }): number;
}

/** Text that looks like a special token is text: it comes from tools and users, and counting it must not throw. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Counts tokens as OpenAI's models do. Loads `gpt-tokenizer`, which takes some megabytes, when it is first called.
 * Long text is counted in pieces, and a text once while it is in use, so that growing conversations stay cheap.
 */
export async function gptTokens(encoding: GptEncodingName = 'o200k_base'): Promise<(text: string) => number> {
  if (!ENCODINGS.includes(encoding)) {
    throw new ConfigError(`There is no encoding "${encoding}". Known encodings: ${ENCODINGS.join(', ')}.`);
  }
  const { countTokens } = await load(encoding);
  return remembered((text) => {
    let total = 0;
    for (const { text: piece, torn } of pieces(text)) total += countTokens(piece, AS_TEXT) + (torn ? 1 : 0);
    return total;
  });
}

async function load(encoding: GptEncodingName): Promise<Encoding> {
  try {
    switch (encoding) {
      case 'o200k_base':
        return await import('gpt-tokenizer/encoding/o200k_base');
      case 'o200k_harmony':
        return await import('gpt-tokenizer/encoding/o200k_harmony');
      case 'cl100k_base':
        return await import('gpt-tokenizer/encoding/cl100k_base');
      case 'p50k_base':
        return await import('gpt-tokenizer/encoding/p50k_base');
      case 'p50k_edit':
        return await import('gpt-tokenizer/encoding/p50k_edit');
      case 'r50k_base':
        return await import('gpt-tokenizer/encoding/r50k_base');
    }
  } catch (cause) {
    throw missing(cause);
  }
}

function missing(cause: unknown): FlyballError {
  return new FlyballError(
    'DRIVER_MISSING',
    'Counting tokens exactly needs the package gpt-tokenizer. Run `npm i gpt-tokenizer`, or leave the counter out: ' +
      'models then count a token for every byte.',
    { cause },
  );
}
