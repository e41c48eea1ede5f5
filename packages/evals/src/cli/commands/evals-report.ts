import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  makeFolder,
  type Perform,
  plainCommand,
} from 'flyball/internal';
import type { ExperimentSettings } from '../../experiment/settings.js';
import { costPlot } from '../../reports/cost-plot.js';
import { reportHtml } from '../../reports/html.js';
import { reportCsv, reportJson, reportMarkdown } from '../../reports/plain-forms.js';
import { type Measurable, type Report, type ReportForm, reportOf, TABLE_FORMS } from '../../reports/report.js';
import type { Domain } from '../../world/environment.js';
import { keptBeside, resultsUnder } from '../experiment-folder.js';
import { openDomain } from '../open-domain.js';

const FORMATS = ['md', 'csv', 'json', 'html', 'svg'] as const;
type Format = (typeof FORMATS)[number];

interface Options extends CommonOptions {
  readonly format?: string;
  readonly out?: string;
  readonly data?: string;
  readonly tables?: string;
}

const ABOUT =
  'Report results: tables by retrieval and model, write accuracy, compliance, cost, paired comparison, research questions and why tasks failed. ' +
  'Reads our results and those of tau2-bench.';

export function reportCommand(perform: Perform): Command {
  return plainCommand('report <paths...>', ABOUT, [
    'flyball evals report .flyball/evals/2026-01-01T10-00-00',
    'flyball evals report runs/pilot --format html --out report.html',
    'flyball evals report a/results.json b/results.json --format csv --out tables/',
  ])
    .option('--format <form>', `${FORMATS.join(', ')} (default: md)`)
    .option('--out <file>', 'output file, or a folder for csv (default: standard output)')
    .option('--tables <form>', 'full, or paper: the tables of the paper in its order (default: as the experiment says)')
    .option('--data <folder>', 'data of tau2-bench, if the experiment does not name it')
    .action((paths: readonly string[], options: Options) =>
      perform(options, {}, (call) => write(call, paths, options)),
    );
}

async function write(call: Call, paths: readonly string[], options: Options): Promise<ExitCode> {
  const format = formatOf(call.screen.json ? 'json' : (options.format ?? 'md'));
  const measured = await measurables(paths, options, call.env);
  const report = reportOf(measured, formOf(measured, options.tables));
  if (format === 'csv') return writeTables(call, report, options.out);
  const text = textOf(report, format);
  if (options.out === undefined) {
    if (call.screen.json) call.screen.data(JSON.parse(text));
    else call.screen.line(text.trimEnd());
    return EXIT.ok;
  }
  await writeFile(options.out, text);
  call.screen.data({ file: resolve(options.out) });
  call.screen.line(`Written to ${options.out}`);
  return EXIT.ok;
}

export interface Measured extends Measurable {
  readonly domain: Domain;
  readonly file: string;
  /** Of the experiment that it belongs to. */
  readonly settings?: ExperimentSettings;
}

/** Results with the domain that they ran; a domain is opened once. */
export async function measurables(
  paths: readonly string[],
  { data }: { readonly data?: string },
  env: Call['env'],
): Promise<readonly Measured[]> {
  const found = await resultsUnder(paths);
  const domains = new Map<string, Promise<Domain>>();
  const measured: Measured[] = [];
  for (const { file, results } of found) {
    const kept = await keptBeside(file);
    // an experiment knows where its data were; what is said now wins over it
    const from = data ?? kept?.data;
    const key = JSON.stringify([results.info.domain, from]);
    const domain = domains.get(key) ?? openDomain(results.info.domain, from === undefined ? {} : { data: from }, env);
    domains.set(key, domain);
    measured.push({ file, results, domain: await domain, ...(kept === undefined ? {} : { settings: kept.settings }) });
  }
  return measured;
}

/** The form that the experiment asks for, and its models in the order in which it names them. */
export function formOf(measured: readonly Measured[], tables: string | undefined): ReportForm {
  const known = TABLE_FORMS.find((form) => form === tables);
  if (tables !== undefined && known === undefined)
    throw new ConfigError(`There are no tables "${tables}". Available: ${TABLE_FORMS.join(', ')}.`);
  const settings = measured.flatMap((one) => one.settings ?? []);
  const asked = settings.every((one) => one.tables === 'paper') && settings.length > 0 ? 'paper' : 'full';
  return { tables: known ?? asked, models: settings.flatMap(({ models }) => models) };
}

function formatOf(text: string): Format {
  const found = FORMATS.find((one) => one === text);
  if (found === undefined) throw new ConfigError(`There is no format "${text}". Available: ${FORMATS.join(', ')}.`);
  return found;
}

function textOf(report: Report, format: Exclude<Format, 'csv'>): string {
  switch (format) {
    case 'md':
      return reportMarkdown(report);
    case 'json':
      return reportJson(report);
    case 'html':
      return reportHtml(report);
    case 'svg':
      return figureOf(report);
  }
}

function figureOf({ summaries }: Report): string {
  const plot = costPlot(summaries);
  if (plot === undefined)
    throw new ConfigError(
      'There is nothing to plot: no condition has both a pass rate and a cost. Set the price of its model.',
    );
  return `${plot}\n`;
}

async function writeTables({ screen }: Call, report: Report, out: string | undefined): Promise<ExitCode> {
  if (out === undefined) throw new ConfigError('CSV writes one file per table. Name a folder with --out.');
  makeFolder(out);
  const files = reportCsv(report);
  for (const [name, text] of files) await writeFile(join(out, name), text);
  screen.data({ folder: resolve(out), files: [...files.keys()] });
  screen.line(`${files.size} tables written to ${out}`);
  return EXIT.ok;
}
