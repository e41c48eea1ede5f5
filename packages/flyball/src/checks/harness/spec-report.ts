import { failureFrom } from './failure.js';
import type { ReadReport, ReadTest, ReportText } from './report.js';
import { unreadable } from './report.js';
import { fileOrName } from './source-file.js';
import { stackFrames } from './stack-frames.js';
import { fullName, inside, type TestPath } from './test-path.js';

/** The reporter for people of node:test: `▶` opens a group, `✔ ✖ ﹣` end a test or close the group of that name. */
export function readSpecReport(text: string, { cwd }: Pick<ReportText, 'cwd'>): ReadReport {
  const lines = text.split(/\r?\n/);
  const end = lines.findIndex((line) => /^ℹ tests \d/.test(line));
  if (end < 0) return unreadable('the report ends before its summary');
  const totals = totalsIn(lines.slice(end));
  const tree = readTree(lines.slice(0, end), cwd);
  if (tree.problem !== undefined) return unreadable(tree.problem);
  const problem = disagreement(totals, tree);
  if (problem !== undefined) return unreadable(problem);
  const details = readDetails(lines.slice(end), cwd);
  return { tests: tree.marks.flatMap((mark) => testOf(mark, details, cwd)) };
}

interface Mark {
  readonly sign: string;
  readonly name: string;
  readonly path: TestPath;
  readonly note: string;
  readonly isGroup: boolean;
}

interface Tree {
  readonly marks: readonly Mark[];
  readonly problem?: string;
}

interface Group {
  readonly indent: number;
  readonly name: string;
  readonly path: TestPath;
  hasFailed: boolean;
}

const LINE = /^( *)([▶✔✖﹣⚠]) (.*)$/u;

function readTree(lines: readonly string[], cwd: string | undefined): Tree {
  const open: Group[] = [];
  const marks: Mark[] = [];
  for (const line of lines) {
    const [, space, sign = '', rest = ''] = LINE.exec(line) ?? [];
    if (space === undefined) continue;
    const { name, note } = nameIn(rest);
    const top = open.at(-1);
    const isClosing = top !== undefined && top.indent === space.length && top.name === name && sign !== '▶';
    if (isClosing) open.pop();
    else if (top !== undefined && top.indent >= space.length) break; // said below: the group was never closed
    const path = inside(open.at(-1)?.path ?? [], fileOrName(name, cwd));
    if (sign === '▶') open.push({ indent: space.length, name, path, hasFailed: false });
    // of a group that failed only what it failed by itself is of interest
    else
      marks.push({
        sign: isClosing && (sign !== '✖' || top.hasFailed) ? '▶' : sign,
        name,
        path,
        note,
        isGroup: isClosing,
      });
    if (sign === '✖') for (const group of open) group.hasFailed = true;
  }
  return open.length > 0 ? { marks, problem: `the group '${open.at(-1)?.name}' has no end` } : { marks };
}

/** `adds up (0.65ms) # SKIP` in its parts. */
function nameIn(rest: string): { readonly name: string; readonly note: string } {
  const timed = / \(\d[\d.]{0,30}ms\)(?: # ?(.{0,200}))?$/.exec(rest);
  return timed === null
    ? { name: rest.trim(), note: '' }
    : { name: rest.slice(0, timed.index).trim(), note: timed[1] ?? '' };
}

type Totals = Readonly<Record<string, number>>;

function totalsIn(lines: readonly string[]): Totals {
  const totals: Record<string, number> = {};
  for (const line of lines.slice(0, 12)) {
    const [, name, count] = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo) (\d{1,9})$/.exec(line) ?? [];
    if (name !== undefined) totals[name] = Number(count);
  }
  return totals;
}

/** There is no plan in this format, so the summary is what shows that lines are missing. */
function disagreement(totals: Totals, { marks }: Tree): string | undefined {
  const { tests = -1, suites = 0, pass = 0, fail = 0, cancelled = 0 } = totals;
  const read = marks.length - suites;
  if (read !== tests) return `the summary counts ${tests} tests, and ${read} are listed`;
  const passed = marks.filter(({ sign, note, isGroup }) => sign === '✔' && note === '' && !isGroup).length;
  if (passed > pass) return `the summary counts ${pass} tests as passed, and ${passed} are listed so`;
  const failed = fail + cancelled;
  const hasFailed = marks.some(({ sign }) => sign === '✖');
  return failed > 0 && !hasFailed ? `the summary counts ${failed} failures that are not listed` : undefined;
}

interface Detail {
  readonly file: string | undefined;
  readonly lines: string[];
}

/** What stands below `✖ failing tests:`, by the name of the test; several of one name in the order of the tests. */
function readDetails(lines: readonly string[], cwd: string | undefined): Map<string, Detail[]> {
  const details = new Map<string, Detail[]>();
  let file: string | undefined;
  let current: Detail | undefined;
  for (const line of lines) {
    if (line.startsWith('test at ')) {
      file = stackFrames(`at ${line.slice(8)}`, cwd)[0]?.file;
      current = undefined;
    } else if (line.startsWith('✖ ') && line !== '✖ failing tests:') {
      const { name } = nameIn(line.slice(2));
      current = { file, lines: [] };
      const same = details.get(name);
      if (same === undefined) details.set(name, [current]);
      else same.push(current);
    } else current?.lines.push(line.replace(/^ {2}/, ''));
  }
  for (const of of details.values()) of.reverse(); // taken from the end
  return details;
}

function testOf(mark: Mark, details: Map<string, Detail[]>, cwd: string | undefined): readonly ReadTest[] {
  const name = fullName(mark.path);
  if (mark.sign === '▶') return [];
  if (mark.sign === '﹣' || mark.sign === '⚠' || /^(?:SKIP|TODO)\b/.test(mark.note))
    return [{ outcome: 'skipped', name }];
  if (mark.sign === '✔') return [{ outcome: 'passed', name }];
  const detail = details.get(mark.name)?.pop();
  const text = detail?.lines.join('\n') ?? '';
  const failure = failureFrom({ test: name, file: detail?.file, text, cwd });
  return [{ outcome: 'failed', name, failure, ...(mark.isGroup ? { isAround: true } : {}) }];
}
