import { type Agent, type Budget, type Clock, memoryStore, type Outcome, type Store, systemClock } from 'flyball';
import { type CommitLoopOptions, type CommitResult, commitLoop } from 'flyball/loops';
import { type ReplyFunction, type Script, type ScriptedModel, scriptedModel } from 'flyball/testing';
import type { Verdict } from '../../packages/flyball/src/core/approval.js';
import type { TaskSpec } from '../../packages/flyball/src/core/work.js';
import { type Life, RUN, Stage } from '../runtime/stage.js';

export const TASK: TaskSpec = {
  id: 'tide-1',
  goal: 'Say why tides turn twice a day.',
  requirements: ['name the moon'],
  taskClass: 'explanation',
};

/** Ordinary budgets are small; a commit loop is a long job. */
export const ROOMY: Partial<Budget> = { iterations: 200, modelCalls: 200, costUsd: 100, wallMs: 3_600_000 };

export const PLAN = JSON.stringify({
  goal: TASK.goal,
  steps: [{ id: 'explain', description: 'Explain it.', expectedOutcome: 'an explanation' }],
});

const DIMENSIONS = ['correctness', 'completeness', 'coherence', 'safety'] as const;
export type Measured = Partial<Record<(typeof DIMENSIONS)[number], number>>;

/** A judge's reply: everything is well, unless told otherwise. */
export function scored(
  given: Measured = {},
  more: { readonly gaps?: readonly string[]; readonly of?: readonly string[] } = {},
): string {
  const { gaps = [], of = DIMENSIONS } = more;
  const dimensions = of.map((name) => [
    name,
    { reasoning: `Looked at ${name}.`, score: given[name as keyof Measured] ?? 1 },
  ]);
  return JSON.stringify({ dimensions: Object.fromEntries(dimensions), missing: [], gaps });
}

/**
 * A judge that looks at what it is shown, however often it is asked: scores by dimension, and yes to the question
 * whether a defect is gone where all of them are at least 0.8.
 */
export function judging(
  measure: (shown: string) => Measured,
  gapsIn: (shown: string) => readonly string[] = () => [],
): ReplyFunction {
  return ({ messages, output }) => {
    const shown = messages.map(({ content }) => content).join('\n');
    const form = output as { readonly properties?: { readonly dimensions?: { readonly properties?: object } } };
    const of = Object.keys(form.properties?.dimensions?.properties ?? {});
    const measured = measure(shown);
    if (of.length > 0) return scored(measured, { of, gaps: gapsIn(shown) });
    const yes = DIMENSIONS.every((name) => (measured[name] ?? 1) >= 0.8);
    return JSON.stringify({ reasoning: 'Looked again.', yes });
  };
}

export interface SaidDefect {
  readonly description: string;
  readonly severity?: number;
  readonly line?: number;
  readonly cause?: string;
  readonly needsExpert?: boolean;
}

/** A critic's reply. */
export function criticized(...defects: readonly SaidDefect[]): string {
  return JSON.stringify({
    defects: defects.map(({ description, severity = 0.5, line, cause = 'logic-error', needsExpert = false }) => ({
      description,
      dimension: 'correctness',
      severity,
      artefact: 'answer',
      line: line ?? null,
      endLine: null,
      section: null,
      scope: line === undefined ? 'global' : 'bounded',
      cause,
      needsExpert,
      hint: 'mend it',
    })),
  });
}

export interface CommitRun {
  readonly outcome: Outcome<CommitResult>;
  readonly model: ScriptedModel;
  readonly stage: Stage<Clock>;
  readonly life: Life;
}

/** What people say, one after the other, to whatever is asked next. */
export type Said = readonly (readonly [by: string, verdict: Verdict])[];

export type CommitOptions = Partial<CommitLoopOptions> & {
  readonly stage?: Stage<Clock>;
  readonly task?: TaskSpec;
  readonly limits_?: Partial<Budget>;
  readonly store?: Store;
  readonly people?: Said;
  /** Waits in memory, so that a pause between two tries is not a suspension. */
  readonly stays?: boolean;
  /** Parts that need sessions of the scripted model. */
  readonly parts?: (session: ReturnType<typeof sessionsOf>) => Partial<CommitLoopOptions>;
  readonly model?: ScriptedModel;
};

/** Answers of a loop in which nothing goes wrong, for whatever a test does not script itself. */
export const SMOOTH: Script = {
  planner: () => PLAN,
  worker: () => 'Because of the moon.',
  judge: judging(() => ({})),
  critic: () => criticized(),
  repairer: () => 'Because of the moon and the sun.',
};

export function sessionsOf(model: ScriptedModel) {
  return (name: string) => ({ name, model, setup: `You are the ${name}.` });
}

export function loopWith(model: ScriptedModel, options: CommitOptions = {}): Agent<TaskSpec, CommitResult> {
  const {
    stage: _stage,
    task: _task,
    limits_: _limits,
    people: _people,
    model: _model,
    stays: _stays,
    parts,
    ...given
  } = options;
  const session = sessionsOf(model);
  return commitLoop({
    name: 'explainer',
    planner: { session: session('planner'), tools: [] },
    execution: { worker: { session: session('worker'), tools: [] } },
    verification: { judge: { session: session('judge') } },
    critic: { session: session('critic') },
    repair: { session: session('repairer') },
    exit: { novelty: 1 }, // a first task of its kind asks a person: not what most tests are about
    store: memoryStore(),
    ...given,
    ...parts?.(session),
  });
}

/** Runs a commit loop over a real runtime; only the model is scripted. */
export async function runCommit(script: Script = {}, options: CommitOptions = {}): Promise<CommitRun> {
  const model = options.model ?? scriptedModel({ ...SMOOTH, ...script });
  const stage = options.stage ?? new Stage<Clock>(systemClock());
  const loop = loopWith(model, options);
  const life = stage.open((run, input) => loop(run, input as TaskSpec), {
    options: { suspendAfterMs: options.stays === true ? 1e9 : 1 },
  });
  let outcome = (await life.start(options.task ?? TASK, { ...ROOMY, ...options.limits_ })) as Outcome<CommitResult>;
  for (const [from, verdict] of options.people ?? []) {
    await say(life, outcome, from, verdict);
    outcome = (await life.resume()) as Outcome<CommitResult>;
  }
  return { outcome, model, stage, life };
}

/** Answers what a suspended run asks. */
export async function say(life: Life, outcome: Outcome<unknown>, from: string, verdict: Verdict): Promise<void> {
  const waiting = outcome.stop === 'suspended' ? outcome.waiting[0] : undefined;
  if (waiting === undefined) throw new Error(`Nobody is asked: ${JSON.stringify(outcome)}`);
  await life.runtime.signal(RUN, waiting.token ?? '', verdict, { from, scopes: ['*'] });
}

/** The phases in order, as the journal tells them. */
export async function phasesOf(stage: Stage<Clock>, run?: string): Promise<readonly string[]> {
  const notes = await stage.events('note', run);
  return notes.flatMap(({ event }) => (event.kind === 'phase' ? [String(event['phase'])] : []));
}

/** What happened in the phases, as the journal tells it: `PLAN planned DECOMPOSE`. */
export async function courseOf(stage: Stage<Clock>, run?: string): Promise<readonly string[]> {
  const told = (await notesOf(stage, 'phase', run)).filter(({ event }) => event !== undefined);
  return told.map(({ from, event, phase }) => `${String(from)} ${String(event)} ${String(phase)}`);
}

/** The place of an effect among the phases: the scopes of patterns around it are left out. */
export function withoutPatterns(id: unknown): string {
  return String(id).replaceAll(/\/(commitLoop|untilApproved|reflexion|part|test)\.\d+/g, '');
}

/** Everything of a kind that the loop noted. */
export async function notesOf(
  stage: Stage<Clock>,
  kind: string,
  run?: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await stage.events('note', run)).flatMap(({ event }) => (event.kind === kind ? [event] : []));
}

/** The result of a run that has one. */
export function resultOf({ outcome }: Pick<CommitRun, 'outcome'>): CommitResult {
  if ('value' in outcome) return outcome.value;
  throw new Error(`There is no result: ${JSON.stringify(outcome)}`);
}
