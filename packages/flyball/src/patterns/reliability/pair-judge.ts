import { asking } from '../../checks/asking-judge.js';
import { comparePair } from '../../checks/judge-pair.js';
import { checkChecker } from '../../checks/reply-form.js';
import { checkRubric, rubricHash } from '../../checks/rubric.js';
import type { PairJudge } from '../../checks/verdict.js';
import { useFrom } from '../../core/about.js';
import { type Described, described } from '../../core/use.js';
import { checkGiven } from '../../kit/options.js';
import { markOf } from '../../kit/pattern.js';
import type { RubricJudgeParts } from './rubric-judge.js';

/**
 * Compares two results by a written rubric.
 *
 * Model calls: two, one for each order, and up to two more each where a reply does not fit. Judges favor a place, so only
 * what wins from both places has won; anything else is a tie. Not for one result: use `rubricJudge`.
 *
 * @pattern V15
 * @example
 * ```ts
 * const better = pairJudge({ judge: otherModel, rubric: reviewRubric });
 * const { winner } = await better(run, { task, outputs, evidence }, otherOutputs);
 * ```
 */
export function pairJudge({ judge, rubric, calibration }: RubricJudgeParts): Described<PairJudge> {
  checkGiven('pairJudge (V15)', { judge, rubric });
  checkRubric(rubric);
  checkChecker(judge, 'judge');
  const compare = comparePair({ session: judge, rubric, ...(calibration === undefined ? {} : { calibration }) });
  const use = useFrom({
    id: 'V15',
    name: 'pairJudge',
    params: { rubric: rubric.version, hash: rubricHash(rubric) },
    parts: { judge: asking(judge) },
    calls: { times: [2, { part: 'judge' }] },
    provides: ['V20'],
  });
  const mark = markOf(use);
  const pair: PairJudge = (run, subject, other) =>
    run.enter(mark, async (inside) => {
      const verdict = await compare(inside, subject, other);
      inside.learned({ winner: verdict.winner, model: verdict.model, calibration: verdict.calibration });
      return verdict;
    });
  return described(pair, use);
}
