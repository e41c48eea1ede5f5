import { ConfigError } from '../core/errors.js';

/** `provider/model`: all after the first slash is the provider's own name, further slashes included. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/** Splits a name such as `openai/gpt-4.1` into provider and model. */
export function parseModelName(name: string): ModelName {
  const slash = name.indexOf('/');
  const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)];
  if (slash < 1 || model === '' || name !== name.trim())
    throw new ConfigError(`"${name}" is not a model name. Write provider/model, for example openai/gpt-5-mini.`);
  return { provider, model };
}

/** A name has a slash in it, a role has none. */
export function isModelName(nameOrRole: string): boolean {
  return nameOrRole.includes('/');
}

/** One spelling for a role, so that `FLYBALL_MODEL_FACT_CHECKER` and `fact-checker` are the same one. */
export function roleKey(role: string): string {
  return role.trim().toLowerCase().replaceAll('_', '-');
}
