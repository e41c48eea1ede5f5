import { createModels, type Model } from 'flyball';
import { DEMONSTRATION, demonstrationModel } from './demonstration-model.js';
import { RULES } from './rules.js';

export interface Chosen {
  readonly model: Model;
  /** There when nobody pays for it and nobody thinks. */
  readonly demonstration?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** A real model where one is at hand: FLYBALL_MODEL, a key, or Ollama on this machine. Otherwise the script. */
export async function chooseModel(env: Env): Promise<Chosen> {
  const name = env['FLYBALL_DEMONSTRATION'] === '1' ? undefined : await realModel(env);
  if (name === undefined) return { model: demonstrationModel(RULES), demonstration: DEMONSTRATION };
  const models = await createModels({ env: { ...env, FLYBALL_MODEL: name } });
  return { model: await models.load('default') };
}

async function realModel(env: Env): Promise<string | undefined> {
  if (has(env, 'FLYBALL_MODEL')) return env['FLYBALL_MODEL'];
  if (has(env, 'OPENAI_API_KEY')) return 'openai/gpt-4.1-mini';
  if (has(env, 'OPENROUTER_API_KEY')) return 'openrouter/openai/gpt-4.1-mini';
  if (has(env, 'DEEPSEEK_API_KEY')) return 'deepseek/deepseek-chat';
  return localModel(env['OLLAMA_HOST'] ?? 'http://127.0.0.1:11434');
}

function has(env: Env, name: string): boolean {
  return (env[name] ?? '') !== '';
}

/** The first model that Ollama has, if it runs here. That it does not is the ordinary case. */
async function localModel(host: string): Promise<string | undefined> {
  const address = host.includes('://') ? host : `http://${host}`;
  try {
    const answer = await fetch(new URL('/api/tags', address), { signal: AbortSignal.timeout(500) });
    const { models = [] } = (await answer.json()) as { readonly models?: readonly { readonly name: string }[] };
    return models[0] === undefined ? undefined : `ollama/${models[0].name}`;
  } catch {
    return undefined;
  }
}
