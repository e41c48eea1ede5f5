import { type Budget, type Clock, type Outcome, type Run, type Seams, systemClock } from 'flyball';
import { type ToolLoopOptions, type ToolLoopResult, toolLoop } from 'flyball/loops';
import { type Script, type ScriptedModel, type ScriptedReply, scriptedModel } from 'flyball/testing';
import { type Toolset, toolRegistry } from 'flyball/tools';
import type { ReplyParts } from '../../packages/flyball/src/testing/script.js';
import { governance } from '../../packages/flyball/src/tools/governance/index.js';
import { Stage } from '../runtime/stage.js';

export interface LoopRun {
  readonly outcome: Outcome<ToolLoopResult>;
  /** The result, whatever the outcome. */
  readonly result: Ended;
  readonly model: ScriptedModel;
  readonly stage: Stage<Clock>;
}

export type LoopOptions = Partial<Omit<ToolLoopOptions, 'session'>> & {
  readonly seams?: Seams;
  readonly limits?: Partial<Budget>;
  readonly model?: ScriptedModel;
  readonly input?: string;
  /** Asks the runtime to stream, and hears what is said. */
  readonly onDelta?: (delta: unknown) => void;
};

/**
 * Runs a loop of the session `worker` over a real runtime, registry and governance, unless seams are given; only the
 * model is scripted.
 */
export async function runLoop(replies: Script[string], options: LoopOptions = {}): Promise<LoopRun> {
  const {
    seams,
    limits,
    model = scriptedModel({ worker: replies }),
    input = 'Do the task.',
    onDelta,
    ...loop
  } = options;
  const tools = viewOf(loop.tools);
  const agent = toolLoop({ session: { name: 'worker', model, setup: 'You work with tools.' }, ...loop, tools });
  const stage = new Stage<Clock>(systemClock()); // real tools take real time
  const life = stage.open((run: Run) => agent(run, input), { seams: seams ?? governed(tools) });
  if (onDelta !== undefined) life.runtime.subscribeDeltas((_run, _effect, _attempt, delta) => onDelta(delta));
  const outcome = (await life.start(null, limits)) as Outcome<ToolLoopResult>;
  return { outcome, result: resultIn(outcome), model, stage };
}

/** The tools as a session gets them: a view of the real registry. */
function viewOf(tools: LoopOptions['tools'] = []): Toolset {
  return 'narrow' in tools ? tools : toolRegistry(tools).toolset();
}

/** The real guards, all of them, around tools that are let do what they are asked for. */
export function governed({ tools }: Pick<Toolset, 'tools'>): Seams {
  const rateLimit = { perMinute: 1000, burst: 1000 }; // a scripted model is faster than any real one
  return governance({ clock: systemClock(), tools, autonomy: 'autonomous', rateLimit });
}

/** A loop that ends without an answer has everything else. */
type Ended = Omit<ToolLoopResult, 'output'> & { readonly output?: string };

export function resultIn(outcome: Outcome<ToolLoopResult>): Ended {
  if ('value' in outcome) return outcome.value;
  if ('partial' in outcome && outcome.partial !== undefined) return outcome.partial as Ended;
  throw new Error(`There is no result: ${JSON.stringify(outcome)}`);
}

/** A tool call as a model proposes it. */
export interface Proposed {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export function call(name: string, args: unknown = {}, id = `call_${name}`): Proposed {
  return { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

/** A reply that proposes one call. */
export function proposes(name: string, args: unknown = {}, id = `call_${name}`): ReplyParts {
  return { toolCalls: [call(name, args, id)] };
}

/** A reply that proposes several, in this order. */
export function proposesAll(...calls: readonly Proposed[]): ReplyParts {
  return { toolCalls: calls };
}

/** Answers every call, however many there are; `n` counts them from 1. */
export function forEver(reply: (n: number) => ScriptedReply): Script[string] {
  return (_request, n) => reply(n);
}
