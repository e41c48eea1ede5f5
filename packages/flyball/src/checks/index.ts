export { type AdversaryParts, type Attack, adversary } from './adversary.js';
export { type AskWithin, askWithin, type WithinLimits } from './ask-within.js';
export { baselineOf, NO_BASELINE, withReports } from './baseline.js';
export { type CalibrationBounds, calibrate, type HumanLabel, USABLE } from './calibrate.js';
export type { CaseResult, CaseRunner, EdgeCase, Expected } from './case-runner.js';
export { type ClaimParts, claimId, extractClaims } from './claims.js';
export { type CommandCaseOptions, commandCases } from './command-cases.js';
export type { Breach, ConstraintGuard } from './constraint-guard.js';
export { type Constraints, constraints, MOST_IN_PROMPT } from './constraints.js';
export type {
  Baseline,
  Baselines,
  Check,
  Claim,
  Consistency,
  CritiqueDiagnosis,
  Entailment,
  JudgedClaim,
  Scores,
  SkippedLevel,
  StackFrame,
  Subject,
  TestFailure,
  TestHarness,
  TestLevel,
  TestReport,
  VerificationVerdict,
  VerifyContext,
} from './contracts.js';
export { type CriticLens, type CriticParts, critic, isCleanBill } from './critic.js';
export { defectId } from './defects.js';
export { parseTestReport } from './harness/parse-report.js';
export type { ParsedReport, ReportText, TestFormat } from './harness/report.js';
export { analyseStack, type StackAnalysis, stackFrames } from './harness/stack-frames.js';
export { TEST_LIMITS, type TestHarnessOptions, testHarness } from './harness/test-harness.js';
export { runsAt, TEST_TRIGGERS, type TestTrigger } from './harness/triggers.js';
export { type JavascriptCaseOptions, javascriptCases } from './javascript-cases.js';
export { judge } from './judge.js';
export { judgeClaims } from './judge-claims.js';
export { ANSWER, answerOf } from './material.js';
export {
  checkTemplateHash,
  type OutputTemplate,
  type TemplateMode,
  type TemplateOptions,
  template,
} from './output-template.js';
export type { Prohibition, ProhibitionCheck } from './prohibition.js';
export { hintFor } from './repair-hints.js';
export {
  aggregate,
  checkRubric,
  DEFAULT_RUBRIC,
  passesRubric,
  type Rubric,
  type RubricDimension,
  rubricHash,
} from './rubric.js';
export { checkSchema, type SchemaCheck } from './schema-check.js';
export { compositeScore, factualScore, LEVEL_WEIGHTS, type LevelWeights, semanticScore } from './scores.js';
export { type Consensus, type ConsistencyOptions, type Sample, selfConsistency } from './self-consistency.js';
export { repairAlarm, type Structured, structured, type ToFillIn } from './structured.js';
export type {
  Calibration,
  DimensionScore,
  JudgeParts,
  JudgeVerdict,
  PairJudge,
  PairVerdict,
  ScoredVerdict,
  SingleJudge,
  VerdictOrigin,
} from './verdict.js';
export { type Verify, verification } from './verification.js';
export { type ReverifyParts, type VerifyDefect, verifyDefect } from './verify-defect.js';
export type { ConsistencyParts, VerificationParts } from './verify-parts.js';
