import type { VerificationVerdict } from '../../../checks/contracts.js';
import type { ExecutionOutputs, TaskSpec } from '../../../core/work.js';
import type { ExitReport } from '../contracts.js';
import { confidenceOf, featuresOf } from './confidence.js';
import { gatesOf } from './gates.js';
import { EXIT_DEFAULTS, type ExitSettings } from './settings.js';
import { type ScoreDemands, scoreThresholds } from './thresholds.js';
import { approvalTriggers, riskOf } from './triggers.js';

export interface ExitInput {
  readonly task: TaskSpec;
  /** Of these very outputs. */
  readonly verdict: VerificationVerdict;
  readonly outputs: ExecutionOutputs;
  /** Repairs it took. */
  readonly repairs: number;
  /** Names of actions that were or would be done and cannot be taken back. */
  readonly irreversible: readonly string[];
  /** From `noveltyOf`, over the tasks that were committed before. */
  readonly novelty: number;
  readonly budgetExceeded: boolean;
  readonly settings?: ExitSettings;
  /** What the rubric and the controller ask for beside the gates; their defaults where absent. */
  readonly demands?: Omit<ScoreDemands, 'gates'>;
}

/** All that the exit is decided on, in one record: gates, confidence, disposition and who has to be asked. */
export function exitReport(input: ExitInput): ExitReport {
  const { task, verdict, outputs, repairs, settings = EXIT_DEFAULTS } = input;
  const logProb = outputs.logProb === undefined ? {} : { logProb: outputs.logProb };
  const confidence = confidenceOf(featuresOf(verdict, { repairs, ...logProb }), settings.weights);
  const thresholds = scoreThresholds({ gates: settings.gates, ...input.demands });
  const triggers = approvalTriggers(
    {
      confidence,
      irreversible: input.irreversible,
      requiresApproval: task.requiresApproval === true,
      novelty: input.novelty,
      budgetExceeded: input.budgetExceeded,
      hasPartialOutput: outputs.artefacts.length > 0 || outputs.value !== undefined,
      safety: verdict.scores.safety,
    },
    { ...settings, gates: { ...settings.gates, ...thresholds.dimensions } },
  );
  return {
    gates: gatesOf(verdict, confidence, settings, thresholds),
    confidence,
    disposition: dispositionOf(confidence, settings),
    triggers,
    risk: riskOf(triggers),
  };
}

export function dispositionOf(
  confidence: number,
  { pAuto, pReview }: Pick<ExitSettings, 'pAuto' | 'pReview'> = EXIT_DEFAULTS,
): ExitReport['disposition'] {
  if (confidence >= pAuto) return 'auto-commit';
  return confidence >= pReview ? 'human-review' : 'reject';
}
