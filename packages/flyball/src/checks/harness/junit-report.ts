import { failureFrom, testName } from './failure.js';
import { plain } from './failure-text.js';
import { isPytestTraceback, readTraceback } from './pytest-traceback.js';
import type { ReadReport, ReadTest, ReportText } from './report.js';
import { unreadable } from './report.js';
import { fileOrName, isTestFile, sourceFile } from './source-file.js';
import { stackFrames } from './stack-frames.js';
import { fullName, inside, type TestPath } from './test-path.js';
import { readXml, type XmlElement } from './xml.js';

/** JUnit's XML as vitest, jest-junit, node:test and pytest write it. */
export function readJunitReport(text: string, { cwd }: Pick<ReportText, 'cwd'>): ReadReport {
  const xml = readXml(documentIn(text));
  if (!xml.ok) return unreadable(`the XML cannot be read: ${xml.why}`);
  if (xml.root.name !== 'testsuites' && xml.root.name !== 'testsuite')
    return unreadable(`the XML is not a test report: its root is <${xml.root.name}>`);
  const tests: ReadTest[] = [];
  readSuite(xml.root, { path: [], file: undefined, cwd }, tests);
  const claimed = claimedFailures(xml.root);
  if (claimed > 0 && !tests.some((test) => test.outcome === 'failed'))
    return unreadable(`the report counts ${claimed} failed tests, and lists none`);
  return { tests };
}

/** Other output may stand around the report. */
function documentIn(text: string): string {
  const start = ['<?xml', '<testsuites', '<testsuite'].map((mark) => text.indexOf(mark)).filter((at) => at >= 0);
  const from = start.length === 0 ? 0 : Math.min(...start);
  const mark = ['</testsuites>', '</testsuite>'].find((end) => text.includes(end, from));
  return text.slice(from, mark === undefined ? undefined : text.lastIndexOf(mark) + mark.length);
}

interface Place {
  readonly path: TestPath;
  readonly file: string | undefined;
  readonly cwd: string | undefined;
}

/** Recursion is bounded by the depth that the XML reader allows. */
function readSuite(suite: XmlElement, place: Place, tests: ReadTest[]): void {
  const name = suite.name === 'testsuites' ? '' : (suite.attributes.get('name') ?? '');
  const path = name === '' ? place.path : inside(place.path, fileOrName(name, place.cwd));
  const file = suite.attributes.get('file') ?? suite.attributes.get('filepath') ?? place.file;
  const here: Place = { path, file, cwd: place.cwd };
  for (const child of suite.children) {
    if (child.name === 'testsuite' || child.name === 'testsuites') readSuite(child, here, tests);
    else if (child.name === 'testcase') tests.push(aside(readCase(child, here), tests.at(-1), child));
    else if (child.name === 'error' || child.name === 'failure') tests.push({ ...failed(child, here), isAround: true });
  }
}

function readCase(test: XmlElement, place: Place): ReadTest {
  const own = test.attributes.get('name') ?? '';
  const group = test.attributes.get('classname') ?? '';
  const path = pathOf(place.path, group, fileOrName(own, place.cwd) || 'test without a name');
  const said = test.attributes.get('file') ?? place.file ?? [group, ...place.path].find(isTestFile);
  const file = said === undefined ? undefined : sourceFile(said, place.cwd);
  // names alone may repeat from file to file
  const named = {
    path: file === undefined || path[0] === file ? path : [testName(file), ...path],
    file,
    cwd: place.cwd,
  };
  const failure = test.children.find((child) => child.name === 'failure' || child.name === 'error');
  // a test that is still to be done may fail: node:test says both
  const isSkipped = isNotRun(test) || test.children.some((child) => child.name === 'skipped');
  if (failure !== undefined && !isSkipped) return failed(failure, named, group);
  return { outcome: isSkipped ? 'skipped' : 'passed', name: fullName(named.path) };
}

function isNotRun(test: XmlElement): boolean {
  return /^(?:notrun|skipped|disabled|ignored|pending)$/i.test(test.attributes.get('status') ?? '');
}

/** The class says something only where it does not repeat suite or name; pytest's one suite says nothing at all. */
function pathOf(suites: TestPath, group: string, name: string): TestPath {
  const repeats = [suites.at(-1), suites.join('.'), 'test', name, ''].includes(group);
  const above = !repeats && suites.length === 1 && suites[0] === 'pytest' ? [] : suites;
  return inside(repeats ? above : inside(above, group), name);
}

/** pytest lists a module that it cannot collect like a test, and a test again whose clean-up failed. */
function aside(test: ReadTest, last: ReadTest | undefined, { children }: XmlElement): ReadTest {
  const said = children.find(({ name }) => name === 'error')?.attributes.get('message') ?? '';
  const isAgain = said.startsWith('failed on teardown') && last?.name === test.name;
  return test.outcome === 'failed' && (isAgain || said === 'collection failure') ? { ...test, isAround: true } : test;
}

function failed(element: XmlElement, place: Place, group = ''): Extract<ReadTest, { outcome: 'failed' }> {
  const name = fullName(place.path);
  const text = plain(innerError(element.text));
  const message = element.attributes.get('message');
  const type = element.attributes.get('type');
  const base = { test: name, cwd: place.cwd };
  if (isPytestTraceback(text)) {
    const trace = readTraceback(text.split('\n'), place.cwd);
    const file = place.file ?? trace.frames.find((frame) => isModule(frame.file, group))?.file;
    return { outcome: 'failed', name, failure: failureFrom({ ...base, ...trace, file, text }) };
  }
  const frames = stackFrames(text, place.cwd);
  // node:test names the way of failing here, in lower case, and not the error
  const errorType = type !== undefined && /^[A-Z]/.test(type) ? type : undefined;
  const failure = failureFrom({
    ...base,
    file: place.file,
    text,
    frames,
    errorType,
    message: messageOf(message, text),
  });
  return { outcome: 'failed', name, failure };
}

/** The attribute has lost its line ends in some reporters: the text is better where there is one. */
function messageOf(message: string | undefined, text: string): string | undefined {
  return text.trim() === '' ? message : undefined;
}

/** node:test wraps every error in one of its own, whose stack is that of the runner. */
function innerError(text: string): string {
  const body = text.trim();
  if (!/^\[?Error(?: \[ERR_TEST_FAILURE\])?: /.test(body) || !body.includes("code: 'ERR_TEST_FAILURE'")) return text;
  const cause = body.indexOf('\n  cause: ');
  return cause < 0 ? '' : body.slice(cause + '\n  cause: '.length).replace(/\n {2}/g, '\n');
}

/** `tests/test_price.py` is the module of `tests.test_price.TestRatio`. */
function isModule(file: string, group: string): boolean {
  const dotted = file.replace(/\.py$/, '').replaceAll('/', '.');
  return group === dotted || group.startsWith(`${dotted}.`);
}

function claimedFailures(root: XmlElement): number {
  const count = (name: string) => Number.parseInt(root.attributes.get(name) ?? '0', 10) || 0;
  const own = count('failures') + count('errors');
  return root.children.reduce((sum, child) => sum + (child.name === 'testsuite' ? claimedFailures(child) : 0), own);
}
