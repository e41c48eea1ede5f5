import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  type Perform,
  plainCommand,
  plural,
  printable,
} from 'flyball/internal';
import { FIGURES, type FigureName } from '../../metrics/figures.js';
import { isSuccessful } from '../../metrics/pass-hat-k.js';
import { addedUp, behindCell, type Contribution, conditionNamed, figureNamed } from '../../reports/behind.js';
import { type Report, reportOf } from '../../reports/report.js';
import type { SimulationRecord } from '../../results/simulation-record.js';
import { plainOf } from '../../tau2/python/plain-values.js';
import { writeMessage } from '../../world/message-record.js';
import { conversationLines, gradeLines } from '../conversation-lines.js';
import { ExperimentFolder } from '../experiment-folder.js';
import { formOf, type Measured, measurables } from './evals-report.js';

interface Options extends CommonOptions {
  readonly condition?: readonly string[];
  readonly figure?: string;
  readonly task?: string;
  readonly trial?: string;
  readonly withoutExempt?: boolean;
  readonly data?: string;
}

const ABOUT =
  'Show the simulations behind a cell of a report, what each contributes to the figure, and the conversation of one. ' +
  'Name a condition by words of its label, and a simulation by its id or the start of it.';

export function showEvalsCommand(perform: Perform): Command {
  return plainCommand('show <path> [simulation]', ABOUT, [
    'flyball evals show runs/pilot                                         all simulations',
    'flyball evals show runs/pilot --condition baseline golden --figure db-match',
    'flyball evals show runs/pilot --condition baseline --task energy_001  one conversation',
    'flyball evals show runs/pilot 3f6c2a1b',
  ])
    .option('--condition <words...>', 'words of its label: model, agent, retrieval')
    .option('--figure <name>', `show what each simulation contributes to it: ${Object.keys(FIGURES).join(', ')}`)
    .option('--task <id>', 'only this task')
    .option('--trial <n>', 'only this trial, from 0')
    .option('--without-exempt', 'leave out tasks whose own gold path writes before verification')
    .option('--data <folder>', 'data of tau2-bench, if the experiment does not name it')
    .action((path: string, simulation: string | undefined, options: Options) =>
      perform(options, {}, (call) => show(call, { path, simulation, options })),
    );
}

async function show(
  call: Call,
  {
    path,
    simulation,
    options,
  }: { readonly path: string; readonly simulation: string | undefined; readonly options: Options },
): Promise<ExitCode> {
  const measured = await measurables([path], options, call.env);
  if (simulation !== undefined) return tellOne(call, byId(measured, simulation));
  const figure = options.figure === undefined ? undefined : figureNamed(options.figure);
  const report = reportOf(measured, formOf(measured, undefined));
  const found = wanted(report, options, figure);
  const [only] = found;
  if (found.length === 1 && only !== undefined && options.task !== undefined && figure === undefined)
    return tellOne(call, byId(measured, only.record.id));
  tellAll(call, found, figure);
  call.screen.line(`One of them: ${call.place.command('evals', 'show', path)} <simulation>`);
  return EXIT.ok;
}

function wanted(report: Report, options: Options, figure: FigureName | undefined): readonly Contribution[] {
  const labels = report.summaries.map(({ label }) => label);
  const conditions = options.condition === undefined ? labels : conditionNamed(labels, options.condition);
  const found = conditions.flatMap((condition) =>
    behindCell(report, {
      condition,
      ...(figure === undefined ? {} : { figure }),
      ...(options.withoutExempt === true ? { withoutExempt: true } : {}),
      ...(options.task === undefined ? {} : { task: options.task }),
      ...(options.trial === undefined ? {} : { trial: trialOf(options.trial) }),
    }),
  );
  if (found.length > 0) return found;
  throw new ConfigError(`No scored simulation matches. Omit --task and --trial to list all of them.`);
}

function trialOf(text: string): number {
  const trial = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(trial) && trial >= 0) return trial;
  throw new ConfigError(`--trial must be a whole number of at least 0, got "${text}".`);
}

function tellAll({ screen }: Call, found: readonly Contribution[], figure: FigureName | undefined): void {
  const conditions = [...new Set(found.map(({ condition }) => condition))];
  for (const condition of conditions) {
    const own = found.filter((one) => one.condition === condition);
    screen.line(screen.paint('bold', printable(condition)));
    for (const { facts, record, part } of own) {
      screen.data({ kind: 'simulation', condition, ...(figure === undefined ? {} : { figure, part }), facts });
      const mark = facts.succeeded ? screen.paint('green', '✓') : screen.paint('red', '✗');
      const adds = part === undefined ? '' : `  ${partText(part)}`;
      const trial = facts.trial > 0 ? ` (trial ${facts.trial})` : '';
      const how = `${facts.termination}, ${plural(record.messages.length, 'message')}`;
      screen.line(`  ${mark} ${printable(`${record.id}  ${facts.taskId}`)}${trial}  ${how}${adds}`);
    }
    if (figure === undefined) continue;
    const cell = addedUp(
      figure,
      own.map(({ part }) => part),
    );
    screen.data({ kind: 'figure', condition, figure, value: cell.value, n: cell.n });
    screen.line(
      `  ${FIGURES[figure].title}: ${cell.text}${FIGURES[figure].kind === 'share' ? '' : ` (n = ${cell.n})`}`,
    );
  }
}

function partText(part: NonNullable<Contribution['part']> | null): string {
  if (part === null) return 'does not count';
  return typeof part === 'number' ? String(Number(part.toPrecision(6))) : `${part.hits} / ${part.of}`;
}

interface One {
  readonly file: string;
  readonly label: string;
  readonly record: SimulationRecord;
}

function byId(measured: readonly Measured[], id: string): One {
  const all = measured.flatMap(({ file, results }): readonly One[] => {
    const { agent } = results.info;
    const label = [agent.llm ?? 'none', agent.implementation, results.info.retrieval ?? ''].filter(
      (part) => part !== '',
    );
    return results.simulations.map((record) => ({ file, label: label.join(' / '), record }));
  });
  const found = all.filter(({ record }) => record.id.startsWith(id));
  const [first] = found;
  if (first === undefined) throw new ConfigError(`There is no simulation "${id}". Omit it to list all of them.`);
  if (found.length > 1) throw new ConfigError(`${found.length} simulations begin with "${id}". Give more of the id.`);
  return first;
}

function tellOne({ screen, place }: Call, { file, label, record }: One): ExitCode {
  const journal = new ExperimentFolder(dirname(dirname(file))).journal;
  const runId = record.info?.['runId'];
  const run = typeof runId === 'string' && existsSync(journal) ? runId : undefined;
  screen.data({
    kind: 'conversation',
    condition: label,
    id: record.id,
    task: record.taskId,
    trial: record.trial,
    reward: record.reward?.reward ?? null,
    termination: record.termination,
    ...(run === undefined ? {} : { run, journal }),
    messages: plainOf(record.messages.map(writeMessage)),
  });
  const passed = record.reward !== null && isSuccessful(record.reward.reward);
  const mark = passed ? screen.paint('green', '✓') : screen.paint('red', '✗');
  screen.line(`${mark} ${printable(`${record.taskId}, trial ${record.trial}, under ${label}`)}`);
  for (const line of gradeLines(record, screen)) screen.line(`  ${line}`);
  screen.line();
  for (const line of conversationLines(record.messages, screen)) screen.line(line);
  if (run === undefined) return EXIT.ok;
  screen.line();
  screen.line(`Every model call and its prompt: ${place.command('show', run, '--db', journal)}`);
  return EXIT.ok;
}
