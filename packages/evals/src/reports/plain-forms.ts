import { furtherTables } from './comparison-tables.js';
import { costPlot } from './cost-plot.js';
import { escaped } from './escape.js';
import type { Report } from './report.js';
import type { Table } from './table.js';

/** A report as Markdown. */
export function reportMarkdown(report: Report): string {
  const behind =
    'The simulations behind a cell: `flyball evals show <folder> --condition <words of the row> --figure <name>`; with the id of one, its conversation.';
  return [`# Evaluation of ${report.domains.join(', ')}`, behind, ...allTables(report).map(tableMarkdown)]
    .join('\n\n')
    .concat('\n');
}

export function allTables(report: Report): readonly Table[] {
  return [...report.tables, ...furtherTables(report)];
}

/** A table as Markdown. */
export function tableMarkdown({ title, note, columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map(inMarkdown).join(' | ')} |`;
  const table = [
    line(columns.map(({ label }) => label)),
    `| ${columns.map(({ numeric }) => (numeric ? '---:' : '---')).join(' | ')} |`,
    ...rows.map((row) => line(row.map(({ text }) => text))),
  ].join('\n');
  const body = rows.length === 0 ? 'Nothing to show.' : table;
  return [`## ${inMarkdown(title)}`, ...(note === undefined ? [] : [note]), body].join('\n\n');
}

/** What would end a cell or start markup is written so that it reads as itself. */
function inMarkdown(text: string): string {
  return text
    .replace(/[\\|*_`[\]]/g, (sign) => `\\${sign}`)
    .replace(/[&<>]/g, escaped)
    .replace(/\s*\n\s*/g, ' ');
}

/** One file for each table, by name, and the figure. */
export function reportCsv(report: Report): ReadonlyMap<string, string> {
  const plot = costPlot(report.summaries);
  return new Map([
    ...allTables(report).map((table) => [`${fileName(table.id)}.csv`, tableCsv(table)] as const),
    ...(plot === undefined ? [] : [['figure.svg', plot] as const]),
  ]);
}

function fileName(id: string): string {
  return id.replace(/[^a-z0-9._-]+/gi, '-');
}

/** A column of figures is followed by one that says what each of them is over. */
export function tableCsv({ columns, rows }: Table): string {
  const line = (values: readonly (string | number | null)[]) => values.map(inCsv).join(',');
  const hasN = columns.map((_, index) => rows.some((row) => row[index]?.n !== undefined));
  const head = columns.flatMap(({ label }, index) => (hasN[index] === true ? [label, `${label} n`] : [label]));
  const cells = (row: Table['rows'][number]) =>
    row.flatMap(({ value, n }, index) => (hasN[index] === true ? [value, n ?? null] : [value]));
  return [line(head), ...rows.map((row) => line(cells(row)))].join('\r\n').concat('\r\n');
}

function inCsv(value: string | number | null): string {
  if (value === null) return '';
  // a spreadsheet takes text that starts like a formula for one
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A report as JSON. */
export function reportJson(report: Report): string {
  const { domains, summaries, comparisons, questions, failures, facts } = report;
  const plain = {
    domains,
    summaries,
    comparisons,
    questions,
    failures: failures.map(({ divergence, ...rest }) => ({ ...rest, divergence: divergence.kind })),
    simulations: Object.fromEntries(facts),
    tables: allTables(report).map(({ id, title, columns, rows }) => ({
      id,
      title,
      columns: columns.map(({ label }) => label),
      rows: rows.map((row) => row.map(({ value, n, behind }) => ({ value, n, behind }))), // JSON leaves out what is absent
    })),
  };
  return `${JSON.stringify(plain, null, 2)}\n`;
}
