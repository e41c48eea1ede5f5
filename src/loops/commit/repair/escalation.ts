import type { Scores } from '../../../checks/contracts.js';
import type { Defect, ExecutionOutputs } from '../../../core/work.js';
import type { Escalation } from '../contracts.js';
import { classify } from './causes.js';

/**
 * How a loop is left whose repairs are exhausted, by what is still wrong: to a person where one has to know the field,
 * to the stronger model where this one is not able to, to a new decomposition where it is too much at once; else what
 * there is, if it is of use, and else the diagnosis.
 */
export function escalationFor(
  defects: readonly Defect[],
  given: { readonly hasStronger: boolean; readonly partialIsUseful: boolean },
): Escalation {
  const causes = new Set(defects.map(classify));
  if (defects.some(({ needsExpert }) => needsExpert === true)) return 'human-review';
  if (causes.has('capability-limit') && given.hasStronger) return 'model-upgrade';
  if (causes.has('complexity-exceeded')) return 're-decompose';
  return given.partialIsUseful ? 'partial-commit' : 'fail-with-diagnosis';
}

/** As strict as the rubric: nothing that is unsafe is given out as a part. */
const SAFE = 0.95;

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
  const isBarred = defects.some((defect) => ['safety-violation', 'schema-violation'].includes(classify(defect)));
  return schemaOk && isThere && !isBarred && scores.safety >= SAFE && scores.completeness > 0;
}
