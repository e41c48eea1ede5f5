import type { Model, Price, Sampling } from 'flyball';
import { ConfigError } from 'flyball';
import { isModelName, priceOf as knownPrice, modelFor, PRICES } from 'flyball/internal';
import { deskModel } from '../domains/energy-desk/desk-model.js';
import { type ModelUse, priceFor, samplingFor } from '../experiment/model-settings.js';
import type { ExperimentSettings } from '../experiment/settings.js';
import type { Domain } from '../world/environment.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What models are opened for. */
export interface ModelSetting {
  /** Whose tasks the scripted model plays. */
  readonly domain?: Domain;
  readonly settings: Pick<ExperimentSettings, 'modelSettings'>;
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
      `There is no model "${name}". Set ${option} to provider/model, such as openai/gpt-4.1 or ollama/llama3.2, or to scripted, which needs no API key.`,
    );
  const model = await modelFor({ name: 'evals', description: '', model: name, price: FREE }, env);
  if (pricesBy(settings)(model.id, model.price) === undefined) throw noPrice(name);
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

/** What a call of a model costs in this experiment, as a runtime asks for it. */
export function pricesBy({
  modelSettings = {},
}: Pick<ExperimentSettings, 'modelSettings'>): (id: string, own: Price | undefined) => Price | undefined {
  return (id, own) => priceFor(modelSettings, id, own ?? knownPrice(id));
}

/** What the models of an experiment are counted at, for whoever reads its costs later. */
export function pricesTold(
  settings: Pick<ExperimentSettings, 'modelSettings' | 'models' | 'user' | 'judge'>,
): readonly { readonly model: string; readonly price: Price; readonly asOf: string }[] {
  const names = [...settings.models, settings.user, settings.judge ?? ''].filter(isModelName);
  return [...new Set(names)].flatMap((model) => {
    const price = pricesBy(settings)(model, undefined);
    if (price === undefined) return []; // one that says itself that it costs nothing
    const listed = knownPrice(model);
    return [{ model, price, asOf: price === listed ? (listed.asOf ?? PRICES.asOf) : 'as given' }];
  });
}

/** A model with what it is told in this experiment. */
export async function modelSide(
  name: string,
  use: ModelUse,
  opening: ModelSetting,
): Promise<{ readonly model: Model; readonly sampling: Sampling }> {
  const model = await modelNamed(name, `--${use === 'agent' ? 'model' : use}`, opening);
  return { model, sampling: samplingFor(opening.settings.modelSettings ?? {}, { name, model, use }) };
}

function noPrice(name: string): ConfigError {
  return new ConfigError(
    `No price is known for ${name}, so its cost cannot be reported. Set it in USD per million tokens, or 0/0 if it is free: --price ${name}=0.25/2`,
  );
}
