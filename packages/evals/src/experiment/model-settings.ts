import type { Model, Price, Sampling } from 'flyball';

/** What is said to one model, and what it costs. */
export interface ModelSettings {
  /** `none`: it is not sent, for models that refuse one. */
  readonly temperature?: number | 'none';
  /** As the provider calls its levels, such as `low` or `high`. */
  readonly reasoningEffort?: string;
  readonly maxOutputTokens?: number;
  /** Further arguments, passed on as they are. */
  readonly vendor?: Readonly<Record<string, unknown>>;
  /** USD per million tokens. */
  readonly price?: Price;
}

/**
 * By `provider/model`, by what a model is for (`agent`, `user`, `judge`, `reranker`), or `default`. What is said of a
 * use wins over what is said of the model, and both over the default.
 */
export type SettingsByModel = Readonly<Record<string, ModelSettings>>;

export const MODEL_USES = ['agent', 'user', 'judge', 'reranker'] as const;
export type ModelUse = (typeof MODEL_USES)[number];

/** As the benchmark asks its models where nobody says otherwise. */
const USUAL_TEMPERATURE = 0;

/** What a model is told with every call. The usual temperature is left out for one that is known to refuse it. */
export function samplingFor(
  settings: SettingsByModel,
  { name, model, use }: { readonly name: string; readonly model: Model; readonly use: ModelUse },
): Sampling {
  const { temperature, reasoningEffort, maxOutputTokens, vendor } = {
    ...settings['default'],
    ...settings[name],
    ...settings[use],
  };
  const usual = model.capabilities.temperature === false ? 'none' : USUAL_TEMPERATURE;
  const sent = temperature ?? usual;
  return {
    ...(sent === 'none' ? {} : { temperature: sent }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(vendor === undefined ? {} : { vendor }),
  };
}

/** What is said of this model wins over what is known, and what is known over the default. */
export function priceFor(settings: SettingsByModel, name: string, known: Price | undefined): Price | undefined {
  return settings[name]?.price ?? known ?? settings['default']?.price;
}

const FIELDS = ['temperature', 'reasoningEffort', 'maxOutputTokens', 'vendor', 'price'] as const;
const RATES = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

export interface Mistake {
  readonly path: readonly string[];
  readonly why: string;
}

/** What is wrong with settings from a file, each with where it stands. */
export function mistakesInModelSettings(value: unknown): readonly Mistake[] {
  if (!isMapping(value))
    return [{ path: [], why: 'modelSettings must be a mapping by model, as in openai/gpt-5: { temperature: none }.' }];
  return Object.entries(value).flatMap(([name, settings]) => {
    const at = (why: string, ...path: readonly string[]): Mistake => ({ path: [name, ...path], why });
    if (!name.includes('/') && name !== 'default' && !MODEL_USES.some((use) => use === name))
      return [at(`"${name}" is not provider/model. It can also be default, ${MODEL_USES.join(', ')}.`)];
    if (!isMapping(settings)) return [at(`the settings of ${name} must be a mapping.`)];
    return Object.entries(settings).flatMap(([field, one]) => {
      const why = mistakeIn(name, field, one);
      return why === undefined ? [] : [at(why, field)];
    });
  });
}

function mistakeIn(name: string, field: string, value: unknown): string | undefined {
  switch (field) {
    case 'temperature':
      return value === 'none' || (isAmount(value) && Number(value) <= 2)
        ? undefined
        : 'temperature must be a number from 0 to 2, or none.';
    case 'reasoningEffort':
      return typeof value === 'string' && value !== '' ? undefined : 'reasoningEffort must be a word, such as high.';
    case 'maxOutputTokens':
      return Number.isSafeInteger(value) && Number(value) >= 1 ? undefined : 'maxOutputTokens must be a whole number.';
    case 'vendor':
      return isMapping(value) ? undefined : 'vendor must be a mapping of arguments.';
    case 'price':
      return mistakeInPrice(name, value);
    default:
      return `there is no setting "${field}" of a model. Available: ${FIELDS.join(', ')}.`;
  }
}

function mistakeInPrice(name: string, value: unknown): string | undefined {
  if (MODEL_USES.some((use) => use === name)) return 'a price belongs to a model: name it as provider/model.';
  const rates = isMapping(value) ? Object.entries(value) : [];
  const isRight = rates.every(([rate, amount]) => RATES.some((known) => known === rate) && isAmount(amount));
  const isWhole = isMapping(value) && 'input' in value && 'output' in value;
  return isRight && isWhole
    ? undefined
    : 'a price is { input, output, cacheRead, cacheWrite } in USD per million tokens; the cache rates may be left out.';
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
