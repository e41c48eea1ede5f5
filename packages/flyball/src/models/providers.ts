import type { ModelCapabilities } from '../core/model.js';

/** How a provider is spoken to: over our own HTTP adapters, in this process, or through a package of the AI SDK. */
export type ProviderWire =
  | { readonly kind: 'openai' }
  | { readonly kind: 'ollama' }
  /** In this process, through node-llama-cpp: the model's name is a file. */
  | { readonly kind: 'llama' }
  /** `name`: of the package after `@ai-sdk/`. */
  | { readonly kind: 'ai-sdk'; readonly name: string };

export type SettingName =
  | 'apiKey'
  | 'baseUrl'
  | 'resourceName'
  | 'region'
  | 'accessKeyId'
  | 'secretAccessKey'
  | 'sessionToken'
  | 'project'
  | 'location'
  | 'contextLength'
  | 'sequences'
  | 'threads';

export interface ProviderFacts {
  readonly wire: ProviderWire;
  /** The variables that hold each setting: the first one that is set counts. */
  readonly variables: Readonly<Partial<Record<SettingName, readonly string[]>>>;
  /** What has to be set: all of one of these. */
  readonly needs: readonly (readonly SettingName[])[];
  readonly baseUrl?: string;
  /** The header that takes the key as it is. Without one it is sent as `Authorization: Bearer`. */
  readonly keyHeader?: string;
  /** What holds for its models, where nothing is known about one. */
  readonly unknown?: Partial<ModelCapabilities>;
  /** Runs on the user's own machines: its tokens cost nothing. */
  readonly isFree?: true;
}

const NOTHING: ProviderFacts['needs'] = [[]];
const KEY: ProviderFacts['needs'] = [['apiKey']];

const sdk = (name: string, ...keys: string[]): ProviderFacts => ({
  wire: { kind: 'ai-sdk', name },
  variables: { apiKey: keys },
  needs: KEY,
});

/** For a gateway in between. Other programs have their own idea of what `ANTHROPIC_BASE_URL` holds, so ours has a name of its own. */
const behindGateway = (facts: ProviderFacts, baseUrl: string): ProviderFacts => ({
  ...facts,
  variables: { ...facts.variables, baseUrl: [baseUrl] },
});

const localServer = (prefix: string, baseUrl: string): ProviderFacts => ({
  wire: { kind: 'openai' },
  variables: { apiKey: [`${prefix}_API_KEY`], baseUrl: [`${prefix}_BASE_URL`] },
  needs: NOTHING,
  baseUrl,
  unknown: { structuredOutput: true },
  isFree: true,
});

const hosted = (prefix: string, baseUrl: string): ProviderFacts => ({
  wire: { kind: 'openai' },
  variables: { apiKey: [`${prefix}_API_KEY`], baseUrl: [`${prefix}_BASE_URL`] },
  needs: [['apiKey'], ['baseUrl']], // another address may want no key
  baseUrl,
});

/** Providers by the part of a model name before its first slash. */
export const PROVIDERS: Readonly<Record<string, ProviderFacts>> = {
  openai: hosted('OPENAI', 'https://api.openai.com/v1'),
  openrouter: hosted('OPENROUTER', 'https://openrouter.ai/api/v1'),
  deepseek: hosted('DEEPSEEK', 'https://api.deepseek.com/v1'),
  alibaba: hosted('DASHSCOPE', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'),
  ollama: {
    wire: { kind: 'ollama' },
    variables: { apiKey: ['OLLAMA_API_KEY'], baseUrl: ['OLLAMA_HOST'], contextLength: ['OLLAMA_CONTEXT_LENGTH'] },
    needs: NOTHING,
    baseUrl: 'http://127.0.0.1:11434',
    // it makes room for as many tokens as it is asked for, and a large window costs memory with every model
    unknown: { window: 8_192, maxOutputTokens: 2_048, structuredOutput: true },
    isFree: true,
  },
  llama: {
    wire: { kind: 'llama' },
    variables: {
      contextLength: ['FLYBALL_LLAMA_WINDOW'],
      sequences: ['FLYBALL_LLAMA_SEQUENCES'],
      threads: ['FLYBALL_LLAMA_THREADS'],
    },
    needs: NOTHING,
    unknown: { window: 8_192, maxOutputTokens: 2_048, structuredOutput: true, promptCache: true },
    isFree: true,
  },
  vllm: localServer('VLLM', 'http://127.0.0.1:8000/v1'),
  lmstudio: localServer('LMSTUDIO', 'http://127.0.0.1:1234/v1'),
  'openai-compatible': {
    wire: { kind: 'openai' },
    variables: { apiKey: ['OPENAI_COMPATIBLE_API_KEY'], baseUrl: ['OPENAI_COMPATIBLE_BASE_URL'] },
    needs: [['baseUrl']],
  },
  anthropic: behindGateway(sdk('anthropic', 'ANTHROPIC_API_KEY'), 'FLYBALL_ANTHROPIC_BASE_URL'),
  google: behindGateway(
    sdk('google', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'),
    'FLYBALL_GOOGLE_BASE_URL',
  ),
  mistral: sdk('mistral', 'MISTRAL_API_KEY'),
  groq: sdk('groq', 'GROQ_API_KEY'),
  xai: sdk('xai', 'XAI_API_KEY'),
  cohere: sdk('cohere', 'COHERE_API_KEY'),
  perplexity: sdk('perplexity', 'PERPLEXITY_API_KEY'),
  togetherai: sdk('togetherai', 'TOGETHER_AI_API_KEY', 'TOGETHER_API_KEY'),
  fireworks: sdk('fireworks', 'FIREWORKS_API_KEY'),
  cerebras: sdk('cerebras', 'CEREBRAS_API_KEY'),
  deepinfra: sdk('deepinfra', 'DEEPINFRA_API_KEY'),
  azure: {
    wire: { kind: 'ai-sdk', name: 'azure' },
    variables: { apiKey: ['AZURE_API_KEY'], resourceName: ['AZURE_RESOURCE_NAME'], baseUrl: ['AZURE_BASE_URL'] },
    needs: [
      ['apiKey', 'resourceName'],
      ['apiKey', 'baseUrl'],
    ],
  },
  bedrock: {
    wire: { kind: 'ai-sdk', name: 'amazon-bedrock' },
    variables: {
      region: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
      apiKey: ['AWS_BEARER_TOKEN_BEDROCK'],
      accessKeyId: ['AWS_ACCESS_KEY_ID'],
      secretAccessKey: ['AWS_SECRET_ACCESS_KEY'],
      sessionToken: ['AWS_SESSION_TOKEN'],
    },
    needs: [
      ['region', 'apiKey'],
      ['region', 'accessKeyId', 'secretAccessKey'],
    ],
  },
  vertex: {
    wire: { kind: 'ai-sdk', name: 'google-vertex' },
    variables: {
      apiKey: ['GOOGLE_VERTEX_API_KEY'],
      project: ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'],
      location: ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'],
    },
    needs: [['apiKey'], ['project', 'location']],
  },
};
