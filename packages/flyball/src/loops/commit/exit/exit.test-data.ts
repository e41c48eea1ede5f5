import type { JudgedClaim, TestReport, VerificationVerdict } from '../../../checks/contracts.js';

/** A flawless verdict: everything was measured, and nothing found. */
export function verdict(changes: Partial<VerificationVerdict> = {}): VerificationVerdict {
  return {
    schemaOk: true,
    schemaProblems: [],
    semantic: 1,
    factual: 1,
    coherence: 1,
    composite: 1,
    claims: [claim('entail')],
    scores: { correctness: 1, completeness: 1, coherence: 1, safety: 1 },
    aggregate: 1,
    tests: [report({})],
    testPassRate: 1,
    consistency: { score: 1, verdict: 'pass', n: 3, best: 0, voting: 'majority' },
    defects: [],
    gaps: [],
    skipped: [],
    ...changes,
  };
}

export function claim(judged: JudgedClaim['verdict']): JudgedClaim {
  return {
    id: judged,
    text: 'It opened in 1894.',
    artefact: 'answer',
    verdict: judged,
    evidence: [],
    isSupported: true,
  };
}

export function report(changes: Partial<TestReport>): TestReport {
  return {
    level: 'unit',
    command: 'npm test',
    passed: 5,
    failed: 0,
    skipped: 0,
    failures: [],
    passing: [],
    known: [],
    regressions: [],
    ms: 1,
    ...changes,
  };
}

/** Without what is optional: no claims, no tests, no samples. */
export function bareVerdict(changes: Partial<VerificationVerdict> = {}): VerificationVerdict {
  const { consistency: _, ...rest } = verdict({ claims: [], tests: [] });
  return { ...rest, ...changes };
}
