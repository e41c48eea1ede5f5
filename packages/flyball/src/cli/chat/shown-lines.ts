import { DISPLAY_TOOL, type Shown } from '../../people/display-tool.js';
import { shorten } from '../amounts.js';
import { printable } from '../printable.js';
import { detailLines } from './detail-lines.js';

const MOST_LINES = 200;

/** What a display tool shows, as lines of a terminal; none for the results of other tools. */
export function shownLines(tool: string, result: unknown, width: number): readonly string[] {
  const value = (result as { readonly value?: unknown } | null | undefined)?.value;
  if (tool !== DISPLAY_TOOL || typeof value !== 'object' || value === null) return [];
  const { title, text, table, data } = value as Shown;
  const lines = [
    ...(title === undefined ? [] : [`■ ${printable(title)}`]),
    ...(text === undefined ? [] : text.split('\n').map(printable)),
    ...(table === undefined ? [] : tableLines(table, width)),
    ...(data === undefined ? [] : detailLines(data, width)),
  ];
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… ${more} more lines`] : [])];
}

function tableLines({ columns, rows }: NonNullable<Shown['table']>, width: number): readonly string[] {
  const most = Math.max(8, Math.floor(width / columns.length) - 2);
  const cells = [columns, ...rows].map((row) => row.map((cell) => shorten(cell, most)));
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
