import { classTable, comparisonTable, failureTable } from './comparison-tables.js';
import { costPlot } from './cost-plot.js';
import { escaped } from './escape.js';
import type { Report } from './report.js';
import { REPORT_STYLE } from './report-style.js';
import { type SimulationTable, simulationTables } from './simulation-tables.js';
import type { Cell, Column, Table } from './table.js';

/** One page with everything in it: it opens from a disk, prints, and asks nobody for anything. */
export function reportHtml(report: Report): string {
  const plot = costPlot(report.summaries);
  const title = `Evaluation of ${report.domains.join(', ')}`;
  const failures = failureTable(report.failures);
  const anchors = anchorsOf(report);
  const show = (table: Table) => section(table, anchors);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p class="lead">${escaped(leadOf(report))}</p>
${questionCards(report)}
${plot === undefined ? '' : `<section><h2>Success over cost</h2>${plot}<p class="note">Filled marks: golden retrieval. Hollow marks: everything else.</p></section>`}
${[...report.tables, comparisonTable(report.comparisons), classTable(report.failures)].map(show).join('\n')}
<details><summary>Failed tasks (${failures.rows.length})</summary>${show(failures)}</details>
${simulationTables(report)
  .map((table) => behindCells(table, anchors))
  .join('\n')}
</main>
</body>
</html>
`;
}

function leadOf({ summaries }: Report): string {
  const simulations = summaries.reduce((sum, one) => sum + one.simulations, 0);
  const errors = summaries.reduce((sum, one) => sum + one.infrastructureErrors, 0);
  const plural = (count: number, of: string) => `${count} ${of}${count === 1 ? '' : 's'}`;
  return `${plural(simulations, 'scored simulation')} under ${plural(summaries.length, 'condition')}; ${plural(errors, 'infrastructure error')} counted apart.`;
}

function questionCards({ questions }: Report): string {
  const cards = questions.map(
    ({ id, question, answer, because, figures }) => `<article class="card ${answer.replaceAll(' ', '-')}">
<h3>${escaped(id)} <span class="badge">${escaped(answer)}</span></h3>
<p>${escaped(question)}</p>
<p class="note">${escaped(because)}</p>
${figures.length === 0 ? '' : `<ul>${figures.map((figure) => `<li>${escaped(figure)}</li>`).join('')}</ul>`}
</article>`,
  );
  return `<section class="cards" aria-label="Research questions">${cards.join('\n')}</section>`;
}

/** Where the simulations of a condition stand on the page, by its label. */
function anchorsOf({ facts }: Report): ReadonlyMap<string, string> {
  return new Map([...facts.keys()].map((label, index) => [label, `condition-${index + 1}`]));
}

/** The simulations behind the cells of a condition. A link to a place inside opens it. */
function behindCells({ label, table }: SimulationTable, anchors: ReadonlyMap<string, string>): string {
  const id = anchors.get(label) ?? '';
  return `<details><summary>${escaped(table.title)}</summary>${section({ ...table, id }, anchors)}</details>`;
}

function section({ id, title, note, columns, rows }: Table, anchors: ReadonlyMap<string, string>): string {
  const body =
    rows.length === 0
      ? '<p class="note">Nothing to show.</p>'
      : `<div class="scroll" tabindex="0" role="region" aria-label="${escaped(title)}"><table>
<thead><tr>${columns.map(headOf).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map((cell, index) => cellOf(cell, columns[index], anchors)).join('')}</tr>`).join('\n')}</tbody>
</table></div>`;
  return `<section id="${escaped(id)}"><h2>${escaped(title)}</h2>${note === undefined ? '' : `<p class="note">${escaped(note)}</p>`}${body}</section>`;
}

function headOf({ label, numeric }: Column): string {
  return `<th scope="col"${numeric ? ' class="n"' : ''}>${escaped(label)}</th>`;
}

/** A figure says what it is over, and leads to the simulations that it is made of. */
function cellOf({ text, n, behind }: Cell, column: Column | undefined, anchors: ReadonlyMap<string, string>): string {
  const anchor = behind === undefined ? undefined : anchors.get(behind.condition);
  const over = n === undefined ? '' : ` title="n = ${n}"`;
  const inner = anchor === undefined ? escaped(text) : `<a class="cell" href="#${anchor}"${over}>${escaped(text)}</a>`;
  return `<td${column?.numeric ? ' class="n"' : ''}${anchor === undefined ? over : ''}>${inner}</td>`;
}
