import { type Budget, type Clock, type Outcome, type Run, type Seams, systemClock, type ToolRef } from 'flyball';
import { type ToolLoopOptions, type ToolLoopResult, toolLoop } from 'flyball/loops';
import { type Script, type ScriptedModel, scriptedModel } from 'flyball/testing';
import { Stage } from '../runtime/stage.js';

export interface LoopRun {
  readonly outcome: Outcome<ToolLoopResult>;
  /** The result, whatever the outcome. */
  readonly result: ToolLoopResult;
  readonly model: ScriptedModel;
  readonly stage: Stage<Clock>;
}

/** Runs a loop of the session `worker` over a real runtime; only the model is scripted. */
export async function runLoop(
  replies: Script[string],
  options: Partial<Omit<ToolLoopOptions, 'session'>> & {
    readonly tools?: readonly ToolRef[];
    readonly seams?: Seams;
    readonly limits?: Partial<Budget>;
    readonly model?: ScriptedModel;
    readonly input?: string;
  } = {},
): Promise<LoopRun> {
  const { seams, limits, model = scriptedModel({ worker: replies }), input = 'Do the task.', ...loop } = options;
  const agent = toolLoop({ session: { name: 'worker', model, setup: 'You work with tools.' }, ...loop });
  const stage = new Stage<Clock>(systemClock()); // real tools take real time
  const life = stage.open((run: Run) => agent(run, input), seams === undefined ? {} : { seams });
  const outcome = (await life.start(null, limits)) as Outcome<ToolLoopResult>;
  const result = (
    'value' in outcome ? outcome.value : 'partial' in outcome ? outcome.partial : undefined
  ) as ToolLoopResult;
  return { outcome, result, model, stage };
}

/** A tool call as a model proposes it. */
export function proposes(
  name: string,
  args: unknown = {},
  id = `call_${name}`,
): {
  readonly toolCalls: readonly [{ readonly id: string; readonly name: string; readonly arguments: string }];
} {
  return { toolCalls: [{ id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }] };
}
