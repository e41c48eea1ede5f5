import type { StackFrame } from '../contracts.js';
import { failureFrom } from './failure.js';
import { crash } from './failure-text.js';
import type { ReadReport, ReadTest, ReportText } from './report.js';
import { unreadable } from './report.js';
import { fileOrName, isTestFile } from './source-file.js';
import { stackFrames } from './stack-frames.js';
import { readTapPoints, type TapDocument, type TapPoint } from './tap-points.js';
import { fullName, inside, type TestPath } from './test-path.js';

/** TAP as tests: the leaves count, and a group only where it failed by itself. */
export function readTapReport(text: string, { cwd }: Pick<ReportText, 'cwd'>): ReadReport {
  const document = readTapPoints(text);
  if (document.problem !== undefined) return unreadable(document.problem);
  const tests: ReadTest[] = [];
  const rest = document.points.map((point) => ({ point, path: [] as TestPath })).reverse();
  // a stack of our own: subtests nest as deep as somebody likes
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { point, path } = next;
    const named = inside(path, fileOrName(point.name, cwd) || `test ${tests.length + 1}`);
    const test = testOf(point, named, cwd);
    if (test !== undefined) tests.push(test);
    for (const child of [...point.children].reverse()) rest.push({ point: child, path: named });
  }
  return missing(document, tests) ?? { tests };
}

function testOf(point: TapPoint, path: TestPath, cwd: string | undefined): ReadTest | undefined {
  const name = fullName(path);
  const isGroup = point.children.length > 0;
  if (point.directive !== undefined) return isGroup ? undefined : { outcome: 'skipped', name };
  if (point.ok) return isGroup || point.fields['type'] === 'suite' ? undefined : { outcome: 'passed', name };
  if (isGroup && !failedByItself(point)) return undefined;
  const isAround = isGroup || point.fields['type'] === 'suite' || point.fields['exitCode'] !== undefined;
  return { outcome: 'failed', name, failure: failureOf(point, path, cwd), ...(isAround ? { isAround } : {}) };
}

/** Hooks and code between subtests fail the group; so does whoever says `not ok` over tests that all passed. */
function failedByItself({ fields, children }: TapPoint): boolean {
  const type = fields['failureType'];
  if (type !== undefined) return type !== 'subtestsFailed';
  return children.every((child) => child.ok || child.directive !== undefined);
}

function failureOf({ fields, notes }: TapPoint, path: TestPath, cwd: string | undefined) {
  const stack = (fields['stack'] ?? fields['error.stack'] ?? '').split('\n');
  const frames = stackFrames(stack.map((line) => (/^\s*at /.test(line) ? line : `at ${line.trim()}`)).join('\n'), cwd);
  const known = {
    test: fullName(path),
    file: placeOf(fields['location'], cwd)?.file ?? path.find(isTestFile),
    cwd,
  };
  // a file that ended in an error says only here what it was
  if (fields['exitCode'] !== undefined && notes.length > 0) {
    const said = crash(notes.join('\n'));
    return failureFrom({ ...known, ...said, frames: [...stackFrames(said.text, cwd), ...frameOf(fields, cwd)] });
  }
  const message = fields['error.message'] ?? fields['error'] ?? fields['message'];
  return failureFrom({
    ...known,
    text: message ?? '',
    message,
    errorType: fields['name'] ?? fields['error.name'],
    expected: fields['expected'] ?? fields['wanted'],
    actual: fields['actual'] ?? fields['found'],
    frames: frames.length > 0 ? frames : frameOf(fields, cwd),
  });
}

/** Where there is no stack: vitest gives one place, and node:test only that of the test. */
function frameOf(fields: TapPoint['fields'], cwd: string | undefined): readonly StackFrame[] {
  const frame = placeOf(fields['at'] ?? fields['location'], cwd);
  return frame === undefined ? [] : [frame];
}

function placeOf(place: string | undefined, cwd: string | undefined): StackFrame | undefined {
  return place === undefined ? undefined : stackFrames(`at ${place}`, cwd)[0];
}

/** node:test counts what failed: where it counts more than nothing, something has to be there. */
function missing({ totals }: TapDocument, tests: readonly ReadTest[]): ReadReport | undefined {
  const said = (totals['fail'] ?? 0) + (totals['cancelled'] ?? 0);
  const isRead = tests.some((test) => test.outcome === 'failed');
  return said > 0 && !isRead ? unreadable(`the report counts ${said} failed tests, and lists none`) : undefined;
}
