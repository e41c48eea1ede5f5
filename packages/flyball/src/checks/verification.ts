import type { Run } from '../core/run.js';
import type { Defect, EvidenceBundle } from '../core/work.js';
import type {
  JudgedClaim,
  Scores,
  SkippedLevel,
  Subject,
  TestReport,
  VerificationVerdict,
  VerifyContext,
} from './contracts.js';
import { claimDefects, gapDefect, placesOf, requirementDefect, rubricDefect, schemaDefect } from './defects.js';
import { aggregate, DIMENSIONS } from './rubric.js';
import { checkSchemaIn } from './schema-check.js';
import { compositeScore } from './scores.js';
import { testDefects } from './test-defects.js';
import {
  type ClaimLevels,
  checkClaims,
  checkConsistency,
  type RubricLevel,
  runTests,
  scoreRubric,
} from './verify-levels.js';
import { type CheckedParts, checkedParts, type VerificationParts } from './verify-parts.js';

/** Verifies an output. */
export type Verify = (run: Run, subject: Subject, context: VerifyContext) => Promise<VerificationVerdict>;

/**
 * Measures an output, the cheapest level first.
 *
 * 1. A violated schema ends it: nobody is asked about the meaning of something that has the wrong form.
 * 2. What was not run is listed as skipped with its reason, and scores 0 for itself. In the composite it counts as the
 *    lowest score that was measured, so that it never lifts what was seen.
 * 3. After a single action only tests run: half of an output can be tested, and not judged.
 */
export function verification(parts: VerificationParts): Verify {
  const checked = checkedParts(parts);
  return async (run, subject, context) => {
    if (context.trigger === 'action') return testedOnly(run, checked, subject, context);
    const schema = await checkSchemaIn(run, subject.outputs, checked.schema, checked.how);
    if (!schema.ok) return misshapen(subject, schema.problems);
    const tests = await runTests(run, checked, context);
    const claims = await checkClaims(run, checked, subject);
    const found = [
      ...tests.reports.flatMap((report) => testDefects(subject, report)),
      ...claimDefects(claims.claims, subject.evidence),
    ];
    const rubric = await scoreRubric(run, checked, subject, placesOf(found));
    const { consistency, skipped } = await checkConsistency(run, checked, subject);
    const gaps = gapsIn(subject.evidence, claims.claims, rubric);
    return {
      schemaOk: true,
      schemaProblems: [],
      semantic: claims.semantic ?? 0,
      factual: claims.factual ?? 0,
      coherence: rubric.scores.coherence ?? 0,
      composite: compositeOf(checked, claims, rubric, tests.reports.length === 0 ? undefined : tests.rate),
      claims: claims.claims,
      scores: allScores(rubric.scores),
      aggregate: aggregate(rubric.scores, checked.judge.rubric),
      ...unscoredIn(rubric.scores),
      ...(rubric.judgedBy === undefined ? {} : { judgedBy: rubric.judgedBy }),
      tests: tests.reports,
      testPassRate: tests.rate,
      ...(consistency === undefined ? {} : { consistency }),
      defects: [
        ...found,
        ...rubric.missing.map(requirementDefect),
        ...rubricDefects(checked, rubric),
        ...gaps.map(gapDefect),
      ],
      gaps,
      skipped: [...tests.skipped, ...claims.skipped, ...rubric.skipped, ...skipped],
      ...blockedIn(tests.reports),
    };
  };
}

function compositeOf(
  { weights }: CheckedParts,
  { semantic, factual }: ClaimLevels,
  { scores }: RubricLevel,
  testRate: number | undefined,
): number {
  const measured = [semantic, factual, scores.coherence, scores.correctness, testRate];
  const known = measured.filter((score) => score !== undefined);
  return compositeScore(true, semantic, factual, weights, known.length === 0 ? 0 : Math.min(...known));
}

function rubricDefects({ coherent, judged }: CheckedParts, { dimensions }: RubricLevel): readonly Defect[] {
  const listed = [...judged, ...(judged.includes(coherent) ? [] : [coherent])];
  return listed.flatMap((dimension) => {
    const said = dimensions.find(({ name }) => name === dimension.name);
    return said === undefined || said.score >= dimension.minimum ? [] : [rubricDefect(dimension, said)];
  });
}

/**
 * What the judge misses, and queries that found nothing while something in the output rests on nothing. An unanswered
 * query that nobody turned out to need is no gap: it would send the loop round for ever.
 */
function gapsIn(evidence: EvidenceBundle, claims: readonly JudgedClaim[], rubric: RubricLevel): readonly string[] {
  const isMissed = rubric.missing.length > 0 || claims.some(({ verdict }) => verdict === 'neutral');
  return [...new Set([...rubric.gaps, ...(isMissed ? evidence.gaps : [])])];
}

function allScores(scores: Partial<Scores>): Scores {
  return Object.fromEntries(DIMENSIONS.map((name) => [name, scores[name] ?? 0])) as Scores;
}

function unscoredIn(scores: Partial<Scores>): Pick<VerificationVerdict, 'unscored'> {
  const unscored = DIMENSIONS.filter((name) => scores[name] === undefined);
  return unscored.length === 0 ? {} : { unscored };
}

function blockedIn(reports: readonly TestReport[]): Pick<VerificationVerdict, 'blocked'> {
  const blocked = reports.filter((report) => report.blocked === true);
  return blocked.length === 0 ? {} : { blocked: blocked.map(({ command, problem }) => `${command}: ${problem}`) };
}

const LEVELS = ['tests', 'semantic', 'factual', 'rubric'] as const;

function misshapen(subject: Subject, problems: readonly string[]): VerificationVerdict {
  const skipped = LEVELS.map((level) => ({ level, why: 'the answer does not match its schema' }));
  const defects = [schemaDefect(subject, problems)];
  return { ...nothing(skipped), schemaOk: false, schemaProblems: problems, defects };
}

async function testedOnly(
  run: Run,
  parts: CheckedParts,
  subject: Subject,
  context: VerifyContext,
): Promise<VerificationVerdict> {
  const tests = await runTests(run, parts, context);
  const skipped = ['schema', 'semantic', 'factual', 'rubric'].map((level) => ({
    level,
    why: 'not all actions are complete',
  }));
  return {
    ...nothing([...tests.skipped, ...skipped]),
    schemaOk: true,
    tests: tests.reports,
    testPassRate: tests.rate,
    defects: tests.reports.flatMap((report) => testDefects(subject, report)),
    ...blockedIn(tests.reports),
  };
}

/** A verdict that passes nothing. */
function nothing(skipped: readonly SkippedLevel[]): VerificationVerdict {
  return {
    schemaOk: false,
    schemaProblems: [],
    semantic: 0,
    factual: 0,
    coherence: 0,
    composite: 0,
    claims: [],
    scores: allScores({}),
    ...unscoredIn({}),
    aggregate: 0,
    tests: [],
    testPassRate: 0,
    defects: [],
    gaps: [],
    skipped,
  };
}
