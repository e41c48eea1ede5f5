import type { Location } from '../../../core/work.js';
import { joinLines, readLines, type TextLine, usualEnding } from './text-lines.js';

/** Some lines of a text, counted from 1, both ends included; `to` is 0 where the text has none. */
export interface RepairWindow {
  readonly from: number;
  readonly to: number;
  /** Without their endings. */
  readonly lines: readonly string[];
}

export const DEFAULT_RADIUS = 8;

/** The lines of the defect and `radius` lines around it. A place beyond the text is moved to its end. */
export function repairWindow(text: string, location: Location, radius: number = DEFAULT_RADIUS): RepairWindow {
  const { lines } = readLines(text);
  const within = (line: number): number => Math.min(Math.max(1, Math.trunc(line) || 1), lines.length);
  const line = within(location.line ?? 1);
  const endLine = Math.max(line, within(location.endLine ?? line));
  return windowOf(lines, Math.max(1, line - radius), Math.min(lines.length, endLine + radius));
}

export function windowOf(lines: readonly TextLine[], from: number, to: number): RepairWindow {
  return { from, to, lines: lines.slice(from - 1, to).map(({ text }) => text) };
}

/**
 * The text with other lines in the window. Every byte outside of it stays, and so does what ended the window's last
 * line; new lines end as most of the text's do, and those that stayed end as they did. A line break at the end of the
 * replacement ends its last line and starts none; an empty replacement takes the lines out.
 */
export function splice(text: string, window: Pick<RepairWindow, 'from' | 'to'>, replacement: string): string {
  const { mark, lines } = readLines(text);
  const [head, tail] = [lines.slice(0, window.from - 1), lines.slice(Math.max(window.to, window.from - 1))];
  const old = lines.slice(window.from - 1, window.to);
  const fresh = replacement === '' ? [] : replacement.replace(/\r?\n$/, '').split(/\r?\n/);
  const ending = tail.length > 0 || /\n$/.test(replacement) ? usualEnding(lines) : ''; // where there was no line before
  return mark + joinLines([...head, ...withEndings(fresh, old, { all: lines, ending }), ...tail]);
}

function withEndings(
  given: readonly string[],
  old: readonly TextLine[],
  of: { readonly all: readonly TextLine[]; readonly ending: string },
): readonly TextLine[] {
  const usual = usualEnding(old.some(({ ending }) => ending.endsWith('\n')) ? old : of.all);
  const last = old.at(-1)?.ending ?? of.ending;
  // an empty line that nothing ends is none
  const fresh = last === '' ? given.slice(0, given.findLastIndex((text) => text !== '') + 1) : given;
  const { start, end } = unchanged(fresh, old);
  return fresh.map((text, index): TextLine => {
    if (index === fresh.length - 1) return { text, ending: last };
    const fromEnd = fresh.length - index;
    const kept = index < start ? old[index] : fromEnd <= end ? old[old.length - fromEnd] : undefined;
    // half a line break, where the last one of the text is not shown, is a whole one once a line follows
    const isWhole = kept !== undefined && kept.ending !== '' && !(kept.ending === '\r' && usual === '\r\n');
    return { text, ending: isWhole ? kept.ending : usual };
  });
}

/** How many lines at both ends are the same before and after. */
function unchanged(
  fresh: readonly string[],
  old: readonly TextLine[],
): { readonly start: number; readonly end: number } {
  const shorter = Math.min(fresh.length, old.length);
  let start = 0;
  while (start < shorter && fresh[start] === old[start]?.text) start++;
  let end = 0;
  while (end < shorter - start && fresh[fresh.length - 1 - end] === old[old.length - 1 - end]?.text) end++;
  return { start, end };
}

/** Where a place is after the lines of a window became `added` more. */
export function shiftedBy(location: Location, window: Pick<RepairWindow, 'from' | 'to'>, added: number): Location {
  const { line, endLine } = location;
  if (line === undefined || line < window.from) return location;
  const by = line > window.to ? added : 0; // inside the window it is somewhere near, and the next window is wider
  return {
    ...location,
    line: Math.max(1, line + by),
    ...(endLine === undefined ? {} : { endLine: Math.max(1, endLine + by) }),
  };
}
