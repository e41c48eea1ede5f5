import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { yamlSource } from '../../adapters/definitions/yaml-source.js';
import type { RunJournal } from '../../catalogue/journal.js';
import { shown } from '../../catalogue/lint-relations.js';
import {
  FEWEST_RUNS,
  type Suggestion,
  suggestForTask,
  suggestFromJournals,
  type Task,
  taskFields,
  valueProblem,
} from '../../catalogue/suggest.js';
import { ConfigError } from '../../core/errors.js';
import type { PatternId } from '../../core/use.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { journalsOf, runsOf } from '../pattern-journals.js';
import { printable } from '../printable.js';
import { between } from './patterns-show.js';

const ABOUT =
  'Suggest patterns for a task that is described in YAML, or for an agent from the journals of its runs. ' +
  'Each suggestion names the rule, the measured value, the threshold and the predicted model calls. No model is asked.';

interface Options extends CommonOptions {
  readonly runs?: string;
  readonly limit: string;
  readonly fields?: boolean;
}

export function suggestCommand(perform: Perform): Command {
  return newCommand('suggest [task]', ABOUT, [
    'flyball patterns suggest task.yaml',
    'flyball patterns suggest --fields',
    'flyball patterns suggest --runs support --limit 200',
  ])
    .option('--runs <agent>', 'read the journals of this agent instead')
    .option('--limit <count>', 'the most runs to read', '100')
    .option('--fields', 'list the fields that a task description may have')
    .action((task: string | undefined, options: Options) =>
      perform(options, {}, (call) => suggest(call, task, options)),
    );
}

async function suggest(call: Call, file: string | undefined, { runs, limit, fields }: Options): Promise<ExitCode> {
  const { screen } = call;
  if (fields === true) {
    screen.data({ kind: 'task-fields', fields: taskFields });
    for (const field of taskFields) screen.line(field);
    return EXIT.ok;
  }
  const isOfRuns = runs !== undefined;
  const journals = isOfRuns ? await endedRuns(call, runs, Number(limit)) : [];
  const suggestions = isOfRuns ? suggestFromJournals(journals) : suggestForTask(taskIn(file));
  const counted = isOfRuns ? { runs: journals.length, runsNeeded: FEWEST_RUNS } : {};
  screen.data({ kind: 'suggestions', suggestions, ...counted });
  for (const line of suggestions.flatMap(linesOf)) screen.line(line);
  if (suggestions.length === 0) screen.line(isOfRuns ? nothingIn(runs, journals.length) : NO_RULE);
  return EXIT.ok;
}

const NO_RULE = 'No rule applies. flyball patterns suggest --fields lists what the guides ask about.';

function nothingIn(agent: string, runs: number): string {
  return runs < FEWEST_RUNS
    ? `Too few runs for a suggestion: ${printable(agent)} has ${runs}, and ${FEWEST_RUNS} are needed. ${WHICH_COUNT}`
    : `Nothing in these ${runs} runs crosses a threshold.`;
}

const WHICH_COUNT =
  'Only runs that ended done, degraded or bounded count: not those that failed, were cancelled, or have not ended.';

async function endedRuns(call: Call, agent: string, limit: number): Promise<readonly RunJournal[]> {
  const ids = await runsOf(call, agent, limit);
  return ids.length === 0 ? [] : journalsOf(call, ids);
}

/** A mapping of fields that the guides know. */
function taskIn(file: string | undefined): Task {
  if (file === undefined) throw new ConfigError('Name a task description, such as task.yaml, or an agent with --runs.');
  if (!existsSync(file)) throw new ConfigError(`There is no file ${file}. Check the path of the task description.`);
  const given: unknown = yamlSource(readFileSync(file, 'utf8'), file).value;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ConfigError(`${file} must be a mapping of fields, such as "tools: 4".`);
  const unknown = Object.keys(given).find((field) => !taskFields.includes(field));
  if (unknown !== undefined)
    throw new ConfigError(`${file} has an unknown field "${unknown}". flyball patterns suggest --fields lists them.`);
  for (const [field, value] of Object.entries(given)) {
    const problem = valueProblem(field, value);
    if (problem !== undefined) throw new ConfigError(`${file}: ${field} must be ${problem}, got "${value}".`);
  }
  return given as Task;
}

function linesOf(suggestion: Suggestion): readonly string[] {
  const { rule, take, instead, because, measured, threshold, predicted } = suggestion;
  const values = Object.entries(measured).map(([name, value]) => `${name}: ${value}`);
  const calls = take.map((id) => `${id} ${between(predicted[id])}`);
  return [
    `${listed(take)}${instead.length === 0 ? '' : ` instead of ${listed(instead)}`}${changesIn(suggestion)} [${rule}]`,
    `  ${printable(because)}`,
    ...notBuiltIn(suggestion),
    `  Measured: ${printable(values.join(', '))}. Threshold: ${threshold}. Predicted model calls: ${calls.join(', ')}.`,
  ];
}

const listed = (ids: readonly PatternId[]): string => ids.map(shown).join(' and ');

function changesIn({ changes = {} }: Suggestion): string {
  const all = Object.entries(changes).map(([option, { from, to }]) => `${option}: ${from} → ${to}`);
  return all.length === 0 ? '' : ` with ${all.join(', ')}`;
}

function notBuiltIn({ notBuilt, meanwhile }: Suggestion): readonly string[] {
  if (notBuilt.length === 0) return [];
  const until = meanwhile.length === 0 ? '' : ` Until then, use ${listed(meanwhile)}.`;
  return [`  Not built yet: ${listed(notBuilt)}.${until}`];
}
