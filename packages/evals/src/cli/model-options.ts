import type { Command } from 'commander';
import type { Price } from 'flyball';
import { ConfigError } from 'flyball';
import { type ModelSettings, mistakesInModelSettings, type SettingsByModel } from '../experiment/model-settings.js';

/** What the command line may say about models, as it was typed: a value for all of them, or `model=value`. */
export interface ModelOptions {
  readonly temperature?: readonly string[];
  readonly reasoningEffort?: readonly string[];
  readonly maxOutputTokens?: readonly string[];
  readonly vendor?: readonly string[];
  readonly price?: readonly string[];
}

export function withModelOptions(command: Command): Command {
  return command
    .option('--temperature <[model=]number...>', 'temperature for all models or for one; none omits it (default: 0)')
    .option('--reasoning-effort <[model=]level...>', 'a level of the provider, such as low or high')
    .option('--max-output-tokens <[model=]n...>', 'of one reply')
    .option('--vendor <[model=]json...>', 'additional arguments for a model, passed on unchanged')
    .option(
      '--price <[model=]rates...>',
      'in/out, or in/out/cache read/cache write, in USD per million tokens; without a model: for those without a known price',
    );
}

const READERS: Readonly<Record<keyof ModelOptions, (text: string) => unknown>> = {
  temperature: (text) => (text === 'none' || text.trim() === '' ? text : Number(text)),
  reasoningEffort: (text) => text,
  maxOutputTokens: Number,
  vendor: jsonIn,
  price: rateCard,
};

/** Settings by model, as a file would have them; checked by the same rules. */
export function modelSettingsFrom(options: ModelOptions): SettingsByModel | undefined {
  const settings: Record<string, Record<string, unknown>> = {};
  for (const field of Object.keys(READERS) as (keyof ModelOptions)[]) {
    for (const text of options[field] ?? []) {
      const [name, value] = named(text);
      settings[name] = { ...settings[name], [field]: READERS[field](value) };
    }
  }
  const [mistake] = mistakesInModelSettings(settings);
  if (mistake !== undefined) throw new ConfigError(`${optionOf(mistake.path[1])}${mistake.why}`);
  return Object.keys(settings).length === 0 ? undefined : (settings as SettingsByModel);
}

/** What a file says and what the command line adds, field by field. */
export function mergedSettings(first: SettingsByModel = {}, second: SettingsByModel = {}): SettingsByModel {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries(
    [...names].map((name): [string, ModelSettings] => [name, { ...first[name], ...second[name] }]),
  );
}

function named(text: string): readonly [string, string] {
  const at = /^[^{=]*=/.exec(text)?.[0].length ?? 0; // an argument in JSON may hold "=" too
  return at === 0 ? ['default', text] : [text.slice(0, at - 1), text.slice(at)];
}

function optionOf(field: string | undefined): string {
  return field === undefined ? '' : `--${field.replaceAll(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`)}: `;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`--vendor takes JSON, as in '{"top_p": 0.9}', got "${text}": ${(error as Error).message}.`);
  }
}

/** `0.25/2`, or with what cached tokens cost: `0.25/2/0.025/0.3`. */
function rateCard(text: string): Price {
  const rates = text
    .trim()
    .split('/')
    .map((rate) => (/^\d+(?:\.\d+)?$/.test(rate) ? Number(rate) : Number.NaN));
  const [input, output, cacheRead, cacheWrite] = rates;
  if (input === undefined || output === undefined || rates.length > 4 || rates.some(Number.isNaN))
    throw new ConfigError(
      `A price is input/output in USD per million tokens, as in 0.25/2, or input/output/cache read/cache write, as in 0.25/2/0.025/0.3, got "${text}".`,
    );
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}
