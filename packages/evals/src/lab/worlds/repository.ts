import type { Questions } from 'flyball/testing/simulated';
import { draw } from '../simulated.js';
import { mark } from './arithmetic.js';
import { evaluate } from './expression.js';

/** What the functions of the repositories compute. */
const RULES = ['a × 3 + b', 'a + b × 2', '(a + b) × 2', 'a × b - a', '(a - b) × 4', 'a × 2 - b'] as const;
const OPERATORS = ['+', '-', '×'] as const;
const CASES = 4;

/** What running the tests of a repository says. */
export interface TestRun {
  readonly passed: number;
  readonly failed: number;
  /** One line for each test that failed, or why nothing could be run. */
  readonly says: string;
}

const sourceOf = (body: string): string => `export const fee = (a, b) => ${body};`;
const ruleOf = (item: number): string => RULES[Math.floor(draw('W6', 'rule', item) * RULES.length)] ?? RULES[0];

/** Calls of the function with what they have to return. */
function casesOf(item: number): readonly { readonly a: number; readonly b: number; readonly wanted: number }[] {
  return Array.from({ length: CASES }, (_none, n) => {
    const [a, b] = [3, 13].map((from) => from + Math.floor(draw('W6', 'case', item, n, from) * 10)) as [number, number];
    return { a, b, wanted: evaluate(ruleOf(item), { a, b }) };
  });
}

/** Runs the tests of a repository on a version of its source: the function is really called. */
function runTests(item: number, source: string): TestRun {
  const body = /^export const fee = \(a, b\) => ([-+×()\s\dab]+);$/.exec(source.trim())?.[1];
  if (body === undefined) return { passed: 0, failed: CASES, says: 'src/fee.js cannot be read' };
  const failures = casesOf(item).flatMap(({ a, b, wanted }) => {
    const got = evaluate(body, { a, b });
    return got === wanted ? [] : [`fee(${a}, ${b}): expected ${wanted}, got ${got}`];
  });
  return { passed: CASES - failures.length, failed: failures.length, says: failures.join('\n') };
}

/** The source with one operator replaced, as far as a test finds it. */
function faultsOf(item: number): readonly string[] {
  const rule = ruleOf(item);
  const places = [...rule].flatMap((sign, at) => (OPERATORS.some((one) => one === sign) ? [at] : []));
  return places
    .flatMap((at) =>
      OPERATORS.filter((sign) => sign !== rule[at]).map((sign) =>
        sourceOf(rule.slice(0, at) + sign + rule.slice(at + 1)),
      ),
    )
    .filter((source) => runTests(item, source).failed > 0);
}

/** W6: a small repository for each item, whose tests fail because of one wrong operator. Running them is the truth. */
export const repository: Questions & {
  readonly tests: (item: number, source: string) => TestRun;
  readonly isGreen: (item: number, source: string) => boolean;
  /** The source as it is found. */
  readonly found: (item: number) => string;
} = {
  tests: runTests,
  isGreen: (item, source) => runTests(item, source).failed === 0,
  found: (item) => faultsOf(item)[0] ?? '',
  ask: (item) => {
    const found = repository.found(item);
    return `${mark(item)}: npm test fails. Reply with the whole of src/fee.js.\n\n${found}\n\n${runTests(item, found).says}`;
  },
  truth: (item) => sourceOf(ruleOf(item)),
  wrong: (item, n) => {
    const faults = faultsOf(item);
    return faults[n % faults.length] ?? '';
  },
};
