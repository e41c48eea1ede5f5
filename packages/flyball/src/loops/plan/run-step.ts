import { type ErrorCode, type Failure, FlyballError, failureOf } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import { append } from '../../core/prompt.js';
import type { MadeCall, Run } from '../../core/run.js';
import type { PlanStep, StepRecord } from '../../plans/plan.js';
import type { LoopParts } from '../tool-loop/loop-parts.js';
import type { ToolLoopResult } from '../tool-loop/termination.js';
import { runToolLoop, type ToolLoopEnd } from '../tool-loop/tool-loop.js';
import { effectKindOf } from './effect-kind.js';
import { forcingOnce } from './forced-choice.js';
import { heedingNo, isNo, noText, standingNo } from './heed-no.js';
import { callsText, isChecked, missingTools, recordOf, settledBy, standInsFor } from './step-check.js';
import { enforcedChoice, enforcingText, type StepGiven, stepPrompt } from './step-prompts.js';

export interface StepParts {
  readonly loop: LoopParts<string>;
  readonly maxReprompts: number;
  /** The plan says itself what follows a no to this step's question. */
  readonly branchesOnAnswer: boolean;
  /** A person said no somewhere in this plan. */
  heardNo(): boolean;
}

/** What became of a step. `bound` is a bound of the run: then there is no point in trying something else. */
export interface StepRun {
  readonly record: StepRecord;
  readonly failure?: Failure;
  readonly bound?: { readonly name: string; readonly limit: number };
}

/** Carries one step out in a scope of its own, so that the calls of the scope are exactly what the step did. */
export async function runStep(run: Run, parts: StepParts, given: StepGiven): Promise<StepRun> {
  const { step } = given;
  const earlier = run.calls().length; // somebody may have used a scope of this name before
  const calls = (): readonly MadeCall[] => run.calls().slice(earlier);
  const held = heedingNo(run, calls);
  let end = await runToolLoop(held, parts.loop, stepPrompt(given));
  for (let attempts = 1; ; attempts++) {
    const { outcome } = end;
    if (outcome.stop !== 'done') return brokenOff(step, outcome, { calls: calls(), attempts });
    const no = standingNo(calls());
    if (no !== undefined && !(parts.branchesOnAnswer && no.declined === true))
      return refused(run, step, no, { result: outcome.value.output ?? '', attempts, calls: calls() });
    const missing = isChecked(step) ? missingTools(step, calls()) : [];
    const result = outcome.value.output ?? '';
    const unmet = { missing, result, attempts, calls: calls() };
    if (missing.length === 0) return passed(run, parts, step, unmet);
    if (step.toolValidationMode === 'advisory') return warned(run, step, unmet);
    const settled = settledBy(missing, unmet.calls);
    if (settled !== undefined) return notAgain(run, step, unmet, settled);
    if (attempts > parts.maxReprompts || !mayForce(parts, missing, unmet.calls)) return unverified(run, step, unmet);
    run.note({ kind: 'step-validation', step: step.id, verdict: 'enforced', missing, attempt: attempts });
    end = await again(held.scope(`again-${attempts}`), parts.loop, end, unmet);
  }
}

/** In the same conversation: what was said stands, and the first thing that follows is a call. */
function again(
  run: Run,
  loop: LoopParts<string>,
  { prompt }: ToolLoopEnd<string>,
  { missing, calls }: Unmet,
): Promise<ToolLoopEnd<string>> {
  // owned by the loop: the task that compaction spares is the step
  const told = append(prompt, { role: 'user', content: enforcingText(missing, calls), owner: 'loop', trust: 'system' });
  const canForce = loop.textForm === undefined && missing.every((name) => loop.toolset.has(name));
  return runToolLoop(canForce ? forcingOnce(run, loop.session.name, enforcedChoice(missing)) : run, loop, told);
}

/** After a no nothing that changes something is forced, wherever in the plan it was said. */
function mayForce({ loop, heardNo }: StepParts, missing: readonly string[], calls: readonly MadeCall[]): boolean {
  if (!heardNo() && !calls.some(isNo)) return true;
  return missing.every((name) => {
    const tool = loop.toolset.get(name);
    return tool !== undefined && effectKindOf(tool) === 'pure';
  });
}

interface Unmet {
  readonly calls: readonly MadeCall[];
  readonly missing: readonly string[];
  readonly result: string;
  readonly attempts: number;
}

/** A result that no tool gave passes like any other, and is told. */
function passed(run: Run, { loop }: StepParts, step: PlanStep, { result, attempts, calls }: Unmet): StepRun {
  const standIns = isChecked(step)
    ? standInsFor(step, calls, (name) => loop.toolset.get(name)?.asks !== undefined)
    : [];
  if (standIns.length > 0) run.note({ kind: 'step-validation', step: step.id, verdict: 'stood-in', standIns });
  return { record: recordOf(step, calls, { status: 'done', result, attempts }) };
}

function warned(run: Run, step: PlanStep, { missing, result, attempts, calls }: Unmet): StepRun {
  const why = `it says that it is done, but ${callsText(missing, calls)}`;
  run.note({ kind: 'step-validation', step: step.id, verdict: 'warned', missing, why });
  return { record: recordOf(step, calls, { status: 'done', result, attempts, why }) };
}

function unverified(run: Run, step: PlanStep, { missing, result, attempts, calls }: Unmet): StepRun {
  const why = `${callsText(missing, calls)}, asked ${attempts} times`;
  run.note({ kind: 'step-validation', step: step.id, verdict: 'failed', missing, why });
  const failure = failureOf(
    new FlyballError('STEP_UNVERIFIED', `Step ${step.id}: ${why}.`, {
      detail: { step: step.id, missing: [...missing] },
    }),
  );
  return { record: recordOf(step, calls, { status: 'failed', result, attempts, why }), failure };
}

/** A no is an end: the step is not done, nobody is asked again, and what depends on it does not begin. */
function refused(run: Run, step: PlanStep, no: MadeCall, { result, attempts, calls }: Omit<Unmet, 'missing'>): StepRun {
  const why = noText(no);
  run.note({ kind: 'step-validation', step: step.id, verdict: 'declined', why });
  const message = `Step ${step.id}: ${why}. Nothing that depends on it runs.`;
  const failure = failureOf(
    new FlyballError('APPROVAL_REJECTED', message, { detail: { step: step.id, tool: no.tool, effect: no.effect } }),
  );
  return { record: recordOf(step, calls, { status: 'blocked', result, attempts, why }), failure };
}

/** What took place is not done twice, and who said no is not asked again: the step fails with what the call failed with. */
function notAgain(
  run: Run,
  step: PlanStep,
  { missing, result, attempts, calls }: Unmet,
  { tool, code, effect }: MadeCall,
): StepRun {
  const why = callsText(missing, calls);
  run.note({ kind: 'step-validation', step: step.id, verdict: 'failed', missing, why });
  const failure = failureOf(
    // codes of calls come from failures, so that they are codes of errors
    new FlyballError((code ?? 'STEP_UNVERIFIED') as ErrorCode, `Step ${step.id}: ${why}. It is not asked for again.`, {
      detail: { step: step.id, missing: [...missing], tool, effect },
    }),
  );
  return { record: recordOf(step, calls, { status: 'failed', result, attempts, why }), failure };
}

type BrokenOff = Exclude<Outcome<ToolLoopResult>, { readonly stop: 'done' }>;

/** A loop that did not complete is a step that failed, whatever it had called by then. */
function brokenOff(
  step: PlanStep,
  outcome: BrokenOff,
  { calls, attempts }: Pick<Unmet, 'calls' | 'attempts'>,
): StepRun {
  const loop = 'value' in outcome ? outcome.value : 'partial' in outcome ? outcome.partial : undefined;
  const why = `its loop ended without an answer (${loop?.termination ?? outcome.stop}): ${loop?.why ?? 'no reason given'}`;
  const record = recordOf(step, calls, { status: 'failed', result: loop?.rawText ?? '', attempts, why });
  const failure = failureFor(step, outcome, why);
  const isRunsBound = loop?.termination === 'budget_exceeded' || loop?.termination === 'duration_exceeded';
  if (outcome.stop !== 'bounded' || !isRunsBound) return { record, failure };
  return { record, failure, bound: { name: outcome.bound, limit: outcome.limit } };
}

const CODES = { bounded: 'BOUND_REACHED', blocked: 'MODEL_REJECTED', degraded: 'REPLY_INVALID' } as const;

function failureFor(step: PlanStep, outcome: BrokenOff, why: string): Failure {
  if (outcome.stop === 'failed') return outcome.failure;
  const code = outcome.stop in CODES ? CODES[outcome.stop as keyof typeof CODES] : 'EFFECT_FAILED';
  return failureOf(new FlyballError(code, `Step ${step.id}: ${why}.`));
}
