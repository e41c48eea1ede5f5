import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { ExitCode } from 'flyball/internal';
import { type Call, type CommonOptions, type Perform, plainCommand, plural } from 'flyball/internal';
import { DEFAULT_SETTINGS, type ExperimentSettings } from '../../experiment/settings.js';
import { carryOut } from '../carry-out.js';
import { afterwards, checkGate, type GateOptions } from '../ending.js';
import { ExperimentFolder } from '../experiment-folder.js';
import { withModelOptions } from '../model-options.js';
import { pricesTold } from '../models.js';
import { dataOf } from '../open-domain.js';
import { type Prepared, prepare } from '../prepare.js';
import { presetNames } from '../presets.js';
import { type SettingOptions, settingsFrom } from '../run-settings.js';

interface Options extends CommonOptions, GateOptions, SettingOptions {
  readonly data?: string;
  readonly out?: string;
}

const ABOUT =
  'Run an experiment: the tasks of a domain with one or more agents, retrieval configurations and models. ' +
  'Results are saved after every simulation, in the format of tau2-bench. To continue an interrupted experiment, use resume.';

export function runEvalsCommand(perform: Perform): Command {
  const command = plainCommand('run', ABOUT, [
    'flyball evals run                                        the built-in domain, needs no API key',
    'flyball evals run --preset pilot',
    'flyball evals run --agent baseline governed --retrieval bm25 golden_retrieval --tasks tier-1',
    'flyball evals run --domain banking_knowledge --data ./tau2 --model openai/gpt-4.1 --user openai/gpt-4.1 --trials 4',
    'flyball evals run --preset pilot --gate baseline.json    for CI: fails if a result got worse',
  ])
    .option('--preset <name>', `built-in settings: ${presetNames().join(', ')}`)
    .option('--config <file>', 'settings in YAML; command-line options override them')
    .option(
      '--domain <name>',
      `energy_desk (built in), banking_knowledge or mock (default: ${DEFAULT_SETTINGS.domain})`,
    )
    .option('--data <folder>', 'data of tau2-bench (default: FLYBALL_TAU2, or .flyball/tau2)')
    .option('--tasks <ids...>', 'task ids, names of task sets, or all')
    .option('--limit <n>', 'only the first n tasks')
    .option(
      '--agent <names...>',
      'baseline, declarative, imperative, governed, gold, silent, or registered by a module',
    )
    .option('--retrieval <names...>', 'retrieval configurations of the domain')
    .option('--model <names...>', 'provider/model, or scripted (default: scripted, which needs no API key)')
    .option('--user <name>', 'scripted, gold, or provider/model that plays the user')
    .option('--judge <model>', 'judges natural-language assertions')
    .option('--embedder <name>', 'energetic, hash, provider/model@dimensions, or a folder with an ONNX model')
    .option('--reranker <model>', 'model that ranks search results, for configurations with a reranker')
    .option('--module <files...>', 'modules that register agents: export const policies = { … }');
  return withModelOptions(command)
    .option('--trials <n>', `how often each task runs (default: ${DEFAULT_SETTINGS.trials})`)
    .option('--seed <n>', `seed of the run (default: ${DEFAULT_SETTINGS.seed})`)
    .option('--concurrency <n>', `simulations in parallel (default: ${DEFAULT_SETTINGS.concurrency})`)
    .option('--max-steps <n>', `maximum steps per simulation (default: ${DEFAULT_SETTINGS.maxSteps})`)
    .option('--max-errors <n>', `maximum errors per simulation (default: ${DEFAULT_SETTINGS.maxErrors})`)
    .option('--max-cost <usd>', 'start no new simulations above this cost')
    .option('--out <folder>', 'output folder (default: .flyball/evals/<time>)')
    .option('--gate <baseline>', 'compare with an accepted baseline, and fail if a result got worse')
    .option('--promote <reason>', 'accept the results as the new baseline of --gate, for this reason')
    .action((options: Options) => perform(options, {}, (call) => run(call, options)));
}

async function run(call: Call, options: Options): Promise<ExitCode> {
  checkGate(options);
  const settings = await settingsFrom(options);
  const data = dataOf(settings.domain, options, call.env);
  const prepared = await prepare(settings, { ...data, env: call.env });
  const folder = options.out === undefined ? ownFolder() : new ExperimentFolder(options.out);
  folder.requireNew();
  announce(call, settings, prepared, folder.path);
  const ended = await carryOut(prepared, {
    settings,
    folder,
    screen: call.screen,
    resume: call.place.command('evals', 'resume', folder.path),
    begin: () => folder.begin({ settings, ...data }),
  });
  return afterwards(call, { ...ended, domain: prepared.domain, folder, settings }, options);
}

export function announce({ screen }: Call, settings: ExperimentSettings, prepared: Prepared, path: string): void {
  const [tasks, conditions] = [prepared.tasks.length, prepared.conditions.length];
  const { trials } = settings;
  const simulations = tasks * conditions * trials;
  const prices = pricesTold(settings);
  screen.data({ kind: 'experiment', folder: path, tasks, conditions, trials, simulations, settings, prices });
  screen.line(
    `${plural(tasks, 'task')} of ${settings.domain} × ${plural(conditions, 'condition')} × ${plural(trials, 'trial')} = ${plural(simulations, 'simulation')}, into ${path}`,
  );
  for (const { model, price, asOf } of prices) {
    const { input, output, cacheRead = input, cacheWrite = input } = price;
    const rates = `$${input} in, $${output} out, $${cacheRead} from the cache, $${cacheWrite} into it`;
    screen.line(`${model}: ${rates} per million tokens (${asOf})`);
  }
  if (settings.models.includes('scripted') && settings.agents.some((name) => name !== 'gold' && name !== 'silent'))
    screen.line('The scripted model plays a correct agent. It shows that the setup works, not how good a model is.');
}

/** Two that begin in the same second have a folder each. */
function ownFolder(): ExperimentFolder {
  const path = join('.flyball', 'evals', stamp());
  let folder = new ExperimentFolder(path);
  for (let n = 2; existsSync(folder.path); n++) folder = new ExperimentFolder(`${path}-${n}`);
  return folder;
}

/** Sorts by time and can be read. */
function stamp(): string {
  return new Date().toISOString().replaceAll(/[:.]/g, '-').slice(0, 19);
}
