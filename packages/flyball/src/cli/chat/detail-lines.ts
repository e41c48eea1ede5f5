import { plural, shorten } from '../amounts.js';
import { printable } from '../printable.js';

const MOST_LINES = 12;

/** What it is about, one value a line: nobody should have to read JSON to know what they agree to. */
export function detailLines(value: unknown, width: number): readonly string[] {
  if (value === undefined || value === null) return [];
  const fields = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [['', value] as const];
  const names = Math.min(20, Math.max(0, ...fields.map(([name]) => name.length)));
  return fields.flatMap(([name, field]) => {
    const lines = (typeof field === 'string' ? field : (JSON.stringify(field) ?? 'nothing')).split('\n');
    const more = lines.length - MOST_LINES;
    const shown = [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… ${plural(more, 'more line')}`] : [])];
    return shown.map((line, n) => {
      const label = shorten(n === 0 ? name : '', 20).padEnd(names);
      return `    ${label}${names === 0 ? '' : '  '}${wrapped(line, { width, indent: names + 6 })}`;
    });
  });
}

const MOST_CHARACTERS = 600;

/** A long line is shown up to a limit, never cut to one row: what is hidden behind a cut would be agreed to unseen. */
function wrapped(line: string, { width, indent }: { readonly width: number; readonly indent: number }): string {
  const text = printable(line);
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}… ${text.length} characters` : text;
  const room = Math.max(20, width - indent - 1);
  const rows = cut.match(new RegExp(`.{1,${room}}`, 'gu')) ?? [''];
  return rows.join(`\n${' '.repeat(indent)}`);
}
