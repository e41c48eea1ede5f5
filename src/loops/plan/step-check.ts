import type { MadeCall } from '../../core/run.js';
import type { PlanStep, StepRecord, StepStatus, ValidationStatus } from '../../plans/plan.js';

/** Required tools that the journal does not show as called with success. What the model says about calls counts nothing. */
export function missingTools({ requiredTools }: Pick<PlanStep, 'requiredTools'>, calls: readonly MadeCall[]) {
  return requiredTools.filter((name) => !calls.some(({ tool, ok }) => tool === name && ok));
}

/** Only a tool step that names its tools is checked. */
export function isChecked({ stepType, requiredTools }: PlanStep): boolean {
  return stepType === 'tool' && requiredTools.length > 0;
}

export interface StepEnd {
  readonly status: StepStatus;
  readonly result: string;
  readonly attempts: number;
  readonly why?: string;
}

export function recordOf(step: PlanStep, calls: readonly MadeCall[], end: StepEnd): StepRecord {
  const missing = isChecked(step) ? missingTools(step, calls) : [];
  return {
    id: step.id,
    status: end.status,
    validationStatus: validationOf(step, missing, end),
    actualToolCalls: calls.map(({ tool, ok, effect }) => ({ tool, ok, effect })),
    missingTools: missing,
    result: end.result,
    attempts: end.attempts,
    ...(end.why === undefined ? {} : { why: end.why }),
  };
}

function validationOf(step: PlanStep, missing: readonly string[], { attempts }: StepEnd): ValidationStatus {
  if (!isChecked(step) || attempts === 0) return 'skipped';
  return missing.length === 0 ? 'passed' : 'failed';
}

/** A step that never began: skipped by a branch, cancelled by a new plan, or blocked. */
export function notRun(id: string, status: StepStatus, why: string): StepRecord {
  return {
    id,
    status,
    validationStatus: 'skipped',
    actualToolCalls: [],
    missingTools: [],
    result: '',
    attempts: 0,
    why,
  };
}
