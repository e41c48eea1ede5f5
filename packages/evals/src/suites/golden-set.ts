import { ConfigError } from 'flyball';
import { canonicalJson, sha256 } from 'flyball/internal';

/** The categories of the cases in a golden set. */
export const CATEGORIES = ['positive', 'negative', 'edge', 'adversarial', 'regression'] as const;
/** The category of a case in a golden set. */
export type Category = (typeof CATEGORIES)[number];

/** How a case is decided. Every score cites the check it comes from. */
export type CaseCheck =
  /** The answer is this value, whole. */
  | { readonly kind: 'exact'; readonly expected: unknown }
  /** Fields of the answer have these values; others are free. */
  | { readonly kind: 'structured'; readonly fields: Readonly<Record<string, unknown>> }
  /** The answer's text holds all of the first and none of the second, whatever the case of letters. */
  | { readonly kind: 'text'; readonly contains?: readonly string[]; readonly lacks?: readonly string[] }
  /** A judge scores the answer; it passes from `minimum` on. */
  | { readonly kind: 'rubric'; readonly minimum: number };

/** One case of a golden set: an input, and how to check the answer. */
export interface GoldenCase {
  readonly id: string;
  readonly category: Category;
  readonly input: unknown;
  readonly check: CaseCheck;
}

/** A held-out, versioned set of cases with somebody who answers for it. */
export interface GoldenSet {
  readonly name: string;
  readonly version: string;
  readonly owner: string;
  /** How often each case is run. All of them count; none is run again because it failed. */
  readonly repetitions: number;
  readonly cases: readonly GoldenCase[];
}

/** Changes with every change that could change a result. */
export function suiteHash(suite: GoldenSet): string {
  return sha256(canonicalJson(suite));
}

/** Fewer cases say little. */
const FEW_CASES = 30;

export interface SuiteLint {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** What is wrong with a suite before anything is run. A suite of happy paths passes everything that is polite. */
export function lintSuite(suite: GoldenSet): SuiteLint {
  const ids = suite.cases.map(({ id }) => id);
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  const missing = CATEGORIES.filter((category) => !suite.cases.some((one) => one.category === category));
  return {
    errors: [
      ...repeated.map((id) => `case "${id}" is there twice`),
      ...missing.map((category) => `it has no ${category} case`),
      ...(suite.owner.trim() === '' ? ['it names no owner'] : []),
      ...(Number.isInteger(suite.repetitions) && suite.repetitions > 0 ? [] : ['repetitions must be 1 or more']),
      ...suite.cases.flatMap(checkProblems),
    ],
    warnings: ids.length < FEW_CASES ? [`${ids.length} cases are few: 30 to 50 are a start`] : [],
  };
}

function checkProblems({ id, check }: GoldenCase): readonly string[] {
  if (check.kind === 'text' && (check.contains ?? []).length + (check.lacks ?? []).length === 0)
    return [`the check of "${id}" asks for nothing`];
  if (check.kind === 'structured' && Object.keys(check.fields).length === 0)
    return [`the check of "${id}" asks for nothing`];
  return check.kind === 'rubric' && !(check.minimum > 0 && check.minimum <= 1)
    ? [`the minimum of "${id}" must be above 0 and at most 1`]
    : [];
}

export function checkSuite(suite: GoldenSet): GoldenSet {
  const { errors } = lintSuite(suite);
  if (errors.length > 0)
    throw new ConfigError(
      `The suite "${suite.name}" cannot gate anything: ${errors.join('; ')}. Fix it and run again.`,
    );
  return suite;
}

/** Cases whose input can be read in what the system is given anyway: an answer that was told proves nothing. */
export function leakedCases(
  suite: GoldenSet,
  given: readonly { readonly name: string; readonly text: string }[],
): readonly { readonly id: string; readonly where: string }[] {
  const texts = given.map(({ name, text }) => ({ name, text: normal(text) }));
  return suite.cases.flatMap(({ id, input }) => {
    const wanted = normal(typeof input === 'string' ? input : canonicalJson(input));
    // a greeting is found everywhere and gives nothing away
    if (wanted.length < 20) return [];
    return texts.filter(({ text }) => text.includes(wanted)).map(({ name }) => ({ id, where: name }));
  });
}

function normal(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}
