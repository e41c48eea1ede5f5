import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import { type Call, type CommonOptions, EXIT, type ExitCode, type Perform, plainCommand } from 'flyball/internal';
import { byTask, type Condition, conditionOf, succeeded, withUniqueLabels } from '../../metrics/condition.js';
import { comparePaired } from '../../metrics/paired.js';
import { resultsFilesUnder } from '../experiment-folder.js';
import { measurables } from './evals-report.js';

interface Options extends CommonOptions {
  readonly data?: string;
  readonly tasks?: boolean;
}

const ABOUT =
  'Compare two results files task by task. Shows the difference in pass^1 with its interval, wins and losses, and the p-values.';

export function compareCommand(perform: Perform): Command {
  return plainCommand('compare <first> <second>', ABOUT, [
    'flyball evals compare runs/pilot/baseline-bm25 runs/pilot/governed-bm25',
    'flyball evals compare old/results.json new/results.json --tasks',
  ])
    .option('--data <folder>', 'data of tau2-bench, for results of its domains')
    .option('--tasks', 'also list the tasks that differ')
    .action((first: string, second: string, options: Options) =>
      perform(options, {}, (call) => compare(call, [first, second], options)),
    );
}

async function compare({ screen, env }: Call, paths: readonly [string, string], options: Options): Promise<ExitCode> {
  const [first, second] = withUniqueLabels([await only(paths[0], options, env), await only(paths[1], options, env)]);
  if (first === undefined || second === undefined) throw new ConfigError('Name two results files to compare.');
  const paired = comparePaired(first, second);
  const differing = differingTasks(first, second);
  screen.data({ ...paired, differing });
  const { difference, tasks, wins, losses, ties, signP, permutationP } = paired;
  screen.line(`first   ${first.label}`);
  screen.line(`second  ${second.label}`);
  screen.line(
    `${tasks} tasks: second − first = ${signed(difference.value)}, 95 % interval [${signed(difference.low)}, ${signed(difference.high)}]`,
  );
  screen.line(
    `${wins} won, ${losses} lost, ${ties} equal; p = ${signP.toFixed(3)} (sign test), ${permutationP.toFixed(3)} (permutation)`,
  );
  for (const caveat of paired.caveats) screen.line(`Note: ${caveat}.`);
  if (options.tasks === true)
    for (const { task, from, to } of differing) screen.line(`  ${task}  ${from.toFixed(2)} → ${to.toFixed(2)}`);
  return EXIT.ok;
}

async function only(path: string, options: Options, env: Call['env']): Promise<Condition> {
  const files = await resultsFilesUnder([path]);
  if (files.length > 1)
    throw new ConfigError(`${path} contains several results files. Name one of them: ${files.join(', ')}.`);
  const [one] = await measurables(files, options, env);
  if (one === undefined) throw new ConfigError(`There are no results in ${path}.`);
  return conditionOf(one.results, one.domain);
}

function differingTasks(first: Condition, second: Condition) {
  const rate = (condition: Condition) =>
    new Map(
      [...byTask(condition.scored)].map(([task, trials]) => [task, trials.filter(succeeded).length / trials.length]),
    );
  const [before, after] = [rate(first), rate(second)];
  return [...before].flatMap(([task, from]) => {
    const to = after.get(task);
    return to === undefined || to === from ? [] : [{ task, from, to }];
  });
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
