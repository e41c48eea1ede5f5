import { ConfigError } from 'flyball';
import { nearestNames } from 'flyball/internal';
import { mistakesInModelSettings, type SettingsByModel } from './model-settings.js';

/** An experiment as data: what a configuration file holds, and what is kept beside the results so that it can go on. */
export interface ExperimentSettings {
  readonly about?: string;
  readonly domain: string;
  /** Ids, names of sets, or `all`. */
  readonly tasks: readonly string[];
  /** Only the first so many of them. */
  readonly limit?: number;
  /** Conversation policies, or agents that a module registers. */
  readonly agents: readonly string[];
  /** Retrieval configurations; none in domains without documents. */
  readonly retrieval: readonly string[];
  /** `provider/model`, or `scripted`. */
  readonly models: readonly string[];
  /** `scripted`, `gold`, or `provider/model` that plays the user. */
  readonly user: string;
  /** Judges natural-language assertions. */
  readonly judge?: string;
  readonly embedder?: string;
  /** Rates what a search found, in configurations with a reranker. */
  readonly reranker?: string;
  readonly trials: number;
  readonly seed: number;
  readonly concurrency: number;
  readonly maxSteps: number;
  readonly maxErrors: number;
  /** What each model is told and costs, by `provider/model`, by its use, or `default`. */
  readonly modelSettings?: SettingsByModel;
  /** The form of the report's tables: `paper` for those of the paper. */
  readonly tables?: 'full' | 'paper';
  /** USD over everything; nothing new is started beyond it. */
  readonly maxCost?: number;
  /** Modules that register agents by name: `export const policies = { mine: … }`. */
  readonly modules?: readonly string[];
}

export const DEFAULT_SETTINGS: ExperimentSettings = {
  domain: 'energy_desk',
  tasks: ['all'],
  agents: ['baseline'],
  retrieval: [],
  models: ['scripted'],
  user: 'scripted',
  trials: 1,
  seed: 300,
  concurrency: 4,
  maxSteps: 200,
  maxErrors: 10,
};

/** More is a slip of the pen: every simulation is held in memory and written with each results file. */
export const MOST_TRIALS = 1_000;

const LISTS = ['tasks', 'agents', 'retrieval', 'models', 'modules'] as const;
const TEXTS = ['about', 'domain', 'user', 'judge', 'embedder', 'reranker'] as const;
const COUNTS = ['trials', 'concurrency', 'maxSteps', 'maxErrors', 'limit'] as const;
const KNOWN: ReadonlySet<string> = new Set([
  ...LISTS,
  ...TEXTS,
  ...COUNTS,
  'seed',
  'maxCost',
  'modelSettings',
  'tables',
]);

/** Where a part of the settings stands, as `file:line` where that is known. */
export type SettingPlace = (path: readonly string[]) => string;

/** Settings from a file: every field is checked, and every mistake is told with its place. */
export function readSettings(value: unknown, at: SettingPlace): Partial<ExperimentSettings> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigError(`${at([])}: an experiment is a mapping of settings, such as domain, tasks and agents.`);
  const given = value as Record<string, unknown>;
  const mistakes = Object.entries(given).flatMap(([name, one]) => {
    if (name === 'modelSettings')
      return mistakesInModelSettings(one).map(({ path, why }) => `${at([name, ...path])}: ${why}`);
    const why = mistakeIn(name, one);
    return why === undefined ? [] : [`${at([name])}: ${why}`];
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  const lists = LISTS.filter((name) => given[name] !== undefined);
  return { ...given, ...Object.fromEntries(lists.map((name) => [name, listOf(given[name])])) };
}

function mistakeIn(name: string, value: unknown): string | undefined {
  if (!KNOWN.has(name)) return `there is no setting "${name}". ${nearest(name)}`;
  if (isOneOf(TEXTS, name)) return typeof value === 'string' ? undefined : `${name} must be text.`;
  if (name === 'trials' && isWhole(value, MOST_TRIALS + 1)) return `trials must be at most ${MOST_TRIALS}.`;
  if (isOneOf(COUNTS, name)) return isWhole(value, 1) ? undefined : `${name} must be a whole number of at least 1.`;
  if (name === 'seed') return isWhole(value, 0) ? undefined : 'seed must be a whole number of at least 0.';
  if (name === 'tables') return value === 'full' || value === 'paper' ? undefined : 'tables must be full or paper.';
  if (name === 'maxCost')
    return typeof value === 'number' && value > 0 ? undefined : 'maxCost must be an amount in USD.';
  const isNames = listOf(value).every((one) => typeof one === 'string' && one !== '');
  return isNames ? undefined : `${name} must be a name or a list of names.`;
}

function nearest(name: string): string {
  const near = nearestNames(name, [...KNOWN]);
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Available: ${[...KNOWN].join(', ')}.`;
}

/** A single name stands for a list of one. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

function isWhole(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least;
}
