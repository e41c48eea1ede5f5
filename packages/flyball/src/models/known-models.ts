import { ConfigError } from '../core/errors.js';
import type { ModelCapabilities } from '../core/model.js';
import { ANTHROPIC_MEDIA, GEMINI_MEDIA, OPENAI_MEDIA } from '../core/vendor-media.js';

/** What is assumed of a model that nobody has described: little, but tools, as a server refuses them loudly itself. */
export const UNKNOWN_MODEL: ModelCapabilities = {
  window: 32_768,
  maxOutputTokens: 4_096,
  tools: true,
  parallelTools: false,
  structuredOutput: false,
  promptCache: false,
};

/**
 * A reply may be this long unless a session or the settings say otherwise. Models can write far more, but the worst case
 * of every call is reserved beforehand: a limit of 128,000 tokens would keep small budgets from starting at all.
 */
export const USUAL_OUTPUT_LIMIT = 16_384;

const openAi = (
  window: number,
  maxOutputTokens: number,
  mediaTokens: NonNullable<ModelCapabilities['mediaTokens']>,
): ModelCapabilities => ({
  window,
  maxOutputTokens,
  tools: true,
  parallelTools: true,
  structuredOutput: true,
  promptCache: true,
  tokenizer: 'o200k_base',
  ...OPENAI_MEDIA,
  mediaTokens,
});

const claude = (maxOutputTokens: number): ModelCapabilities => ({
  window: 200_000,
  maxOutputTokens,
  tools: true,
  parallelTools: true,
  structuredOutput: true,
  promptCache: 'marked',
  ...ANTHROPIC_MEDIA,
});

const gemini = (maxOutputTokens: number, mediaTokens: 'gemini' | 'gemini-3' = 'gemini'): ModelCapabilities => ({
  window: 1_048_576,
  maxOutputTokens,
  tools: true,
  parallelTools: true,
  structuredOutput: true,
  promptCache: true,
  ...GEMINI_MEDIA,
  mediaTokens,
});

const other = (window: number, maxOutputTokens: number, more: Partial<ModelCapabilities> = {}): ModelCapabilities => ({
  window,
  maxOutputTokens,
  tools: true,
  parallelTools: true,
  structuredOutput: true,
  promptCache: false,
  ...more,
});

/** As published by the vendors. A name stands for its dated and smaller variants too, unless those have entries. */
const KNOWN: Readonly<Record<string, ModelCapabilities>> = {
  'openai/gpt-5': { ...openAi(400_000, 128_000, 'openai-5'), temperature: false },
  'openai/gpt-5-mini': { ...openAi(400_000, 128_000, 'openai-patches'), temperature: false },
  'openai/gpt-5-nano': { ...openAi(400_000, 128_000, 'openai-patches-nano'), temperature: false },
  'openai/gpt-5-chat': openAi(128_000, 16_384, 'openai-5'),
  'openai/gpt-4.1': openAi(1_047_576, 32_768, 'openai-4o'),
  'openai/gpt-4.1-mini': openAi(1_047_576, 32_768, 'openai-patches'),
  'openai/gpt-4.1-nano': openAi(1_047_576, 32_768, 'openai-patches-nano'),
  'openai/gpt-4o': openAi(128_000, 16_384, 'openai-4o'),
  'openai/gpt-4o-mini': openAi(128_000, 16_384, 'openai-4o-mini'),
  'openai/gpt-4o-audio': { ...openAi(128_000, 16_384, 'openai-4o'), media: ['audio/wav', 'audio/mpeg'] },
  'openai/o3': { ...openAi(200_000, 100_000, 'openai-o'), temperature: false },
  'openai/o4-mini': { ...openAi(200_000, 100_000, 'openai-patches'), temperature: false },
  'openai/gpt-oss': { ...openAi(131_072, 32_768, 'unknown'), tokenizer: 'o200k_harmony', media: [] },
  'anthropic/claude-opus-4': claude(32_000),
  'anthropic/claude-opus-4-5': claude(64_000),
  'anthropic/claude-sonnet-4': claude(64_000),
  'anthropic/claude-haiku-4': claude(64_000),
  'anthropic/claude-3-7-sonnet': claude(64_000),
  'anthropic/claude-3-5-haiku': claude(8_192),
  'google/gemini-2.5': gemini(65_536),
  'google/gemini-2.0-flash': gemini(8_192),
  'google/gemini-3.1-flash-lite': gemini(65_536, 'gemini-3'),
  'deepseek/deepseek-chat': other(128_000, 8_192, { structuredOutput: false, promptCache: true }),
  'deepseek/deepseek-reasoner': other(128_000, 65_536, { structuredOutput: false, promptCache: true }),
  'deepseek/deepseek-v4': other(1_000_000, 393_216, { structuredOutput: false, promptCache: true }),
  'alibaba/qwen3.5-flash': other(1_000_000, 65_536, { structuredOutput: false, promptCache: true }),
  'mistral/mistral-large': other(128_000, 16_384),
  'mistral/mistral-medium': other(128_000, 16_384),
  'mistral/mistral-small': other(128_000, 16_384),
  'groq/llama-3.3-70b-versatile': other(131_072, 32_768, { structuredOutput: false }),
  'xai/grok-4': other(256_000, 32_768, { promptCache: true, media: ['image/png', 'image/jpeg'] }),
};

/** What a model can do: as settings say, else as its vendor says, else as little as is sensible. */
export function capabilitiesOf(
  name: string,
  given: { readonly base?: Partial<ModelCapabilities>; readonly override?: Partial<ModelCapabilities> } = {},
): ModelCapabilities {
  const known = knownModel(name) ?? { ...UNKNOWN_MODEL, ...given.base };
  const usual = { ...known, maxOutputTokens: Math.min(known.maxOutputTokens, USUAL_OUTPUT_LIMIT) };
  const capabilities = { ...usual, ...given.override };
  for (const limit of ['window', 'maxOutputTokens'] as const)
    if (!Number.isSafeInteger(capabilities[limit]) || capabilities[limit] < 1)
      throw new ConfigError(
        `The ${limit} of ${name} must be a whole number of tokens, at least 1, got ${capabilities[limit]}.`,
      );
  return capabilities;
}

/** The entry with the longest name that this one begins with; a router's `vendor/model` is looked up as the vendor's. */
function knownModel(name: string): ModelCapabilities | undefined {
  const plain = name.startsWith('openrouter/') ? name.slice('openrouter/'.length) : name;
  const [longest] = Object.keys(KNOWN)
    .filter((entry) => plain.startsWith(entry) && /^$|^[-.:@]/.test(plain.slice(entry.length)))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : KNOWN[longest];
}
