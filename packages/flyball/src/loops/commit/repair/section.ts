import type { Location } from '../../../core/work.js';
import { isCode } from './causes.js';
import { blockAt, isIndented, namedLine } from './code-block.js';
import { headingsOf } from './headings.js';
import { readLines } from './text-lines.js';
import { type RepairWindow, windowOf } from './window.js';

/**
 * The part of a text that holds a place: the section under a heading in prose, the function or block in code. Found by
 * its line where there is one, by its name otherwise. Prose without headings is divided by empty lines, and a place that
 * cannot be found is the whole text: a rewrite of too much mends, one of the wrong part does not.
 */
export function sectionAt(text: string, location: Location): RepairWindow {
  const lines = readLines(text).lines;
  const plain = lines.map((line) => line.text);
  const [from, to] = (isCode(location.artefact) ? inCode(plain, location) : inProse(plain, location)) ?? [
    1,
    plain.length,
  ];
  return windowOf(lines, from, to);
}

type Span = readonly [from: number, to: number];

function lineIn(lines: readonly string[], { line }: Location): number | undefined {
  if (line === undefined || !(line >= 1) || lines.length === 0) return undefined;
  return Math.min(Math.trunc(line), lines.length);
}

function inProse(lines: readonly string[], location: Location): Span | undefined {
  const headings = headingsOf(lines);
  const line = lineIn(lines, location);
  const named = (text: string): string => text.trim().toLowerCase();
  const index =
    line === undefined
      ? headings.findIndex(({ title }) => location.section !== undefined && named(title) === named(location.section))
      : headings.findLastIndex((heading) => heading.line <= line);
  const heading = headings[index];
  if (heading !== undefined) {
    const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
    return [heading.line, withoutBlanks(lines, heading.line, (next?.line ?? lines.length + 1) - 1)];
  }
  if (line === undefined) return undefined;
  const first = headings[0];
  return first === undefined ? paragraphAt(lines, line) : [1, withoutBlanks(lines, 1, first.line - 1)];
}

function inCode(lines: readonly string[], location: Location): Span | undefined {
  const line = lineIn(lines, location) ?? namedLine(lines, location.section);
  if (line === undefined) return undefined;
  return blockAt(lines, line, isIndented(location.artefact)) ?? paragraphAt(lines, line);
}

/** Lines between empty ones; an empty line itself belongs to none and finds nothing. */
function paragraphAt(lines: readonly string[], line: number): Span | undefined {
  const isBlank = (at: number): boolean => (lines[at - 1] ?? '').trim() === '';
  if (isBlank(line)) return undefined;
  let [from, to] = [line, line];
  while (from > 1 && !isBlank(from - 1)) from--;
  while (to < lines.length && !isBlank(to + 1)) to++;
  return [from, to];
}

/** Empty lines between two sections belong to neither: a rewrite would lose them. */
function withoutBlanks(lines: readonly string[], from: number, to: number): number {
  let end = to;
  while (end > from && (lines[end - 1] ?? '').trim() === '') end--;
  return end;
}
