import type { StandardSchema } from '../core/schema.js';
import type { Input, Session } from '../core/session.js';
import { type ClaimParts, extractClaims } from './claims.js';
import { type ConsistencyOptions, checkedConsistency } from './consistency.js';
import type { Subject, TestHarness } from './contracts.js';
import { judgeClaims } from './judge-claims.js';
import { checkChecker } from './reply-form.js';
import { checkRubric, DEFAULT_RUBRIC, type Rubric, type RubricDimension } from './rubric.js';
import { checkWeights, LEVEL_WEIGHTS, type LevelWeights } from './scores.js';
import type { Calibration, JudgeParts } from './verdict.js';

/** What self-consistency needs. */
export interface ConsistencyParts extends ConsistencyOptions {
  /** Who answers the task again; no checker, but a generator. */
  readonly session: Session;
  /** What it is asked; the task and the evidence where it is absent. */
  readonly prompt?: (subject: Pick<Subject, 'task' | 'evidence'>) => Input;
}

/** What verification needs. */
export interface VerificationParts {
  readonly schema?: StandardSchema;
  readonly how?: 'json' | 'text';
  /** Without it nothing is compared with the evidence, and the verdict says so. */
  readonly claims?: ClaimParts;
  readonly judge: { readonly session: Session; readonly rubric?: Rubric; readonly calibration?: Calibration };
  /** Scores coherence by itself; the judge does where it is absent, as a dimension of its own. */
  readonly coherence?: Session;
  readonly tests?: readonly TestHarness[];
  readonly consistency?: ConsistencyParts;
  readonly weights?: LevelWeights;
}

/** The parts as they are used: checked, and with defaults. */
export interface CheckedParts extends VerificationParts {
  readonly judge: JudgeParts;
  readonly weights: LevelWeights;
  /** What each session scores. */
  readonly judged: readonly RubricDimension[];
  readonly coherent: RubricDimension;
}

export function checkedParts(parts: VerificationParts): CheckedParts {
  const { session, calibration } = parts.judge;
  const rubric = checkRubric(parts.judge.rubric ?? DEFAULT_RUBRIC);
  checkChecker(session, 'judge');
  if (parts.coherence !== undefined) checkChecker(parts.coherence, 'judge of coherence');
  if (parts.consistency !== undefined) checkedConsistency(parts.consistency, parts.consistency.session);
  if (parts.claims !== undefined) {
    extractClaims(parts.claims); // refuses bad settings before anything is spent
    judgeClaims(parts.claims);
  }
  const weights = parts.weights ?? LEVEL_WEIGHTS;
  checkWeights(weights);
  return {
    ...parts,
    judge: { session, rubric, ...(calibration === undefined ? {} : { calibration }) },
    weights,
    judged: rubric.dimensions.filter(({ name }) => name !== 'coherence' || parts.coherence === undefined),
    coherent: dimensionOf(rubric) ?? (dimensionOf(DEFAULT_RUBRIC) as RubricDimension),
  };
}

function dimensionOf({ dimensions }: Rubric): RubricDimension | undefined {
  return dimensions.find(({ name }) => name === 'coherence');
}
