import type { VerificationVerdict } from '../../../checks/contracts.js';
import type { DimensionName } from '../../../core/work.js';
import type { GateResult } from '../contracts.js';
import { testsOf, whySkipped, whyUnmet } from './measured.js';
import type { ExitSettings } from './settings.js';
import { type ScoreThresholds, scoreThresholds } from './thresholds.js';

/**
 * The nine gates, in the order in which they are reported. All of them are looked at: a person who is asked sees
 * everything that is wrong at once.
 *
 * The confidence gate stands at `pReview`, where the disposition turns into a rejection. There is no further one between
 * review and auto-commit: it would refuse what a person is to be asked about.
 */
export function gatesOf(
  verdict: VerificationVerdict,
  confidence: number,
  { gates, pReview }: ExitSettings,
  thresholds: ScoreThresholds = scoreThresholds({ gates }),
): readonly GateResult[] {
  const { scores, claims, composite } = verdict;
  // claims that were judged against evidence count as much as what the rubric's judge thinks of them
  const correctness = claims.length === 0 ? scores.correctness : Math.min(scores.correctness, composite);
  const claimsUnmet = whyUnmet(verdict, 'semantic');
  const scored = (name: DimensionName, score: number) =>
    withReason(gate(name, score, thresholds.dimensions[name]), verdict);
  return [
    gate('schema', verdict.schemaOk ? 1 : 0, 1),
    claimsUnmet === undefined
      ? scored('correctness', correctness)
      : notMeasured('correctness', thresholds.dimensions.correctness, claimsUnmet),
    scored('completeness', scores.completeness),
    scored('coherence', scores.coherence),
    scored('safety', scores.safety),
    withReason(gate('rubric', verdict.aggregate, thresholds.sum), verdict),
    testsGate(verdict, gates.tests),
    consistencyGate(verdict, gates.consistency),
    gate('confidence', confidence, pReview),
  ];
}

function testsGate(verdict: VerificationVerdict, threshold: number): GateResult {
  const tests = testsOf(verdict);
  if (tests.ran === 'none') return notApplicable('tests', threshold, 'no tests');
  if (tests.problem === undefined) return gate('tests', tests.rate, threshold);
  return notMeasured('tests', threshold, tests.problem);
}

function consistencyGate(verdict: VerificationVerdict, threshold: number): GateResult {
  if (verdict.consistency !== undefined) return gate('consistency', verdict.consistency.score, threshold);
  const why = whySkipped(verdict, (level) => level === 'consistency');
  return why === undefined
    ? notApplicable('consistency', threshold, 'not sampled')
    : notMeasured('consistency', threshold, why);
}

/** A score that nobody gave is 0, and closes its gate; the reason is more use than the number. */
function withReason(result: GateResult, verdict: VerificationVerdict): GateResult {
  const own: readonly string[] = ['rubric', `rubric:${result.gate}`, result.gate];
  const note = whySkipped(verdict, (level) => own.includes(level));
  return result.score > 0 || note === undefined ? result : { ...result, note };
}

/** Nobody asked for it. It passes with the score of its threshold: nothing was measured, so nothing better is claimed. */
function notApplicable(name: GateResult['gate'], threshold: number, note: string): GateResult {
  return { gate: name, score: threshold, threshold, passed: true, note };
}

/** It was asked for and could not be had: no pass, however low the threshold. */
function notMeasured(name: GateResult['gate'], threshold: number, note: string): GateResult {
  return { gate: name, score: 0, threshold, passed: false, note };
}

/** Sums of weighted scores are off by less than this; a score that equals its threshold on paper passes. */
const ROUNDING = 1e-9;

export function reaches(score: number, threshold: number): boolean {
  return score >= threshold - ROUNDING;
}

function gate(name: GateResult['gate'], score: number, threshold: number): GateResult {
  return { gate: name, score, threshold, passed: reaches(score, threshold) };
}
