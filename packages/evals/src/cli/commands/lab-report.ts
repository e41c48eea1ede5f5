import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import { type Call, type CommonOptions, EXIT, type ExitCode, type Perform, plainCommand } from 'flyball/internal';
import type { LabCurve } from '../../files/laboratory.js';
import { claimsNamed } from '../../lab/registry.js';
import { type LabReport, reportMarkdown, reportOf } from '../../lab/report.js';
import { type Row, runClaims } from '../../lab/run-claims.js';
import { type Plot, plotSvg } from '../../lab/svg.js';
import { drawSweep, SWEEPS, type Sweep } from '../../lab/sweeps.js';
import { type KeptRows, keptRows } from '../kept-rows.js';
import { knownClaims } from '../lab-claims.js';
import { countOf, namesOf } from '../lab-options.js';

const ABOUT =
  'Write the table of the laboratory as Markdown and as JSON beside it. A page that has the lines "<!-- laboratory: begin -->" and "<!-- laboratory: end -->" keeps everything around them. An interrupted report with --out continues when you run it again.';
const [BEGIN, END] = ['<!-- laboratory: begin -->', '<!-- laboratory: end -->'];

interface ReportOptions extends CommonOptions {
  readonly items: string;
  readonly claims?: string;
  readonly seed: string;
  readonly out?: string;
  readonly from?: readonly string[];
  readonly plots?: string;
}

export function labReportCommand(perform: Perform): Command {
  return plainCommand('report', ABOUT, [
    'flyball lab report --items 5000 --out laboratory.md',
    'flyball lab report --from first.json second.json --out laboratory.md',
    'flyball lab report --plots pictures --items 300',
  ])
    .option('--items <number>', 'items for each claim', '5000')
    .option('--claims <names>', 'patterns or claims, separated by commas (default: all)')
    .option('--seed <number>', 'decides all noise', '1')
    .option('--from <files...>', 'what `flyball lab run --json` wrote, instead of running the claims again')
    .option('--out <file>', 'the page to write; the JSON is written beside it (default: print the page)')
    .option('--plots <folder>', 'write the sweeps as SVG into this folder, and their points as curves.json')
    .action((options: ReportOptions) => perform(options, {}, (call) => report(call, options)));
}

async function report({ screen }: Call, options: ReportOptions): Promise<ExitCode> {
  const kept =
    options.from === undefined && options.out !== undefined
      ? keptRows(`${besides(options.out)}.rows.jsonl`, settingOf(options))
      : undefined;
  const made = options.from === undefined ? await fresh(options, screen, kept) : joined(options.from);
  screen.data({ kind: 'lab', ...made });
  const page = reportMarkdown(made);
  if (options.out === undefined) screen.line(page);
  else {
    const before = existsSync(options.out) ? readFileSync(options.out, 'utf8') : `${BEGIN}\n${END}\n`;
    writeFileSync(options.out, placed(before, page, options.out));
    writeFileSync(`${besides(options.out)}.json`, `${JSON.stringify(made, null, 1)}\n`);
    kept?.done();
    screen.line(`Wrote ${options.out} with ${made.rows.length} claims.`);
  }
  if (options.plots !== undefined) await plots(options.plots, options, screen);
  return made.rows.every(({ holds }) => holds) ? EXIT.ok : EXIT.failed;
}

const besides = (page: string): string => page.replace(/(\.md)?$/, '');

const settingOf = ({ items, seed }: ReportOptions) => ({
  items: countOf('--items', items),
  seed: countOf('--seed', seed),
});

async function fresh(options: ReportOptions, screen: Call['screen'], kept: KeptRows | undefined): Promise<LabReport> {
  const wanted = claimsNamed(namesOf(options.claims), await knownClaims((line) => screen.line(line)));
  const rows = new Map<string, Row>(wanted.flatMap((claim) => kept?.rowOf(claim) ?? []).map((row) => [row.id, row]));
  const before = rows.size;
  if (before > 0) screen.line(`${before} of ${wanted.length} claims were measured before.`);
  await runClaims(
    wanted.filter(({ id }) => !rows.has(id)),
    {
      ...settingOf(options),
      onLeftOut: (id, why) => screen.line(`${id} is left out: ${why}`),
      onRow: (row, done) => {
        rows.set(row.id, row);
        kept?.keep(row);
        screen.status(`${before + done} of ${wanted.length}`);
      },
    },
  );
  screen.status('');
  return reportOf(
    wanted.flatMap(({ id }) => rows.get(id) ?? []),
    settingOf(options),
  );
}

/** Rows of several runs with the same number of items and seed. */
function reportIn(file: string): LabReport {
  const text = readFileSync(file, 'utf8');
  const hint = 'Pass files that `flyball lab run --json` or `flyball lab report --out` wrote.';
  let report: Partial<LabReport> | null;
  try {
    report = JSON.parse(text);
  } catch {
    throw new ConfigError(`${file} is not JSON. ${hint}`);
  }
  const isReport =
    Array.isArray(report?.rows) &&
    report.rows.every((row?: { id?: unknown; measured?: unknown }) => {
      return typeof row?.id === 'string' && typeof row.measured === 'object';
    });
  if (!isReport) throw new ConfigError(`${file} is not a report of the laboratory. ${hint}`);
  return report as LabReport;
}

function joined(files: readonly string[]): LabReport {
  const reports = files.map(reportIn);
  const [first] = reports;
  if (first === undefined || reports.some(({ items, seed }) => items !== first.items || seed !== first.seed))
    throw new ConfigError('These reports have different items or seeds, so they cannot be one table.');
  const order = new Map(claimsNamed([]).map(({ id }, at) => [id, at]));
  const byId = new Map(reports.flatMap(({ rows }) => rows).map((row) => [row.id, row]));
  const rows = [...byId.values()].sort((a, b) => (order.get(a.id) ?? order.size) - (order.get(b.id) ?? order.size));
  const { condition, items, seed } = first;
  return { condition, items, seed, rows };
}

function placed(before: string, page: string, file: string): string {
  const [from, to] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (from < 0 || to < from)
    throw new ConfigError(`${file} has no lines ${BEGIN} and ${END} for the table to stand between.`);
  return `${before.slice(0, from + BEGIN.length)}\n\n${page}\n${before.slice(to)}`;
}

async function plots(folder: string, options: ReportOptions, screen: Call['screen']): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const setting = settingOf(options);
  const curves: LabCurve[] = [];
  for (const sweep of SWEEPS) {
    const file = join(folder, `${sweep.id}.svg`);
    mkdirSync(dirname(file), { recursive: true });
    const plot = await drawSweep(sweep, setting);
    writeFileSync(file, plotSvg(plot));
    curves.push(curveOf(sweep, plot));
    screen.line(`Wrote ${file}.`);
  }
  writeFileSync(join(folder, 'curves.json'), `${JSON.stringify(curves)}\n`);
}

/** Three digits say all that 300 items can. */
function curveOf({ id }: Sweep, { title, x, y, lines }: Plot): LabCurve {
  const short = (places: Plot['lines'][number]['points'] = []) =>
    places.map((place) => ({ x: Number(place.x.toFixed(3)), y: Number(place.y.toFixed(3)) }));
  const pattern = (id.split('-')[0] ?? id).toUpperCase();
  return {
    id,
    pattern,
    title,
    x,
    y,
    lines: lines.map(({ name, points, measured }) => ({ name, points: short(points), measured: short(measured) })),
  };
}
