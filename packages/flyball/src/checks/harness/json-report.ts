import { failureFrom } from './failure.js';
import type { ReadReport, ReadTest, ReportText } from './report.js';
import { unreadable } from './report.js';
import { sourceFile } from './source-file.js';

/** How many beginnings are tried where other output stands before the report. */
const MAX_STARTS = 20;

/** The JSON of jest, which vitest writes too: one entry per file, with one result per test. */
export function readJsonReport(text: string, { cwd }: Pick<ReportText, 'cwd'>): ReadReport {
  const report = jsonIn(text);
  if (report === undefined) return unreadable('the output contains no complete JSON report');
  if (report['wasInterrupted'] === true) return unreadable('the test run was interrupted');
  const tests: ReadTest[] = [];
  for (const file of listOf(report['testResults'])) {
    const problem = readFile(file, tests, cwd);
    if (problem !== undefined) return unreadable(problem);
  }
  const problem = disagreement(report, tests);
  return problem === undefined ? { tests } : unreadable(problem);
}

type Fields = Readonly<Record<string, unknown>>;

/** The first object with test results that begins a line. */
export function jsonIn(text: string): Fields | undefined {
  const end = text.lastIndexOf('}') + 1;
  let at = text.startsWith('{') ? 0 : after(text, 0);
  for (let tried = 0; tried < MAX_STARTS && at < end; tried++, at = after(text, at)) {
    const value = parsed(text.slice(at, end));
    if (isFields(value) && Array.isArray(value['testResults'])) return value;
  }
  return undefined;
}

/** Where the next line begins with a brace; behind the text where none does. */
function after(text: string, at: number): number {
  const found = text.indexOf('\n{', at);
  return found < 0 ? text.length : found + 1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // said by the caller: there is no report
  }
}

function readFile(entry: unknown, tests: ReadTest[], cwd: string | undefined): string | undefined {
  if (!isFields(entry)) return 'a file in testResults is not an object';
  const file = sourceFile(textOf(entry['name']), cwd);
  const results = listOf(entry['assertionResults'] ?? entry['testResults']);
  let hasFailed = false;
  for (const result of results) {
    const read = readResult(result, file, cwd);
    if (typeof read === 'string') return read;
    hasFailed ||= read.outcome === 'failed';
    tests.push(read);
  }
  // a file that could not even be loaded has no tests, and one whose hooks failed has none that failed
  if (entry['status'] === 'failed' && !hasFailed) {
    const text = textOf(entry['message']) || 'The file failed outside its tests.';
    const failure = failureFrom({ test: file, file, text, cwd });
    tests.push({ outcome: 'failed', name: file, failure, isAround: true });
  }
  return undefined;
}

const OUTCOMES: Readonly<Record<string, ReadTest['outcome']>> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
  disabled: 'skipped',
  todo: 'skipped',
  focused: 'passed',
};

function readResult(result: unknown, file: string, cwd: string | undefined): ReadTest | string {
  if (!isFields(result)) return `a result of ${file} is not an object`;
  const status = textOf(result['status']);
  const outcome = Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
  const name = [file, ...listOf(result['ancestorTitles']).map(textOf), textOf(result['title'])]
    .filter((part) => part !== '')
    .join(' > ');
  if (outcome === undefined) return `${name} has the unknown status '${status}'`;
  if (outcome !== 'failed') return { outcome, name };
  const text = listOf(result['failureMessages']).map(textOf).join('\n');
  return { outcome, name, failure: failureFrom({ test: name, file, text, cwd }) };
}

/** The report counts by itself: a result that is missing shows here. */
function disagreement(report: Fields, tests: readonly ReadTest[]): string | undefined {
  for (const [field, outcome] of [
    ['numPassedTests', 'passed'],
    ['numFailedTests', 'failed'],
  ] as const) {
    const said = report[field];
    const read = tests.filter((test) => test.outcome === outcome).length;
    // files that failed as a whole are in our count and not in the report's
    if (typeof said === 'number' && (outcome === 'passed' ? said !== read : said > read))
      return `the report counts ${said} tests as ${outcome}, and lists ${read}`;
  }
  return undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
