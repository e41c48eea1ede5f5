import { systemClock } from './adapters/host-node/system-clock.js';
import { FlyballError } from './core/errors.js';
import type { Model, ModelCapabilities, Price } from './core/model.js';
import { PRICES, priceOf, withPrices } from './core/prices.js';
import { capabilitiesOf } from './models/known-models.js';
import { modelChoice } from './models/model-choice.js';
import { parseModelName } from './models/model-name.js';
import {
  type Environment,
  type ProviderConfigs,
  type ProviderSettings,
  type ProviderStatus,
  providerSettings,
  providerStatuses,
} from './models/provider-settings.js';
import { DEFAULT_ROLE, type ModelRouter, modelRouter } from './models/router.js';
import type { RouterEvent } from './models/router-event.js';
import type { ConcurrencyPolicy, RouterPolicyOptions } from './models/router-policy.js';
import type { Clock } from './ports/clock.js';
import { randomAt } from './runtime/random-at.js';

/** Settings for one model: capabilities and price. */
export interface ModelConfig {
  /** What is known better here than in the built-in table. */
  readonly capabilities?: Partial<ModelCapabilities>;
  /** USD per million tokens. */
  readonly price?: Price;
}

/** Settings of models and providers. Environment variables take precedence. */
export interface ModelsConfig extends RouterPolicyOptions {
  /** Model names by role; `default` is for roles without one. */
  readonly roles?: Readonly<Record<string, string>>;
  /** Models that may answer instead, by role, by model name, or `default`. */
  readonly fallback?: Readonly<Record<string, readonly string[]>>;
  readonly providers?: ProviderConfigs;
  /** By `provider/model`. */
  readonly models?: Readonly<Record<string, ModelConfig>>;
}

/** Options of `createModels`. */
export interface CreateModels {
  /** The environment variables that select models and contain API keys, usually `process.env`. */
  readonly env: Environment;
  readonly config?: ModelsConfig;
  readonly clock?: Clock;
  /** Numbers in [0, 1) for the jitter of retries. By default they follow from the call, which is as good as chance. */
  readonly random?: (place: string) => number;
  readonly observe?: (event: RouterEvent) => void;
  readonly onProblem?: (error: unknown, doing: string) => void;
}

/** Creates models by name or role, and loads all models that the settings and environment variables name. */
export async function createModels(given: CreateModels): Promise<ModelRouter> {
  const { env, config = {} } = given;
  withPrices(PRICES, pricesIn(config)); // a bad price fails here, before anything is asked
  return modelRouter({
    ...config,
    concurrency: concurrencyIn(config, env),
    ...modelChoice(env, config),
    resolve: (name) => modelOf(name, config, env),
    clock: given.clock ?? systemClock(),
    random: given.random ?? randomAt,
    ...(given.observe === undefined ? {} : { observe: given.observe }),
    onProblem:
      given.onProblem ??
      ((error, doing) =>
        process.emitWarning(`flyball, ${doing}: ${error instanceof Error ? error.message : String(error)}`)),
  });
}

/** Calls to a model in this process wait for their turn here, where waiting does not count as part of a try. */
function concurrencyIn({ concurrency = {}, providers }: ModelsConfig, env: Environment): Partial<ConcurrencyPolicy> {
  const { sequences } = providerSettings('llama', env, providers).values;
  return { ...concurrency, providers: { llama: Number(sequences ?? LLAMA_SEQUENCES), ...concurrency.providers } };
}

/** The prices that settings name, as a runtime takes them. */
export function pricesIn(config: ModelsConfig): Readonly<Record<string, Price>> {
  return Object.fromEntries(
    Object.entries(config.models ?? {}).flatMap(([name, { price }]) => (price === undefined ? [] : [[name, price]])),
  );
}

/** Describes the configuration: which role uses which model, and what a provider needs. Contains no API keys. */
export interface ModelsDescription {
  readonly roles: readonly RoleDescription[];
  readonly providers: readonly ProviderStatus[];
}

/** Which model a role uses, and what is wrong with its configuration. */
export interface RoleDescription {
  readonly role: string;
  readonly model: string;
  readonly fallbacks: readonly string[];
  /** Why it cannot be used, and what to do. */
  readonly problem?: string;
}

export async function describeModels(env: Environment, config: ModelsConfig = {}): Promise<ModelsDescription> {
  const { roles, fallback } = modelChoice(env, config);
  const describeRole = async ([role, model]: [string, string]): Promise<RoleDescription> => {
    const fallbacks = fallback[role] ?? fallback[model] ?? fallback[DEFAULT_ROLE] ?? [];
    const problems = await Promise.all(
      [model, ...fallbacks].map((name) => problemOf(() => tryModel(name, config, env))),
    );
    const problem = problems.find((each) => each !== undefined);
    return { role, model, fallbacks, ...(problem === undefined ? {} : { problem }) };
  };
  const describeProvider = async (status: ProviderStatus): Promise<ProviderStatus> => {
    if (!status.isConfigured) return status;
    const toDo = await problemOf(() => makerOf(providerSettings(status.provider, env, config.providers)));
    return toDo === undefined ? status : { ...status, isConfigured: false, toDo };
  };
  return {
    roles: await Promise.all(Object.entries(roles).map(describeRole)),
    providers: await Promise.all(providerStatuses(env, config.providers).map(describeProvider)),
  };
}

async function problemOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof FlyballError) return error.message; // a sentence about what to do; anything else is a defect
    throw error;
  }
}

/** Fails as `modelOf` would. Weights of gigabytes are not loaded only to see whether they could be. */
async function tryModel(name: string, config: ModelsConfig, env: Environment): Promise<void> {
  const { provider, model } = parseModelName(name);
  if (providerSettings(provider, env, config.providers).facts.wire.kind !== 'llama') {
    await modelOf(name, config, env);
    return;
  }
  const { checkLlama } = await import('./adapters/model-llama/llama-model.js');
  await checkLlama({ file: model });
}

const LLAMA_SEQUENCES = 2;
const FREE: Price = { input: 0, output: 0 };

async function modelOf(name: string, config: ModelsConfig, env: Environment): Promise<Model> {
  const { provider, model } = parseModelName(name);
  const settings = providerSettings(provider, env, config.providers);
  const { capabilities: override, price: agreed } = config.models?.[name] ?? {};
  const { facts, values } = settings;
  const price = agreed ?? priceOf(name) ?? (facts.isFree === true ? FREE : undefined);
  const window = values.contextLength === undefined ? {} : { window: Number(values.contextLength) };
  const known = { base: { ...facts.unknown, ...window }, ...(override === undefined ? {} : { override }) };
  const capabilities = capabilitiesOf(name, known);
  const make = await makerOf(settings);
  const countText = await counterFor(capabilities);
  return make(model, {
    id: name,
    capabilities,
    ...(price === undefined ? {} : { price }),
    ...(countText === undefined ? {} : { countText }),
  });
}

/** Exact counts where the encoding is known and its package is there; without them every byte counts as a token. */
async function counterFor({ tokenizer }: ModelCapabilities): Promise<Described['countText']> {
  if (tokenizer === undefined) return undefined;
  const { gptTokens } = await import('./adapters/tokens-gpt/index.js');
  try {
    return await gptTokens(tokenizer as Parameters<typeof gptTokens>[0]); // it refuses a name that it does not know
  } catch (error) {
    if (error instanceof FlyballError && error.code === 'DRIVER_MISSING') return undefined;
    throw error;
  }
}

interface Described {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly price?: Price;
  readonly countText?: (text: string) => number;
}

/** Makes the models of a provider. Its adapter, and whatever package that needs, is loaded here and not before. */
async function makerOf(
  settings: ProviderSettings,
): Promise<(model: string, described: Described) => Model | Promise<Model>> {
  const { wire, keyHeader } = settings.facts;
  const { apiKey, baseUrl, contextLength: _, sequences = LLAMA_SEQUENCES, threads, ...others } = settings.values;
  if (wire.kind === 'llama') {
    const { checkLlama, llamaModel } = await import('./adapters/model-llama/llama-model.js');
    await checkLlama({});
    const processor = threads === undefined ? {} : { threads: Number(threads) };
    return (file, described) => llamaModel({ ...described, file, sequences: Number(sequences), ...processor });
  }
  const access = {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(settings.headers === undefined ? {} : { headers: settings.headers }),
  };
  if (wire.kind === 'ai-sdk') {
    const { aiSdkProvider } = await import('./adapters/model-ai-sdk/index.js');
    const address = baseUrl === undefined ? {} : { baseUrl };
    const provider = await aiSdkProvider(wire.name, { ...access, ...address, settings: others });
    return (model, described) => provider(model, described);
  }
  const http = await import('./adapters/model-http/index.js');
  const open = { ollama: http.ollamaModel, openai: http.openAiModel }[wire.kind];
  const header = keyHeader === undefined ? {} : { keyHeader };
  return (_model, described) => open({ ...described, ...access, ...header, baseUrl: baseUrl ?? '' });
}
