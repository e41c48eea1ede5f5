import type { AgentSpec } from '../agents/agent-spec.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import type { Model, Price } from '../core/model.js';
import { priceOf } from '../core/prices.js';
import { createModels } from '../create-models.js';
import { modelChoice } from '../models/model-choice.js';
import { isModelName, parseModelName, roleKey } from '../models/model-name.js';
import { PROVIDERS } from '../models/providers.js';
import { DEFAULT_ROLE } from '../models/router.js';
import { nearestNames } from '../tools/nearest-names.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The model of a definition: the one that it names, the one for the role that it names, or the default one. */
export async function modelFor(spec: AgentSpec, env: Env): Promise<Model> {
  try {
    return await chosenModel(spec, env);
  } catch (error) {
    if (!(error instanceof FlyballError)) throw error;
    throw new FlyballError(error.code, error.message, { detail: { ...error.detail, about: 'model' }, cause: error });
  }
}

async function chosenModel(spec: AgentSpec, env: Env): Promise<Model> {
  const asked = spec.model ?? DEFAULT_ROLE;
  requireKnown(asked, env);
  const models = await createModels({ env: isModelName(asked) ? withoutChoices(env) : env });
  const model = await models.load(asked);
  for (const each of [model, ...(model.fallbacks ?? [])]) requirePrice(spec, each);
  return model;
}

/** What the definition says its models cost: each by its name, or one price for all of the chain that say nothing. */
export function pricesFor({ price, prices = {} }: AgentSpec, model: Model): Readonly<Record<string, Price>> {
  if (price === undefined) return prices;
  const others = (model.fallbacks ?? []).filter((each) => knownPrice(each) === undefined);
  return { ...Object.fromEntries([model, ...others].map(({ id }) => [id, price])), ...prices };
}

function requireKnown(asked: string, env: Env): void {
  const { roles, fallback } = modelChoice(env);
  const role = isModelName(asked) ? undefined : roles[roleKey(asked)] === undefined ? DEFAULT_ROLE : roleKey(asked);
  const name = role === undefined ? asked : roles[role];
  if (name === undefined)
    throw new ConfigError(
      'no model is configured. Set FLYBALL_MODEL, for example: export FLYBALL_MODEL=ollama/llama3.2 (or openai/gpt-4.1-mini with ' +
        'OPENAI_API_KEY), or add a line to the definition: model: provider/model.',
    );
  for (const each of role === undefined ? [name] : [name, ...(fallback[role] ?? [])]) requireProvider(each);
}

function requireProvider(name: string): void {
  const { provider, model } = parseModelName(name);
  if (Object.hasOwn(PROVIDERS, provider)) return;
  const known = Object.keys(PROVIDERS);
  const near = nearestNames(provider, known).map((each) => `${each}/${model}`);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Known providers: ${known.join(', ')}.`;
  throw new ConfigError(`there is no provider "${provider}" for the model ${name}. ${hint}`);
}

/** The environment chooses models that this definition does not use: a broken choice must not be in its way. */
function withoutChoices(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('FLYBALL_MODEL')));
}

/** Here and not in the middle of the first call: a run whose cost cannot be bounded does not start. */
function requirePrice({ price, prices = {} }: AgentSpec, model: Model): void {
  if ((price ?? prices[model.id] ?? knownPrice(model)) !== undefined) return;
  throw new ConfigError(
    `no price is known for ${model.id}, so its cost cannot be limited. Add its price in USD per million tokens to ` +
      'the definition, or 0 if it is free: price: { input: 0.25, output: 2 }',
  );
}

function knownPrice(model: Model): Price | undefined {
  return model.price ?? priceOf(model.id);
}
