import type { Scores } from '../../../checks/contracts.js';
import type { Defect, ExecutionOutputs } from '../../../core/work.js';
import type { Escalation } from '../contracts.js';
import { classify } from './causes.js';

/** As strict as the rubric: nothing that is unsafe is given out as a part. */
const SAFE = 0.95;

/**
 * How a loop is left whose repairs are exhausted, by what is still wrong: to a person where one has to know the field,
 * to the stronger model where this one is not able to, to a new decomposition where it is too much at once; else what
 * there is, if it is of use. What is unsafe then goes to a person, who has to know of it; all else fails with the
 * diagnosis. Without a defect no cause points anywhere, so only the last three are left: a gate stayed closed, or the
 * loop would not be here, and nobody may call that success.
 */
export function escalationFor(
  defects: readonly Defect[],
  given: {
    readonly hasStronger: boolean;
    readonly partialIsUseful: boolean;
    /** Of what there is; where absent, only the defects tell whether it is safe. */
    readonly scores?: Scores;
  },
): Escalation {
  const causes = new Set(defects.map(classify));
  if (defects.some(({ needsExpert }) => needsExpert === true)) return 'human-review';
  if (causes.has('capability-limit') && given.hasStronger) return 'model-upgrade';
  if (causes.has('complexity-exceeded')) return 're-decompose';
  if (given.partialIsUseful) return 'partial-commit';
  return defects.some(isUnsafe) || !((given.scores?.safety ?? 1) >= SAFE) ? 'human-review' : 'fail-with-diagnosis';
}

/** By its dimension too: the cause may be that nobody was able to mend it. */
function isUnsafe(defect: Defect): boolean {
  return defect.dimension === 'safety' || classify(defect) === 'safety-violation';
}

/**
 * Part of the work is better than none of it when it can be used as it is: there is something, it has the structure that
 * was asked for, it is safe, nothing in it is known to be unsafe, and it covers at least one requirement. How much is
 * missing does not matter: the commit says it.
 */
export function partialIsUseful(given: {
  readonly outputs: ExecutionOutputs;
  readonly scores: Scores;
  readonly schemaOk: boolean;
  readonly defects: readonly Defect[];
}): boolean {
  const { outputs, scores, schemaOk, defects } = given;
  const isThere = outputs.artefacts.some(({ text }) => text.trim() !== '');
  const isBarred = defects.some((defect) => isUnsafe(defect) || classify(defect) === 'schema-violation');
  return schemaOk && isThere && !isBarred && scores.safety >= SAFE && scores.completeness > 0;
}
