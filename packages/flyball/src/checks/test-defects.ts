import type { Artefact, Defect, Location } from '../core/work.js';
import { linesOf } from './artefact-view.js';
import type { Subject, TestFailure, TestReport } from './contracts.js';
import { defectId } from './defects.js';

/** A repair that breaks what worked is worse than what never did. */
const SEVERITY = { regression: 0.9, test: 0.8 };
const LONGEST_FACT = 2000;
const MAX_TEST_DEFECTS = 50;

/**
 * What the tests of one command found, and that their report could not be read: code that does not load breaks the
 * run. A command that was blocked is nothing that a repair could mend, and no defect.
 */
export function testDefects({ outputs }: Subject, report: TestReport): readonly Defect[] {
  if (report.blocked === true) return [];
  if (report.problem !== undefined) return [brokenTests(report, report.problem)];
  const known = new Set(report.failures.map(({ test }) => test));
  // gone without a failure, such as a test that somebody deleted
  const vanished = report.regressions
    .filter((test) => !known.has(test))
    .map((test): TestFailure => ({ test, message: 'It passed before and was not run now.', stack: [] }));
  return [...report.failures, ...vanished]
    .slice(0, MAX_TEST_DEFECTS)
    .map((failure) => testDefect(report, failure, outputs.artefacts));
}

function testDefect(report: TestReport, failure: TestFailure, artefacts: readonly Artefact[]): Defect {
  const { test, file, message, errorType, expected, actual, stack, at, inputs } = failure;
  const isRegression = report.regressions.includes(test);
  const location = placeOf(failure, artefacts);
  return {
    id: defectId('test', report.level, file ?? '', test),
    dimension: 'correctness',
    description:
      `${isRegression ? 'The test passed before and fails now' : 'The test fails'}: ${test}: ${message}`.slice(
        0,
        LONGEST_FACT,
      ),
    severity: isRegression ? SEVERITY.regression : SEVERITY.test,
    ...(location === undefined ? {} : { location }),
    scope: location === undefined ? 'global' : 'bounded',
    cause: 'logic-error',
    foundBy: `test:${report.level}`,
    facts: present({
      test,
      file,
      command: report.command,
      cwd: report.cwd,
      message: message.slice(0, LONGEST_FACT),
      errorType,
      expected,
      actual,
      stack: stack.slice(0, 10),
      at,
      inputs,
      regression: isRegression,
    }),
  };
}

/** The frame that failed, or the innermost one inside what was made. */
function placeOf({ at, stack }: TestFailure, artefacts: readonly Artefact[]): Location | undefined {
  for (const frame of at === undefined ? stack : [at, ...stack]) {
    const file = frame.file.replaceAll('\\', '/');
    const artefact = artefacts.find(({ name }) => file === name || file.endsWith(`/${name.replace(/^\.?\//, '')}`));
    if (artefact === undefined) continue;
    const exists = frame.line >= 1 && frame.line <= linesOf(artefact.text).length;
    return {
      artefact: artefact.name,
      ...(exists ? { line: frame.line } : {}),
      ...(frame.function === undefined ? {} : { section: frame.function }),
    };
  }
  return undefined;
}

/** Nothing was learned about the code, but something has to be done about it: often it is the code that broke the run. */
function brokenTests({ level, command, cwd }: TestReport, problem: string): Defect {
  return {
    id: defectId('tests', level, command),
    dimension: 'correctness',
    description: `The ${level} tests could not be run: ${problem}`.slice(0, LONGEST_FACT),
    severity: SEVERITY.test,
    scope: 'global',
    cause: 'tool-failure',
    foundBy: `test:${level}`,
    facts: present({ command, cwd, problem: problem.slice(0, LONGEST_FACT) }),
  };
}

function present(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
