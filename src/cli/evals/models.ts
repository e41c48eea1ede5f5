import { ConfigError } from '../../core/errors.js';
import type { Model, Price } from '../../core/model.js';
import { priceOf as knownPrice } from '../../core/prices.js';
import { deskModel } from '../../evals/domains/energy-desk/desk-model.js';
import type { ExperimentSettings } from '../../evals/experiment/settings.js';
import type { Domain } from '../../evals/world/environment.js';
import { isModelName } from '../../models/model-name.js';
import { modelFor } from '../yaml-model.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What models are opened for. */
export interface ModelSetting {
  /** Whose tasks the scripted model plays. */
  readonly domain?: Domain;
  readonly settings: Pick<ExperimentSettings, 'price'>;
  readonly env: Env;
}

/** `option` is what named it: an error says what else could stand there. */
export async function modelNamed(
  name: string,
  option: string,
  { domain, settings, env }: ModelSetting,
): Promise<Model> {
  if (name === 'scripted') return scripted(domain);
  if (!isModelName(name))
    throw new ConfigError(
      `There is no model "${name}". Give ${option} as provider/model, such as openai/gpt-4.1 or ollama/llama3.2, or say scripted, which needs no key.`,
    );
  const price = priceOf(settings.price);
  const model = await modelFor({ name: 'evals', description: '', model: name, price: price ?? FREE }, env);
  if ((price ?? model.price ?? knownPrice(model.id)) === undefined) throw noPrice(name);
  return model;
}

/** Stands in until it is known whether there is a price: the advice for a definition is of no use here. */
const FREE: Price = { input: 0, output: 0 };

function scripted(domain: Domain | undefined): Model {
  if (domain?.name === 'energy_desk') return deskModel(domain.tasks);
  throw new ConfigError(
    `The scripted model plays only agents of energy_desk. ${domain === undefined ? 'Here' : `For ${domain.name}`} name a model: --model openai/gpt-4.1, or try --agent gold.`,
  );
}

/** What `--price` says, and what the results file then counts. */
export function priceOf(text: string | undefined): Price | undefined {
  if (text === undefined) return undefined;
  const [, input, output] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text.trim()) ?? [];
  if (input === undefined || output === undefined)
    throw new ConfigError(`A price is input/output in USD per million tokens, as in 0.25/2, got "${text}".`);
  return { input: Number(input), output: Number(output) };
}

function noPrice(name: string): ConfigError {
  return new ConfigError(
    `No price is known for ${name}, so what it costs could not be told. Say it in USD per million tokens, 0/0 for a model that costs nothing: --price 0.25/2`,
  );
}
