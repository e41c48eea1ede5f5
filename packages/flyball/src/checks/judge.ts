import { comparePair } from './judge-pair.js';
import { checkChecker } from './reply-form.js';
import { checkRubric } from './rubric.js';
import { scoreDimensions } from './score-dimensions.js';
import type { JudgeParts, PairJudge, SingleJudge } from './verdict.js';

/** Scores an output by a rubric, or compares two of them. It says what it sees and changes nothing. */
export function judge(parts: JudgeParts & { readonly mode: 'single' }): SingleJudge;
export function judge(parts: JudgeParts & { readonly mode: 'pairwise' }): PairJudge;
export function judge(parts: JudgeParts & { readonly mode: 'single' | 'pairwise' }): SingleJudge | PairJudge {
  checkRubric(parts.rubric);
  checkChecker(parts.session, 'judge');
  return parts.mode === 'single' ? scoreDimensions(parts, parts.rubric.dimensions) : comparePair(parts);
}
