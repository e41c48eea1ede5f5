import { type Budget, type Clock, type Outcome, type Run, type Seams, systemClock, type ToolRef } from 'flyball';
import { type PlanRequest, type PlanResult, toolAwarePlan } from 'flyball/loops';
import type { PlanStep } from 'flyball/plans';
import { type Script, type ScriptedModel, scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import type { ExecutionParts, PlannerParts } from '../../packages/flyball/src/loops/plan/parts.js';
import type { PlanProofs } from '../../packages/flyball/src/loops/plan/prove-output.js';
import { governed } from '../loops/stage-loop.js';
import { Stage } from '../runtime/stage.js';

/** A note as the journal holds it. */
export interface Note {
  readonly kind: string;
  readonly [key: string]: unknown;
}

export interface PlanRun {
  readonly outcome: Outcome<PlanResult>;
  readonly result: PlanResult;
  readonly model: ScriptedModel;
  readonly stage: Stage<Clock>;
  /** What the agent told, by kind. */
  notes(kind: string): readonly Note[];
}

export interface PlanOptions {
  readonly tools?: readonly ToolRef[];
  readonly planner?: Partial<PlannerParts>;
  readonly replanner?: Partial<PlannerParts>;
  readonly execution?: Partial<ExecutionParts>;
  readonly worker?: Partial<ExecutionParts['worker']>;
  readonly input?: string | PlanRequest;
  readonly limits?: Partial<Budget>;
  readonly seams?: Seams;
  readonly model?: ScriptedModel;
  readonly output?: PlanProofs;
}

/** The agent over sessions `planner`, `replanner` and `worker`; a replanner is there when it is given or scripted. */
export function planAgent(model: ScriptedModel, options: PlanOptions = {}, hasReplanner = false) {
  const { tools = [] } = options;
  const replanner = { session: { name: 'replanner', model }, tools, ...options.replanner };
  return toolAwarePlan({
    ...(options.output === undefined ? {} : { output: options.output }),
    planner: { session: { name: 'planner', model }, tools, ...options.planner },
    execution: {
      worker: { session: { name: 'worker', model, setup: 'You work with tools.' }, tools, ...options.worker },
      ...(hasReplanner || options.replanner !== undefined ? { replanner } : {}),
      ...options.execution,
    },
  });
}

/** Plans and carries out over a real runtime and real governance; only the model is scripted. */
export async function runPlan(script: Script, options: PlanOptions = {}): Promise<PlanRun> {
  const { tools = [], input = 'Do it.', limits, seams, model = scriptedModel(script) } = options;
  const agent = planAgent(model, options, 'replanner' in script);
  const stage = new Stage<Clock>(systemClock()); // real tools take real time
  const life = stage.open((run: Run) => agent(run, input), { seams: seams ?? governed({ tools }) });
  const outcome = (await life.start(null, { iterations: 100, ...limits })) as Outcome<PlanResult>;
  const all = (await stage.events('note')).map(({ event }) => event as Note);
  return {
    outcome,
    result: resultIn(outcome),
    model,
    stage,
    notes: (kind) => all.filter((note) => note.kind === kind),
  };
}

function resultIn(outcome: Outcome<PlanResult>): PlanResult {
  if ('value' in outcome) return outcome.value;
  if ('partial' in outcome && outcome.partial !== undefined) return outcome.partial as PlanResult; // a plan tells how far it came whatever stops it
  return { plan: { goal: '', shape: 'ordered', steps: [] }, records: [], revisions: [], output: '', completed: false };
}

/** A step as a planner writes it. */
export function toolStep(
  id: string,
  tools: string | readonly string[],
  more: Partial<PlanStep> = {},
): Partial<PlanStep> {
  return {
    id,
    description: `Do ${id}.`,
    stepType: 'tool',
    requiredTools: [tools].flat(),
    expectedOutcome: `${id} is done`,
    toolValidationMode: 'strict',
    ...more,
  };
}

export function thinking(id: string, more: Partial<PlanStep> = {}): Partial<PlanStep> {
  return { id, description: `Think about ${id}.`, stepType: 'reasoning', ...more };
}

/** What a planner says. */
export function planText(steps: readonly Partial<PlanStep>[], more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ goal: 'Do it.', shape: 'ordered', steps, ...more });
}

/** Tools that keep a list of what they were really made to do. */
export function recordedTools(...names: readonly string[]) {
  const done: string[] = [];
  const tools = names.map((name) =>
    tool({
      name,
      description: `Does ${name}. Not for anything else.`,
      effect: 'pure',
      input: { type: 'object', properties: { x: { type: 'string' } } },
      retry: { retries: 0 },
      execute: async ({ x }) => {
        done.push(x === undefined ? name : `${name} ${String(x)}`);
        return `${name} says ${x === undefined ? 'ok' : String(x)}`;
      },
    }),
  ) as unknown as readonly DefinedTool[];
  return { done, tools };
}

/** The last message of a request. */
export function lastOf(model: ScriptedModel, session: string, n: number): string {
  return model.requestsOf(session)[n - 1]?.messages.at(-1)?.content ?? '';
}
