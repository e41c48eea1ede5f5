import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from 'flyball';
import { readYaml } from 'flyball/internal';
import { DEFAULT_SETTINGS, type ExperimentSettings, MOST_TRIALS, readSettings } from '../experiment/settings.js';
import { type ModelOptions, mergedSettings, modelSettingsFrom } from './model-options.js';
import { presetFile } from './presets.js';

/** What the command line may say about an experiment, as it was typed. */
export interface SettingOptions extends ModelOptions {
  readonly preset?: string;
  readonly config?: string;
  readonly domain?: string;
  readonly tasks?: readonly string[];
  readonly limit?: string;
  readonly agent?: readonly string[];
  readonly retrieval?: readonly string[];
  readonly model?: readonly string[];
  readonly user?: string;
  readonly judge?: string;
  readonly embedder?: string;
  readonly reranker?: string;
  readonly module?: readonly string[];
  readonly trials?: string;
  readonly seed?: string;
  readonly concurrency?: string;
  readonly maxSteps?: string;
  readonly maxErrors?: string;
  readonly maxCost?: string;
}

/** What nobody says is the default; a file says more than that, and an option more than the file. */
export async function settingsFrom(options: SettingOptions): Promise<ExperimentSettings> {
  const file = await fromFile(options);
  const settings = { ...DEFAULT_SETTINGS, ...file, ...fromOptions(options) };
  const said = modelSettingsFrom(options);
  return said === undefined ? settings : { ...settings, modelSettings: mergedSettings(file.modelSettings, said) };
}

async function fromFile({ preset, config }: SettingOptions): Promise<Partial<ExperimentSettings>> {
  if (preset !== undefined && config !== undefined) throw new ConfigError('Use --preset or --config, not both.');
  const file = preset === undefined ? config : presetFile(preset);
  if (file === undefined) return {};
  if (!existsSync(file))
    throw new ConfigError(
      `There is no file ${file}. Use --config with a YAML file, or --preset with built-in settings.`,
    );
  const source = await readYaml(file);
  const settings = readSettings(source.value, source.at);
  const { modules } = settings;
  // a file can be used from anywhere, so what it names lies beside it
  return modules === undefined
    ? settings
    : { ...settings, modules: modules.map((path) => resolve(dirname(source.file), path)) };
}

function fromOptions(options: SettingOptions): Partial<ExperimentSettings> {
  const { domain, tasks, agent, retrieval, model, user, judge, embedder, reranker, module } = options;
  const given = {
    domain,
    tasks,
    agents: namesIn(agent),
    retrieval: namesIn(retrieval),
    models: namesIn(model),
    user,
    judge,
    embedder,
    reranker,
    modules: module?.map((file) => resolve(file)),
    limit: count('limit', options.limit),
    trials: trialsOf(options.trials),
    seed: count('seed', options.seed, 0),
    concurrency: count('concurrency', options.concurrency),
    maxSteps: count('max-steps', options.maxSteps),
    maxErrors: count('max-errors', options.maxErrors),
    maxCost: options.maxCost === undefined ? undefined : costOf(options.maxCost),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Each once: a condition has one results file. */
function namesIn(texts: readonly string[] | undefined): readonly string[] | undefined {
  return texts && [...new Set(texts.flatMap(words))];
}

function words(text: string): readonly string[] {
  return text.split(',').filter((word) => word !== '');
}

function count(name: string, text: string | undefined, least = 1): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= least) return value;
  throw new ConfigError(`--${name} must be a whole number of at least ${least}, got "${text}".`);
}

function trialsOf(text: string | undefined): number | undefined {
  const trials = count('trials', text);
  if (trials !== undefined && trials > MOST_TRIALS)
    throw new ConfigError(`--trials must be at most ${MOST_TRIALS}, got "${text}".`);
  return trials;
}

export function costOf(text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new ConfigError(`--max-cost must be an amount in USD, as in 2.50, got "${text}".`);
}
