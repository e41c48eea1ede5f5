import type { Run } from '../core/run.js';
import { isFilled, slotOf } from '../core/slot.js';
import type { DimensionName, Location } from '../core/work.js';
import { answered } from './answered.js';
import { baselineOf } from './baseline.js';
import { extractClaims } from './claims.js';
import { heldAgainst, sampledAnswers } from './consistency.js';
import type {
  Consistency,
  JudgedClaim,
  Scores,
  SkippedLevel,
  Subject,
  TestReport,
  VerifyContext,
} from './contracts.js';
import { runsAt } from './harness/triggers.js';
import { judgeClaims } from './judge-claims.js';
import { answerOf, evidenceText, prompt, shownEvidence, taskText } from './material.js';
import { outputView, shownTo } from './output-view.js';
import { DIMENSIONS } from './rubric.js';
import { scoreDimensions } from './score-dimensions.js';
import { factualScore, semanticScore } from './scores.js';
import type { DimensionScore, JudgeVerdict, VerdictOrigin } from './verdict.js';
import type { CheckedParts } from './verify-parts.js';

/** Every command whose time has come, one after the other: they share one working tree. */
export async function runTests(
  run: Run,
  { tests = [] }: CheckedParts,
  { trigger, baseline }: VerifyContext,
): Promise<{
  readonly reports: readonly TestReport[];
  readonly rate: number;
  readonly skipped: readonly SkippedLevel[];
}> {
  const reports: TestReport[] = [];
  for (const harness of tests) {
    if (!runsAt(harness.level, trigger)) continue;
    reports.push(await harness.runTests(run, baselineOf(baseline, harness)));
  }
  return { reports, rate: passRate(reports), skipped: reports.flatMap(untold) };
}

/** A command that told nothing counts as one failed test: a broken run is no pass, and neither is an empty one. */
export function passRate(reports: readonly TestReport[]): number {
  if (reports.length === 0) return 1;
  const passed = reports.reduce((sum, report) => sum + (report.problem === undefined ? report.passed : 0), 0);
  const failed = reports.reduce((sum, report) => sum + report.failed, 0);
  return passed === 0 ? 0 : passed / (passed + failed + reports.flatMap(untold).length);
}

function untold({ level, command, passed, failed, problem }: TestReport): readonly SkippedLevel[] {
  if (problem !== undefined) return [unmet(`test:${level}`, problem)];
  return passed + failed > 0 ? [] : [unmet(`test:${level}`, `${command} ran no test`)];
}

export interface ClaimLevels {
  readonly claims: readonly JudgedClaim[];
  /** Undefined where the level was not run. */
  readonly semantic?: number;
  readonly factual?: number;
  readonly skipped: readonly SkippedLevel[];
}

/** The claims against the evidence, and against its authorities. */
export async function checkClaims(run: Run, parts: CheckedParts, subject: Subject): Promise<ClaimLevels> {
  const { claims: asked } = parts;
  const { evidence } = subject;
  if (asked === undefined) return noClaims('nobody is there to find claims: no session was given for them');
  if (evidence.items.length === 0) return unmetClaims('there is no evidence to compare claims with');
  const found = await answered(claimsIn(run, asked, subject));
  if (!found.ok) return unmetClaims(found.why);
  const claims = found.value;
  if (claims.length === 0) return noClaims('nothing is claimed');
  const { leftOut } = shownEvidence(evidence);
  const partly =
    leftOut === 0 ? [] : [{ level: 'evidence', why: `${leftOut} of ${evidence.items.length} pieces were not shown` }];
  const semantic = semanticScore(claims);
  if (evidence.items.some(({ authority }) => authority))
    return { claims, semantic, factual: factualScore(claims), skipped: partly };
  const why = 'there is no authority among the evidence';
  return { claims, semantic, skipped: [...partly, { level: 'factual', why }] };
}

async function claimsIn(
  run: Run,
  parts: NonNullable<CheckedParts['claims']>,
  subject: Subject,
): Promise<readonly JudgedClaim[]> {
  const claims = await extractClaims(parts)(run, subject);
  return claims.length === 0 ? [] : judgeClaims(parts)(run, claims, subject.evidence);
}

/** They do not apply: nobody asked for them, or there are none. */
function noClaims(why: string): ClaimLevels {
  return { claims: [], skipped: ['semantic', 'factual'].map((level) => ({ level, why })) };
}

function unmetClaims(why: string): ClaimLevels {
  return { claims: [], skipped: [unmet('semantic', why), unmet('factual', why)] };
}

function unmet(level: string, why: string): SkippedLevel {
  return { level, why, unmet: true };
}

export interface RubricLevel {
  readonly dimensions: readonly DimensionScore[];
  readonly scores: Partial<Scores>;
  readonly missing: readonly string[];
  readonly gaps: readonly string[];
  /** Undefined where nobody scored it. */
  readonly judgedBy?: VerdictOrigin;
  readonly skipped: readonly SkippedLevel[];
}

/** The rubric, and coherence by its own session where there is one. */
export async function scoreRubric(
  run: Run,
  parts: CheckedParts,
  subject: Subject,
  focus: readonly Location[],
): Promise<RubricLevel> {
  const said = await scoreDimensions(parts.judge, parts.judged)(run, subject, focus);
  const apart = await scoreCoherence(run, parts, subject);
  const dimensions = [...dimensionsIn(said), ...(apart === undefined ? [] : dimensionsIn(apart))];
  return {
    dimensions,
    scores: Object.fromEntries(dimensions.map(({ name, score }) => [name, score])),
    missing: said.kind === 'scored' ? said.missing : [],
    gaps: said.kind === 'scored' ? said.gaps : [],
    ...(said.kind === 'scored'
      ? { judgedBy: { rubric: said.rubric, model: said.model, calibration: said.calibration } }
      : {}),
    skipped: [
      ...notShown(parts, subject, focus),
      ...unscored('rubric', said),
      ...unscored('coherence', apart),
      ...unlisted(parts).map((name) => ({ level: `rubric:${name}`, why: 'it is not a dimension of the rubric' })),
    ],
  };
}

async function scoreCoherence(run: Run, parts: CheckedParts, subject: Subject): Promise<JudgeVerdict | undefined> {
  if (parts.coherence === undefined) return undefined;
  return scoreDimensions({ ...parts.judge, session: parts.coherence }, [parts.coherent])(run, subject);
}

/** What the judge saw is what it judged. */
function notShown({ judge }: CheckedParts, { outputs }: Subject, focus: readonly Location[]): readonly SkippedLevel[] {
  const { leftOut } = outputView(outputs, shownTo(judge.session, focus));
  return leftOut === undefined ? [] : [{ level: 'outputs', why: `the judge was not shown everything: ${leftOut}` }];
}

function dimensionsIn(verdict: JudgeVerdict): readonly DimensionScore[] {
  return verdict.kind === 'scored' ? verdict.dimensions : [];
}

function unscored(level: string, verdict: JudgeVerdict | undefined): readonly SkippedLevel[] {
  return verdict?.kind === 'unscored' ? [unmet(level, verdict.because)] : [];
}

/** Names that the rubric leaves out: nobody scores them. */
function unlisted({ judge, coherence }: CheckedParts): readonly DimensionName[] {
  const listed = judge.rubric.dimensions.map(({ name }) => name);
  return DIMENSIONS.filter((name) => !listed.includes(name) && !(name === 'coherence' && coherence !== undefined));
}

/** The task is answered again, several times, and the answer under review held against what comes of it. */
export async function checkConsistency(
  run: Run,
  { consistency: parts }: CheckedParts,
  subject: Subject,
): Promise<{ readonly consistency?: Consistency; readonly skipped: readonly SkippedLevel[] }> {
  if (parts === undefined) return { skipped: [] };
  const answer = answerOf(subject.outputs);
  if (answer === undefined) return { skipped: [unmet('consistency', 'there is no answer to compare with')] };
  const asked = parts.prompt?.(subject) ?? generatorPrompt(subject);
  const drawn = slotOf(await sampledAnswers(parts.session, parts)(run, asked));
  if (!isFilled(drawn)) return { skipped: [unmet('consistency', drawn.because ?? drawn.stop)] };
  return { consistency: await heldAgainst(run, parts, answer.text, drawn.value), skipped: [] };
}

/** What a generator may know: the task and the evidence, nothing of the rubric. */
function generatorPrompt({ task, evidence }: Pick<Subject, 'task' | 'evidence'>) {
  return prompt([
    [evidenceText(evidence), 'evidence', 'outside'],
    [taskText(task), 'task', 'user'],
  ]);
}
