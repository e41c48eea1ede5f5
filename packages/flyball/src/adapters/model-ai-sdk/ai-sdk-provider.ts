import { ConfigError, FlyballError } from '../../core/errors.js';
import type { Model } from '../../core/model.js';
import { type AiSdkModelOptions, aiSdkModel } from './ai-sdk-model.js';
import type { SdkModel } from './language-model.js';

/** Options of `aiSdkProvider`. */
export interface AiSdkProviderOptions {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where a key is looked up that is not given: the edge passes its environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further settings of the provider's own `create…` function. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Finds the package: for callers that know better where their packages are. */
  readonly load?: (packageName: string) => Promise<unknown>;
}

/** Makes models of one provider. */
export type AiSdkProvider = (model: string, options?: AiSdkModelOptions) => Model;

interface KnownProvider {
  readonly create: string;
  /** Variables that may hold its key, the usual one first. None where it has other ways to prove who calls. */
  readonly keys: readonly string[];
}

const KNOWN: Readonly<Record<string, KnownProvider>> = {
  anthropic: { create: 'createAnthropic', keys: ['ANTHROPIC_API_KEY'] },
  google: {
    create: 'createGoogleGenerativeAI',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
  openai: { create: 'createOpenAI', keys: ['OPENAI_API_KEY'] },
  mistral: { create: 'createMistral', keys: ['MISTRAL_API_KEY'] },
  xai: { create: 'createXai', keys: ['XAI_API_KEY'] },
  groq: { create: 'createGroq', keys: ['GROQ_API_KEY'] },
  deepseek: { create: 'createDeepSeek', keys: ['DEEPSEEK_API_KEY'] },
  cohere: { create: 'createCohere', keys: ['COHERE_API_KEY'] },
  cerebras: { create: 'createCerebras', keys: ['CEREBRAS_API_KEY'] },
  togetherai: { create: 'createTogetherAI', keys: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY'] },
  fireworks: { create: 'createFireworks', keys: ['FIREWORKS_API_KEY'] },
  perplexity: { create: 'createPerplexity', keys: ['PERPLEXITY_API_KEY'] },
  deepinfra: { create: 'createDeepInfra', keys: ['DEEPINFRA_API_KEY'] },
  azure: { create: 'createAzure', keys: ['AZURE_API_KEY'] },
  'amazon-bedrock': { create: 'createAmazonBedrock', keys: [] },
  'google-vertex': { create: 'createVertex', keys: [] },
};

/** Which variables may hold the key of a provider; empty for one that is not known, or needs none. */
export function aiSdkKeys(name: string): readonly string[] {
  return KNOWN[name]?.keys ?? [];
}

/** Loads `@ai-sdk/<name>` and makes its models. The package is only needed by those who call this. */
export async function aiSdkProvider(name: string, options: AiSdkProviderOptions = {}): Promise<AiSdkProvider> {
  if (!/^[a-z0-9-]+$/.test(name))
    throw new ConfigError(`"${name}" is not the name of an AI SDK provider, such as anthropic.`);
  const apiKey = options.apiKey ?? keyFrom(name, options.env ?? {});
  const create = creatorIn(await load(name, options.load), name);
  const provider = create({
    ...options.settings,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
    ...(options.headers === undefined ? {} : { headers: options.headers }),
  });
  const secrets = [apiKey, ...Object.values(options.headers ?? {})].filter(
    (text) => text !== undefined && text.length >= 6,
  );
  return (model, own = {}) =>
    aiSdkModel(languageModel(provider, model, name), {
      id: `${name}/${model}`,
      ...own,
      secrets: [...secrets.filter((text) => text !== undefined), ...(own.secrets ?? [])],
    });
}

function keyFrom(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const variables = aiSdkKeys(name);
  const key = variables.map((variable) => env[variable]).find((value) => value !== undefined && value !== '');
  if (key !== undefined || variables.length === 0) return key;
  throw new ConfigError(`No API key for ${name}: set ${variables.join(' or ')}, or pass apiKey.`);
}

async function load(name: string, loader: AiSdkProviderOptions['load']): Promise<unknown> {
  const packageName = `@ai-sdk/${name}`;
  try {
    return await (loader === undefined ? import(packageName) : loader(packageName));
  } catch (cause) {
    throw new FlyballError(
      'DRIVER_MISSING',
      `Models of ${name} need the package ${packageName}. Run \`npm i ${packageName}\`: ${String((cause as Error).message)}`,
      { detail: { package: packageName }, cause },
    );
  }
}

type Create = (settings: Readonly<Record<string, unknown>>) => unknown;

/** A provider that is not known here is asked for the one function that makes it. */
function creatorIn(loaded: unknown, name: string): Create {
  const exported = (typeof loaded === 'object' && loaded !== null ? loaded : {}) as Readonly<Record<string, unknown>>;
  const wanted = KNOWN[name]?.create ?? Object.keys(exported).find((each) => /^create[A-Z]/.test(each)) ?? '';
  const create = exported[wanted];
  if (typeof create === 'function') return create as Create;
  throw new ConfigError(`@ai-sdk/${name} exports no ${wanted || 'create… function'}. Install its 2.x or 3.x line.`);
}

function languageModel(provider: unknown, model: string, name: string): SdkModel {
  const { languageModel: make } = (provider ?? {}) as { languageModel?: unknown };
  if (typeof make === 'function') return make.call(provider, model) as SdkModel;
  throw new ConfigError(`@ai-sdk/${name} makes no language models.`);
}
