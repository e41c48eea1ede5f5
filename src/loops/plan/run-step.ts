import { type Failure, FlyballError, failureOf } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import { append } from '../../core/prompt.js';
import type { MadeCall, Run } from '../../core/run.js';
import type { PlanStep, StepRecord } from '../../plans/plan.js';
import type { LoopParts } from '../tool-loop/loop-parts.js';
import { runToolLoop, type ToolLoopEnd, type ToolLoopResult } from '../tool-loop/tool-loop.js';
import { forcingOnce } from './forced-choice.js';
import { isChecked, missingTools, recordOf } from './step-check.js';
import { enforcedChoice, enforcingText, type StepGiven, stepPrompt } from './step-prompts.js';

export interface StepParts {
  readonly loop: LoopParts<string>;
  readonly maxReprompts: number;
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
  let end = await runToolLoop(run, parts.loop, stepPrompt(given));
  for (let attempts = 1; ; attempts++) {
    const { outcome } = end;
    if (outcome.stop !== 'done') return brokenOff(step, outcome, { calls: calls(), attempts });
    const missing = isChecked(step) ? missingTools(step, calls()) : [];
    const result = outcome.value.output ?? '';
    if (missing.length === 0) return { record: recordOf(step, calls(), { status: 'done', result, attempts }) };
    if (step.toolValidationMode === 'advisory') return warned(run, step, { missing, result, attempts, calls: calls() });
    if (attempts > parts.maxReprompts) return unverified(run, step, { missing, result, attempts, calls: calls() });
    run.note({ kind: 'step-validation', step: step.id, verdict: 'enforced', missing, attempt: attempts });
    end = await again(run.scope(`again-${attempts}`), parts.loop, end, missing);
  }
}

/** In the same conversation: what was said stands, and the first thing that follows is a call. */
function again(
  run: Run,
  loop: LoopParts<string>,
  { prompt }: ToolLoopEnd<string>,
  missing: readonly string[],
): Promise<ToolLoopEnd<string>> {
  // owned by the loop: the task that compaction spares is the step
  const told = append(prompt, { role: 'user', content: enforcingText(missing), owner: 'loop', trust: 'system' });
  const canForce = loop.textForm === undefined && missing.every((name) => loop.toolset.has(name));
  return runToolLoop(canForce ? forcingOnce(run, loop.session.name, enforcedChoice(missing)) : run, loop, told);
}

interface Unmet {
  readonly calls: readonly MadeCall[];
  readonly missing: readonly string[];
  readonly result: string;
  readonly attempts: number;
}

function warned(run: Run, step: PlanStep, { missing, result, attempts, calls }: Unmet): StepRun {
  const why = `it says that it is done, but ${missing.join(', ')} was not called with success`;
  run.note({ kind: 'step-validation', step: step.id, verdict: 'warned', missing, why });
  return { record: recordOf(step, calls, { status: 'done', result, attempts, why }) };
}

function unverified(run: Run, step: PlanStep, { missing, result, attempts, calls }: Unmet): StepRun {
  const why = `${missing.join(', ')} was not called with success, asked ${attempts} times`;
  run.note({ kind: 'step-validation', step: step.id, verdict: 'failed', missing, why });
  const failure = failureOf(
    new FlyballError('STEP_UNVERIFIED', `Step ${step.id}: ${why}.`, {
      detail: { step: step.id, missing: [...missing] },
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
