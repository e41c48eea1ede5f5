import type { MadeCall } from '../../core/run.js';
import type { ActualCall, PlanStep, StepRecord, StepStatus, ValidationStatus } from '../../plans/plan.js';

/** Required tools that the journal does not show as called with success. What the model says about calls counts nothing. */
export function missingTools({ requiredTools }: Pick<PlanStep, 'requiredTools'>, calls: readonly MadeCall[]) {
  return requiredTools.filter((name) => !calls.some(({ tool, ok }) => tool === name && ok));
}

/**
 * Codes after which asking for the call again would be wrong: a person or a guard said no, nobody answered, the fork may
 * not, or it may have taken place.
 */
const FINAL: ReadonlySet<string> = new Set([
  'APPROVAL_REJECTED',
  'NO_ANSWER',
  'DENIED',
  'NOT_SIMULATED',
  'EFFECT_IN_DOUBT',
]);

/** The call that settles that a missing tool is not asked for again: it took place, or its last answer was final. */
export function settledBy(missing: readonly string[], calls: readonly MadeCall[]): MadeCall | undefined {
  for (const name of missing) {
    const own = calls.filter(({ tool }) => tool === name);
    const last = own.at(-1);
    const settled = own.find(({ tookPlace }) => tookPlace) ?? (FINAL.has(last?.code ?? '') ? last : undefined);
    if (settled !== undefined) return settled;
  }
  return undefined;
}

/** What became of the calls of these tools, for whoever reads why a step is not done. */
export function callsText(missing: readonly string[], calls: readonly MadeCall[]): string {
  return missing.map((name) => `${name} ${fateOf(calls.filter(({ tool }) => tool === name))}`).join(', ');
}

function fateOf(calls: readonly MadeCall[]): string {
  const code = calls.at(-1)?.code ?? 'no reason given';
  if (calls.some(({ tookPlace }) => tookPlace)) return `took place, but its result was refused (${code})`;
  return calls.length === 0 ? 'was not called' : `was called and failed (${code})`;
}

/** Required tools whose results all come from somebody else than the tool. */
export function standInsFor({ requiredTools }: PlanStep, calls: readonly MadeCall[], asks: (tool: string) => boolean) {
  return requiredTools.flatMap((name) => {
    const succeeded = calls.filter(({ tool, ok }) => tool === name && ok);
    const [first] = succeeded;
    // a tool that asks a person is answered by one: there is nothing to tell
    if (first?.standIn === undefined || succeeded.some(({ standIn }) => standIn === undefined)) return [];
    return first.standIn === 'person' && asks(name) ? [] : [{ tool: name, standIn: first.standIn }];
  });
}

function actual({ tool, args, argsCut, result, ok, effect, tookPlace, code, standIn, declined }: MadeCall): ActualCall {
  return {
    tool,
    args,
    ...(argsCut === undefined ? {} : { argsCut }),
    result,
    ok,
    effect,
    tookPlace,
    ...(code === undefined ? {} : { code }),
    ...(standIn === undefined ? {} : { standIn }),
    ...(declined === undefined ? {} : { declined }),
  };
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
    actualToolCalls: calls.map(actual),
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
