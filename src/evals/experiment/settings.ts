import { ConfigError } from '../../core/errors.js';

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
  readonly trials: number;
  readonly seed: number;
  readonly concurrency: number;
  readonly maxSteps: number;
  readonly maxErrors: number;
  /** USD per million tokens, `input/output`, for models that the built-in table does not know. */
  readonly price?: string;
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

const LISTS = ['tasks', 'agents', 'retrieval', 'models', 'modules'] as const;
const TEXTS = ['about', 'domain', 'user', 'judge', 'embedder', 'price'] as const;
const COUNTS = ['trials', 'concurrency', 'maxSteps', 'maxErrors', 'limit'] as const;
const KNOWN: ReadonlySet<string> = new Set([...LISTS, ...TEXTS, ...COUNTS, 'seed', 'maxCost']);

/** Settings from a file: every field is checked, and what nobody knows is refused by name. */
export function readSettings(value: unknown, file: string): Partial<ExperimentSettings> {
  const refuse = (why: string): never => {
    throw new ConfigError(`${file} is no experiment: ${why}.`);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('it holds no settings');
  const given = value as Record<string, unknown>;
  for (const name of Object.keys(given)) if (!KNOWN.has(name)) refuse(`there is no setting "${name}"`);
  for (const name of TEXTS)
    if (given[name] !== undefined && typeof given[name] !== 'string') refuse(`${name} must be text`);
  for (const name of COUNTS)
    if (given[name] !== undefined && !isCount(given[name])) refuse(`${name} must be 1 or more`);
  if (given['seed'] !== undefined && !Number.isSafeInteger(given['seed'])) refuse('seed must be a whole number');
  if (given['maxCost'] !== undefined && !(Number(given['maxCost']) > 0)) refuse('maxCost must be more than 0');
  return { ...given, ...listsIn(given, refuse) } as Partial<ExperimentSettings>;
}

/** A single name stands for a list of one. */
function listsIn(given: Record<string, unknown>, refuse: (why: string) => never): Record<string, readonly string[]> {
  const lists: Record<string, readonly string[]> = {};
  for (const name of LISTS) {
    const value = given[name];
    if (value === undefined) continue;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    lists[name] = list.map((one) => (typeof one === 'string' ? one : refuse(`${name} must be names`)));
  }
  return lists;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
