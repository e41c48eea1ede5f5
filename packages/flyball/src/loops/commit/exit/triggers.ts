import type { Risk } from '../../../core/approval.js';
import type { ApprovalTrigger } from '../contracts.js';
import { reaches } from './gates.js';
import type { ExitSettings } from './settings.js';

/** What the triggers look at. */
export interface TriggerInput {
  readonly confidence: number;
  /** Names of actions that were or would be done and cannot be taken back. */
  readonly irreversible: readonly string[];
  readonly requiresApproval: boolean;
  readonly novelty: number;
  readonly budgetExceeded: boolean;
  readonly hasPartialOutput: boolean;
  readonly safety: number;
}

type Fires = (input: TriggerInput, settings: ExitSettings) => boolean;

/** Written so that NaN asks a person: a comparison that cannot be made is no reason to go on alone. */
const TRIGGERS: Readonly<Record<ApprovalTrigger, Fires>> = {
  'confidence-below-auto-commit': ({ confidence }, { pAuto }) => !(confidence >= pAuto),
  'irreversible-mutation': ({ irreversible }) => irreversible.length > 0,
  'task-requires-approval': ({ requiresApproval }) => requiresApproval,
  'novel-task': ({ novelty }, settings) => !(novelty <= settings.novelty),
  'budget-exceeded-with-partial-output': ({ budgetExceeded, hasPartialOutput }) => budgetExceeded && hasPartialOutput,
  'safety-below-gate': ({ safety }, { gates }) => !reaches(safety, gates.safety),
};

/** Every reason for which a person has to approve. No model has a say in it, and no score outweighs one. */
export function approvalTriggers(input: TriggerInput, settings: ExitSettings): readonly ApprovalTrigger[] {
  return (Object.keys(TRIGGERS) as ApprovalTrigger[]).filter((name) => TRIGGERS[name](input, settings));
}

const RISK_OF: Readonly<Record<ApprovalTrigger, Risk>> = {
  'confidence-below-auto-commit': 'medium',
  'irreversible-mutation': 'high',
  'task-requires-approval': 'medium',
  'novel-task': 'medium',
  'budget-exceeded-with-partial-output': 'medium',
  'safety-below-gate': 'critical',
};

const BY_GRAVITY: readonly Risk[] = ['critical', 'high', 'medium'];

/** The gravest of its reasons. */
export function riskOf(triggers: readonly ApprovalTrigger[]): Risk {
  return BY_GRAVITY.find((risk) => triggers.some((trigger) => RISK_OF[trigger] === risk)) ?? 'low';
}
