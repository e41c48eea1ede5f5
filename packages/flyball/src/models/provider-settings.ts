import { ConfigError } from '../core/errors.js';
import { parsedUrl } from '../core/parsed-url.js';
import { PROVIDERS, type ProviderFacts, type SettingName } from './providers.js';

/** Variables as a process has them. Handed in: nothing here reads them by itself. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A provider of the user's own, or another address or key for a known one. The environment wins over it. */
export interface ProviderConfig {
  /** The known provider that it works like: `openai-compatible` where nothing is said and the name is not a known one. */
  readonly like?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** The variable that holds the key, so that no file has to. */
  readonly apiKeyVariable?: string;
  /** The header that takes the key as it is, such as `api-key`. Without one it is sent as `Authorization: Bearer`. */
  readonly keyHeader?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its tokens cost nothing. */
  readonly isFree?: boolean;
}

/** Settings by provider. */
export type ProviderConfigs = Readonly<Record<string, ProviderConfig>>;
export type SettingValues = Readonly<Partial<Record<SettingName, string>>>;

export interface ProviderSettings {
  readonly provider: string;
  readonly facts: ProviderFacts;
  readonly values: SettingValues;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is set for a provider, as `flyball doctor` shows it: names of variables, never what they hold. */
export interface ProviderStatus {
  readonly provider: string;
  readonly isConfigured: boolean;
  /** The variables that are set. */
  readonly from: readonly string[];
  /** Where it is reached, without user, password and query. */
  readonly address?: string;
  /** The package it needs beside flyball. */
  readonly package?: string;
  /** What to do to use it. */
  readonly toDo?: string;
}

interface Found {
  readonly values: SettingValues;
  readonly from: readonly string[];
  /** Set by somebody: a default address is none. */
  readonly given: ReadonlySet<SettingName>;
}

export function providerSettings(provider: string, env: Environment, configs: ProviderConfigs = {}): ProviderSettings {
  const facts = factsOf(provider, configs);
  const config = own(configs, provider);
  const { values, given } = find(facts, env, config);
  const toDo = whatIsMissing(provider, facts, given);
  if (toDo !== undefined) throw new ConfigError(toDo);
  return { provider, facts, values, ...(config?.headers === undefined ? {} : { headers: config.headers }) };
}

export function providerStatuses(env: Environment, configs: ProviderConfigs = {}): readonly ProviderStatus[] {
  return [...new Set([...Object.keys(PROVIDERS), ...Object.keys(configs)])].map((provider) => {
    const facts = factsOf(provider, configs);
    const { values, from, given } = find(facts, env, own(configs, provider));
    const toDo = whatIsMissing(provider, facts, given);
    const address = values.baseUrl === undefined ? undefined : bareAddress(values.baseUrl);
    return {
      provider,
      isConfigured: toDo === undefined,
      from,
      ...(address === undefined ? {} : { address }),
      ...packageOf(facts),
      ...(toDo === undefined ? {} : { toDo }),
    };
  });
}

function packageOf({ wire }: ProviderFacts): Pick<ProviderStatus, 'package'> {
  if (wire.kind === 'llama') return { package: 'node-llama-cpp' };
  return wire.kind === 'ai-sdk' ? { package: `@ai-sdk/${wire.name}` } : {};
}

function factsOf(provider: string, configs: ProviderConfigs): ProviderFacts {
  const config = own(configs, provider);
  const like =
    config?.like ?? (Object.hasOwn(PROVIDERS, provider) || config === undefined ? provider : 'openai-compatible');
  const facts = own(PROVIDERS, like);
  if (facts === undefined) {
    const known = [...new Set([...Object.keys(PROVIDERS), ...Object.keys(configs)])].sort().join(', ');
    const named = like === provider ? `"${provider}"` : `"${like}", which "${provider}" is like,`;
    throw new ConfigError(
      `The provider ${named} is not known. Known providers: ${known}. You can add any server with an OpenAI-compatible chat completions API with providers: { ${provider}: { baseUrl } }.`,
    );
  }
  if (config === undefined) return facts;
  if (config.keyHeader !== undefined) checkKeyHeader(provider, config.keyHeader, facts);
  // a provider under a name of its own must not get the key, or the address, of the one that it is like
  const variables = like === provider ? facts.variables : {};
  return {
    ...facts,
    ...(config.isFree === true ? { isFree: true } : {}),
    ...(config.keyHeader === undefined ? {} : { keyHeader: config.keyHeader }),
    variables: config.apiKeyVariable === undefined ? variables : { ...variables, apiKey: [config.apiKeyVariable] },
  };
}

/** A package of the AI SDK knows the header of its provider. */
function checkKeyHeader(provider: string, header: string, { wire }: ProviderFacts): void {
  const where = `providers.${provider}.keyHeader`;
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw new ConfigError(`${where} is "${header}", which is not the name of a header. Write it like "api-key".`);
  if (wire.kind === 'openai' || wire.kind === 'ollama') return;
  throw new ConfigError(
    `${where} has no effect, because ${wire.kind === 'llama' ? 'a model in this process takes no key' : `@ai-sdk/${wire.name} sends the key itself`}. Remove it.`,
  );
}

function find(facts: ProviderFacts, env: Environment, config: ProviderConfig | undefined): Found {
  const values: Partial<Record<SettingName, string>> = {};
  const from: string[] = [];
  const given = new Set<SettingName>();
  for (const name of ['apiKey', 'baseUrl'] as const) {
    const value = config?.[name];
    if (value !== undefined) {
      values[name] = value;
      given.add(name);
    }
  }
  for (const [name, variables] of Object.entries(facts.variables) as [SettingName, readonly string[]][]) {
    const variable = variables.find((each) => (env[each] ?? '').trim() !== '');
    if (variable === undefined) continue;
    values[name] = (env[variable] ?? '').trim();
    from.push(variable);
    given.add(name);
  }
  const baseUrl = values.baseUrl ?? facts.baseUrl;
  if (baseUrl !== undefined) values.baseUrl = facts.wire.kind === 'ollama' ? ollamaAddress(baseUrl) : baseUrl;
  return { values, from, given };
}

/** A sentence about what to set, or undefined when all is there. */
function whatIsMissing(provider: string, facts: ProviderFacts, given: ReadonlySet<SettingName>): string | undefined {
  if (facts.needs.some((all) => all.every((name) => given.has(name)))) return undefined;
  const named = (name: SettingName): string => facts.variables[name]?.[0] ?? `providers.${provider}.${name}`;
  const ways = facts.needs.map((all) => all.map(named).join(' and '));
  const example = facts.needs[0]?.find((name) => !given.has(name) && facts.variables[name] !== undefined);
  const first = example === undefined ? '' : ` For example: export ${named(example)}=…`;
  return `${provider} is not configured. Set ${ways.join(', or ')}.${first}`;
}

/** `OLLAMA_HOST` is written for the server too: without a scheme, without a port, or as the address it listens on. */
function ollamaAddress(host: string): string {
  const text = host.startsWith(':') ? `127.0.0.1${host}` : host;
  const hasScheme = /^https?:\/\//i.test(text);
  const withScheme = hasScheme ? text : `http://${text}`;
  if (parsedUrl(withScheme) === undefined) return withScheme; // the adapter says what is wrong with it
  const url = new URL(withScheme);
  if (!hasScheme && url.port === '' && !/:\d+$/.test(text)) url.port = '11434';
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  return url.href.replace(/\/$/, '');
}

function bareAddress(baseUrl: string): string | undefined {
  if (parsedUrl(baseUrl) === undefined) return undefined;
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

function own<T>(entries: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}
