import type { TestFailure } from '../contracts.js';
import { failureFrom } from './failure.js';
import { plain } from './failure-text.js';
import { readTraceback } from './pytest-traceback.js';
import type { ReadReport, ReadTest, ReportText, TestCounts } from './report.js';
import { unreadable } from './report.js';

/**
 * What pytest prints, in every verbosity. The last line counts; names of passing tests are there with `-v` or `-rA`
 * only, so a command that is to find regressions asks for one of them.
 */
export function readPytestReport(text: string, { cwd }: Pick<ReportText, 'cwd'>): ReadReport {
  const lines = plain(text).split('\n');
  const end = lines.findLastIndex((line) => pytestCounts(line) !== undefined);
  const counts = pytestCounts(lines[end] ?? '');
  if (counts === undefined)
    return unreadable('the output has no summary line of pytest, so it may have been cut short');
  const parts = partsOf(lines.slice(0, end));
  const names = namesIn(parts);
  const sections = sectionsIn(parts.reports);
  const failures = failuresOf(names.failed, sections, cwd);
  const failing = new Set(failures.map(({ test }) => test));
  const passing = names.passed.filter((name) => !failing.has(name));
  const twice = names.passed.length - passing.length; // it passed, and what cleans up after it failed: not a pass
  if (names.passed.length > counts.passed || failures.length > counts.failed)
    return unreadable('pytest lists more tests than its summary counts');
  const tests: ReadTest[] = [
    ...passing.map((name): ReadTest => ({ outcome: 'passed', name })),
    ...failedTests(failures, names.failed),
    ...names.skipped.map((name): ReadTest => ({ outcome: 'skipped', name })),
  ];
  return { tests, counts: { ...counts, passed: counts.passed - twice } };
}

/** Modules that were not collected, subtests, and a test once more whose clean-up failed too, are no tests by themselves. */
function failedTests(failures: readonly TestFailure[], listed: Names['failed']): readonly ReadTest[] {
  const seen = new Set<string>();
  return failures.map((failure, index) => {
    const { test } = failure;
    const isAround = !test.includes('::') || seen.has(test) || listed[index]?.status === 'SUBFAILED';
    seen.add(test);
    return { outcome: 'failed', name: test, failure, ...(isAround ? { isAround } : {}) };
  });
}

const COUNTED: Readonly<Record<string, keyof TestCounts | 'ignored'>> = {
  passed: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  error: 'failed',
  errors: 'failed',
  skipped: 'skipped',
  xfailed: 'skipped',
};

/** `== 6 failed, 3 passed in 0.58s ==`, or nothing where the line is no summary. */
export function pytestCounts(line: string): TestCounts | undefined {
  const [, framed, bare] = line.length > 500 ? [] : (/^=+ (.*) =+$|^([^=].*)$/.exec(line.trimEnd()) ?? []);
  const said = framed ?? bare ?? '';
  const ended = / in \d+(?:\.\d+)?s(?: \(\d[\d:, a-z]*\))?$/.exec(said);
  if (ended === null) return undefined;
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const list = said.slice(0, ended.index);
  if (list === 'no tests ran') return counts;
  for (const part of list.split(', ')) {
    const [, count, what = ''] = /^(\d{1,9}) ([a-z][a-z ]{0,40})$/.exec(part) ?? [];
    if (count === undefined) return undefined;
    const field = Object.hasOwn(COUNTED, what) ? COUNTED[what] : 'ignored';
    if (field !== 'ignored' && field !== undefined) counts[field] += Number(count);
  }
  return counts;
}

interface Parts {
  readonly progress: readonly string[];
  readonly reports: readonly string[];
  readonly summary: readonly string[];
}

/** Names are read only where pytest writes them: what a test prints stands in its report. */
function partsOf(lines: readonly string[]): Parts {
  const isHead = (line: string) => /^={3,} .* ={3,}$/.test(line) && !line.includes('test session starts');
  const first = lines.findIndex(isHead);
  const summary = lines.findLastIndex((line) => /^={3,} short test summary info ={3,}$/.test(line));
  const reports = first < 0 ? lines.length : first;
  return {
    progress: lines.slice(0, reports),
    reports: lines.slice(reports, summary < 0 ? undefined : summary),
    summary: summary < 0 ? [] : lines.slice(summary + 1),
  };
}

const STATUS = ['PASSED', 'FAILED', 'ERROR', 'SKIPPED', 'XFAIL', 'XPASS', 'SUBFAILED'] as const;
type Status = (typeof STATUS)[number];

const IS_PASS: readonly Status[] = ['PASSED', 'XPASS'];
const IS_SKIP: readonly Status[] = ['SKIPPED', 'XFAIL'];
const IS_FAIL: readonly Status[] = ['FAILED', 'ERROR', 'SUBFAILED'];

interface Listed {
  readonly name: string;
  readonly status: Status;
  /** What the summary says about it, in short. */
  readonly said: string;
}

interface Names {
  readonly passed: readonly string[];
  readonly failed: readonly Listed[];
  readonly skipped: readonly string[];
}

/** One test may be there twice: it passed, and what cleans up after it failed. */
function namesIn({ progress, summary }: Parts): Names {
  const verbose = progress.flatMap(verboseLine);
  const known = new Set(verbose.map(({ name }) => name));
  const listed = summary.flatMap((line) => summaryLine(line, known));
  const all = verbose.length > 0 ? verbose : listed;
  const names = (wanted: readonly Status[]) =>
    all.filter(({ status, name }) => wanted.includes(status) && name.includes('::')).map(({ name }) => name);
  const failed = listed.filter(({ status }) => IS_FAIL.includes(status));
  return {
    passed: names(IS_PASS),
    failed: failed.length > 0 ? failed : all.filter(({ status }) => IS_FAIL.includes(status)),
    skipped: names(IS_SKIP),
  };
}

/** `tests/a.py::test_b PASSED   [ 7%]`, or the order that pytest-xdist prefers. */
function verboseLine(line: string): readonly Listed[] {
  if (line.length > 4096 || !line.includes('::')) return [];
  const body = line.replace(/ +\[ *\d{1,3}%\]$/, '').trimEnd();
  const [, worker, rest] = /^\[gw\d+\] (?:\[ *\d+%\] )?([A-Z]+) (.+)$/.exec(body) ?? [];
  const known = STATUS.find((status) => status === worker);
  if (known !== undefined && rest !== undefined) return [{ name: rest, status: known, said: '' }];
  for (const status of STATUS) {
    const at = body.lastIndexOf(` ${status}`);
    const after = at < 0 ? 'no' : body.slice(at + status.length + 1);
    if (after === '' || /^ \(.*\)$/.test(after)) return [{ name: body.slice(0, at), status, said: '' }];
  }
  return [];
}

function summaryLine(line: string, known: ReadonlySet<string>): readonly Listed[] {
  const [, word, part = '', rest = ''] = line.length > 4096 ? [] : (/^([A-Z]+)([[(].*?[\])])? (.*)$/.exec(line) ?? []);
  const status = STATUS.find((one) => one === word);
  if (status === undefined) return [];
  const node = nodeIn(rest, known);
  const said = rest.slice(node.length).replace(/^ - /, '');
  return [{ name: part === '' ? node : `${node} ${part}`, status, said }];
}

/** Parameters may hold ` - ` too: it ends a name only outside of their brackets. */
function nodeIn(rest: string, known: ReadonlySet<string>): string {
  if (known.has(rest)) return rest;
  const bracket = rest.indexOf('[', Math.max(rest.indexOf('::'), 0));
  const dash = rest.indexOf(' - ');
  if (bracket < 0 || (dash >= 0 && dash < bracket)) return dash < 0 ? rest : rest.slice(0, dash);
  const end = rest.indexOf('] - ', bracket);
  return end < 0 ? rest : rest.slice(0, end + 1);
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** One section per failure, under a line of underscores with its name in the middle. */
function sectionsIn(lines: readonly string[]): readonly Section[] {
  const sections: { title: string; lines: string[] }[] = [];
  for (const line of lines) {
    const [, title] = line.length > 4096 ? [] : (/^_+ (.*[^\s_].*) _+$/.exec(line) ?? []);
    if (title !== undefined && !line.startsWith('_ _ ')) sections.push({ title, lines: [] });
    else if (/^={3,} .* ={3,}$/.test(line)) sections.push({ title: '', lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.filter(({ title }) => title !== '');
}

function failuresOf(failed: Names['failed'], sections: readonly Section[], cwd: string | undefined): TestFailure[] {
  // without a summary of names, the sections are all there is
  if (failed.length === 0) return sections.map(({ title, lines }) => failureOf(title, lines, '', cwd));
  const byTitle = new Map<string, Section[]>();
  for (const section of [...sections].reverse()) {
    const key = titleKey(section.title);
    const same = byTitle.get(key);
    if (same === undefined) byTitle.set(key, [section]);
    else same.push(section);
  }
  return failed.map(({ name, status, said }) =>
    failureOf(name, byTitle.get(nameKey(name, status))?.pop()?.lines ?? [], said, cwd),
  );
}

/** What went wrong around a test has a section of its own beside the test's. */
function titleKey(title: string): string {
  const around = /^ERROR (?:at (?:setup|teardown) of|collecting) /.exec(title)?.[0];
  return around === undefined ? title : `ERROR ${title.slice(around.length)}`;
}

function nameKey(name: string, status: Status): string {
  const [file = '', ...inside] = name.split('::');
  const own = inside.length === 0 ? file : inside.join('.');
  return status === 'ERROR' ? `ERROR ${own}` : own;
}

function failureOf(name: string, lines: readonly string[], said: string, cwd: string | undefined): TestFailure {
  const captured = lines.findIndex((line) => /^-{3,} Captured .* -{3,}$/.test(line));
  const own = captured < 0 ? lines : lines.slice(0, captured);
  const trace = readTraceback(own, cwd);
  const [file] = name.split('::');
  return failureFrom({
    test: name,
    file: file?.endsWith('.py') ? file : undefined,
    text: trace.message === undefined ? said || own.join('\n') : '',
    ...trace,
    cwd,
  });
}
