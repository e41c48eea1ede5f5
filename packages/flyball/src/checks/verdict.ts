import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { DimensionName, ExecutionOutputs, Location } from '../core/work.js';
import type { Scores, Subject } from './contracts.js';
import { type Rubric, rubricHash } from './rubric.js';

/** What a judge needs. */
export interface JudgeParts {
  /** A session of its own, even on the generator's model; another family judges better. */
  readonly session: Session;
  readonly rubric: Rubric;
  /** Without one that fits rubric and model, verdicts say that they are uncalibrated. */
  readonly calibration?: Calibration;
}

/** What every verdict says about where it comes from. */
export interface VerdictOrigin {
  readonly rubric: { readonly version: string; readonly hash: string };
  readonly model: string;
  readonly calibration: 'calibrated' | 'uncalibrated';
}

/** The score of one dimension, with its reasoning. */
export interface DimensionScore {
  readonly name: DimensionName;
  readonly reasoning: string;
  readonly score: number;
}

/** A verdict with scores. */
export interface ScoredVerdict extends VerdictOrigin {
  readonly kind: 'scored';
  readonly dimensions: readonly DimensionScore[];
  readonly scores: Partial<Scores>;
  readonly aggregate: number;
  readonly passed: boolean;
  /** Below their minimum. */
  readonly failed: readonly DimensionName[];
  /** Those of them that block. */
  readonly blockedBy: readonly DimensionName[];
  /** Requirements of the task that are not covered, in its words. */
  readonly missing: readonly string[];
  /** Queries whose answer would be needed. */
  readonly gaps: readonly string[];
}

/** The verdict of a judge. */
export type JudgeVerdict =
  | ScoredVerdict
  /** The judge could not be read. Never a pass. */
  | (VerdictOrigin & { readonly kind: 'unscored'; readonly because: string; readonly passed: false });

/** `tie`: they are equal, or which one wins depends on the order they are shown in. */
export type PairVerdict =
  | (VerdictOrigin & {
      readonly kind: 'compared';
      readonly winner: 'subject' | 'other' | 'tie';
      /** Who won when the subject was shown first, and when it was shown second. */
      readonly orders: readonly [Winner, Winner];
    })
  | (VerdictOrigin & { readonly kind: 'unscored'; readonly because: string; readonly winner: 'tie' });

export type Winner = 'subject' | 'other' | 'tie';

/** How far a judge can be believed, and for which rubric and model that holds. */
export interface Calibration {
  /** Share of cases in which judge and person agree on passing; a case without a verdict is a disagreement. */
  readonly agreement: number;
  /** Pearson's, between the sums and the people's scores; 0 where either never varies. */
  readonly correlation: number;
  readonly usable: boolean;
  readonly cases: number;
  readonly rubric: string;
  readonly model: string;
}

/** `focus`: places to show in any case, where what was made is too long to be shown whole. */
export type SingleJudge = (run: Run, subject: Subject, focus?: readonly Location[]) => Promise<JudgeVerdict>;
/** Compares two outputs. */
export type PairJudge = (run: Run, subject: Subject, other: ExecutionOutputs) => Promise<PairVerdict>;

export const JUDGE_INSTRUCTIONS =
  'You judge what others made. Give each dimension its own reasoning first and its own score after it; a weakness in one says nothing about another. Length, confidence and style earn nothing by themselves. You do not rewrite what you judge.';

export function originOf({ rubric, calibration }: JudgeParts, model: string): VerdictOrigin {
  const hash = rubricHash(rubric);
  const fits = calibration?.usable === true && calibration.rubric === hash && calibration.model === model;
  return { rubric: { version: rubric.version, hash }, model, calibration: fits ? 'calibrated' : 'uncalibrated' };
}
