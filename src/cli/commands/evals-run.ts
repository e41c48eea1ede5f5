import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { readYaml } from '../../adapters/definitions/yaml-source.js';
import { ConfigError } from '../../core/errors.js';
import { DEFAULT_SETTINGS, type ExperimentSettings, readSettings } from '../../evals/experiment/settings.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { carryOut } from '../evals/carry-out.js';
import { afterwards, type GateOptions } from '../evals/ending.js';
import { ExperimentFolder } from '../evals/experiment-folder.js';
import { SHIPPED } from '../evals/open-domain.js';
import { prepare } from '../evals/prepare.js';
import { unknownName } from '../evals/unknown-name.js';
import type { ExitCode } from '../exit-codes.js';

interface Options extends CommonOptions, GateOptions {
  readonly preset?: string;
  readonly config?: string;
  readonly domain?: string;
  readonly data?: string;
  readonly tasks?: readonly string[];
  readonly limit?: string;
  readonly agent?: readonly string[];
  readonly retrieval?: readonly string[];
  readonly model?: readonly string[];
  readonly user?: string;
  readonly judge?: string;
  readonly embedder?: string;
  readonly module?: readonly string[];
  readonly price?: string;
  readonly trials?: string;
  readonly seed?: string;
  readonly concurrency?: string;
  readonly maxSteps?: string;
  readonly maxErrors?: string;
  readonly maxCost?: string;
  readonly out?: string;
}

const ABOUT =
  'Run an experiment: tasks of a domain, under one or several agents, ways of retrieval and models. ' +
  'Results are kept after every simulation, in the format of tau2-bench; an interrupted experiment goes on with resume.';

export function runEvalsCommand(perform: Perform): Command {
  return newCommand('run', ABOUT, [
    'flyball evals run                                        the built-in domain, no key needed',
    'flyball evals run --preset pilot',
    'flyball evals run --agent baseline governed --retrieval bm25 golden_retrieval --tasks tier-1',
    'flyball evals run --domain banking_knowledge --data ./tau2 --model openai/gpt-4.1 --user openai/gpt-4.1 --trials 4',
    'flyball evals run --preset pilot --gate baseline.json    for CI: fails when something got worse',
  ])
    .option('--preset <name>', 'settings that come with the package: pilot, experiment')
    .option('--config <file>', 'settings in YAML; options here win over it')
    .option(
      '--domain <name>',
      `energy_desk (built in), banking_knowledge or mock (default: ${DEFAULT_SETTINGS.domain})`,
    )
    .option('--data <folder>', 'data of tau2-bench (default: FLYBALL_TAU2, or .flyball/tau2)')
    .option('--tasks <ids...>', 'ids, names of sets, or all')
    .option('--limit <n>', 'only the first n tasks')
    .option(
      '--agent <names...>',
      'baseline, declarative, imperative, governed, gold, silent, or registered by a module',
    )
    .option('--retrieval <names...>', 'retrieval configurations of the domain')
    .option('--model <names...>', 'provider/model, or scripted (default: scripted, which needs no key)')
    .option('--user <name>', 'scripted, gold, or provider/model that plays the user')
    .option('--judge <model>', 'judges natural-language assertions')
    .option('--embedder <name>', 'energetic, hash, provider/model@dimensions, or a folder with an ONNX model')
    .option('--module <files...>', 'modules that register agents: export const policies = { … }')
    .option('--price <in/out>', 'USD per million tokens, for models without a known price')
    .option('--trials <n>', 'how often each task is run')
    .option('--seed <n>', 'seed of the run')
    .option('--concurrency <n>', 'simulations at once')
    .option('--max-steps <n>', 'steps of one simulation')
    .option('--max-errors <n>', 'errors of one simulation')
    .option('--max-cost <usd>', 'start nothing new beyond this cost')
    .option('--out <folder>', 'where results go (default: .flyball/evals/<time>)')
    .option('--gate <baseline>', 'compare with an accepted baseline, and fail when something fell')
    .option('--promote <reason>', 'accept the results as the new baseline of --gate, for this reason')
    .action((options: Options) => perform(options, {}, (call) => run(call, options)));
}

async function run(call: Call, options: Options): Promise<ExitCode> {
  const settings = { ...DEFAULT_SETTINGS, ...(await fromFile(options)), ...fromOptions(options) };
  const data = options.data === undefined ? {} : { data: resolve(options.data) };
  const prepared = await prepare(settings, { ...data, env: call.env });
  const folder = new ExperimentFolder(options.out ?? join('.flyball', 'evals', stamp()));
  await folder.begin({ settings, ...data });
  announce(call, settings, prepared.tasks.length, prepared.conditions.length, folder.path);
  const ended = await carryOut(prepared, { settings, folder, screen: call.screen });
  return afterwards(call, { ...ended, domain: prepared.domain, folder }, options);
}

async function fromFile({ preset, config }: Options): Promise<Partial<ExperimentSettings>> {
  if (preset !== undefined && config !== undefined) throw new ConfigError('Give --preset or --config, not both.');
  const file = preset === undefined ? config : presetFile(preset);
  return file === undefined ? {} : readSettings((await readYaml(file)).value, file);
}

export function presetNames(): readonly string[] {
  return readdirSync(join(SHIPPED, 'evals'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length));
}

function presetFile(preset: string): string {
  const file = join(SHIPPED, 'evals', `${preset}.yaml`);
  if (!/^[\w-]+$/.test(preset) || !existsSync(file)) throw unknownName('preset', preset, presetNames());
  return file;
}

function fromOptions(options: Options): Partial<ExperimentSettings> {
  const { domain, tasks, agent, retrieval, model, user, judge, embedder, module, price } = options;
  const given = {
    domain,
    tasks,
    agents: agent?.flatMap(words),
    retrieval: retrieval?.flatMap(words),
    models: model?.flatMap(words),
    user,
    judge,
    embedder,
    modules: module?.map((file) => resolve(file)),
    price,
    limit: count('limit', options.limit),
    trials: count('trials', options.trials),
    seed: count('seed', options.seed, 0),
    concurrency: count('concurrency', options.concurrency),
    maxSteps: count('max-steps', options.maxSteps),
    maxErrors: count('max-errors', options.maxErrors),
    maxCost: options.maxCost === undefined ? undefined : cost(options.maxCost),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function words(text: string): readonly string[] {
  return text.split(',').filter((word) => word !== '');
}

function count(name: string, text: string | undefined, least = 1): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new ConfigError(`--${name} must be a whole number of at least ${least}, got "${text}".`);
}

function cost(text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new ConfigError(`--max-cost must be an amount in USD, as in 2.50, got "${text}".`);
}

function announce(
  { screen }: Call,
  settings: ExperimentSettings,
  tasks: number,
  conditions: number,
  path: string,
): void {
  const simulations = tasks * conditions * settings.trials;
  screen.data({ kind: 'experiment', folder: path, tasks, conditions, trials: settings.trials, simulations, settings });
  screen.line(
    `${tasks} tasks of ${settings.domain} × ${conditions} conditions × ${settings.trials} trials = ${simulations} simulations, into ${path}`,
  );
  if (settings.models.includes('scripted') && settings.agents.some((name) => name !== 'gold' && name !== 'silent'))
    screen.line('The scripted model plays a right agent: it shows that everything works, not how good a model is.');
}

/** Sorts by time and can be read. */
function stamp(): string {
  return new Date().toISOString().replaceAll(/[:.]/g, '-').slice(0, 19);
}
