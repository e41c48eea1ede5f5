import type { Consistency, CritiqueDiagnosis, Subject } from '../../../checks/contracts.js';
import type { Run } from '../../../core/run.js';
import type { Session } from '../../../core/session.js';
import type { Defect, ExecutionOutputs } from '../../../core/work.js';
import type { Escalation, RepairEntry, Strategy } from '../contracts.js';
import type { Workpiece } from '../workpiece.js';
import type { RepairRates } from './rates.js';
import type { LoopRule, RepairMemory } from './repair-memory.js';

/** What repairs cost, over the whole loop: attempts, money and time. */
export interface RepairSpent {
  readonly attempts: number;
  readonly costUsd: number;
  readonly ms: number;
}

export interface RepairParts {
  readonly session: Session;
  /** Asked where the first one is not able to. */
  readonly stronger?: Session;
  readonly workpiece: Workpiece;
  /** Looks at one defect again: true where it is gone. */
  verifyDefect(run: Run, subject: Subject, defect: Defect): Promise<boolean>;
  /** Lines around a defect that a minimal edit may change. 8 where absent. */
  readonly radius?: number;
  /** Whichever is reached first ends the repairs. */
  readonly budget: RepairSpent;
  /** Above 0.95 in the last 5 rounds where absent. */
  readonly loop?: LoopRule;
  /** `textSimilarity` where absent. */
  similarity?(a: string, b: string): number;
}

export interface RepairInput {
  readonly subject: Subject;
  readonly diagnosis: CritiqueDiagnosis;
  /** What the controller asks for: 0 to 1. */
  readonly intensity: number;
  fromIntensity(intensity: number): Strategy;
  readonly rates: RepairRates;
  /** `memory` of every round before this one, oldest first. */
  readonly history: readonly RepairMemory[];
  /** `spent` of the round before this one. */
  readonly spent: RepairSpent;
  /** What a person wants changed. It is repaired like a defect that concerns everything, before all others. */
  readonly feedback?: string;
  /** What others answered to the same task, where VERIFY sampled it. */
  readonly consistency?: Consistency;
  /** How many loops were detected so far. */
  readonly wayOut: number;
  /** There is somewhere to look. False: what is missing is repaired with what there is. True where absent. */
  readonly mayRetrieve?: boolean;
}

/**
 * repaired: it ended within its budget; whether all is well is for VERIFY to say. retrieval-gap: `queries` have to be
 * asked first. complexity: it has to be divided. exhausted: `escalation` says how to go on.
 */
export interface RepairResult {
  readonly kind: 'repaired' | 'retrieval-gap' | 'exhausted' | 'complexity';
  readonly outputs: ExecutionOutputs;
  /** Some artefact is not what it was when the round began. */
  readonly changed: boolean;
  /** What the person wanted is there; where it is not, it is among `remaining`. Absent without feedback. */
  readonly feedbackResolved?: boolean;
  readonly entries: readonly RepairEntry[];
  readonly rates: RepairRates;
  readonly queries?: readonly string[];
  readonly escalation?: Escalation;
  /** Defects that are still there, as far as they were looked at again. */
  readonly remaining: readonly Defect[];
  /** With everything up to this round. */
  readonly spent: RepairSpent;
  readonly memory: RepairMemory;
  readonly wayOut: number;
}
