import {
  type Agent,
  budget,
  createRuntime,
  done,
  type JsonSchema,
  type Model,
  memoryEngine,
  type Run,
  type ToolCall,
  type ToolRef,
} from 'flyball';
import { onTestFinished } from 'vitest';
import type {
  CallResult,
  HeardTurn,
  Move,
  Setting,
  Speaker,
} from '../../packages/flyball/src/agents/policies/conversation-policy.js';

/** A tool that a model is offered; what it does is up to the test. */
export function offered(name: string, execute: (args: Record<string, unknown>) => string = () => 'ok'): ToolRef {
  const inputJsonSchema: JsonSchema = { type: 'object' };
  return {
    name,
    description: `The tool ${name}.`,
    effect: 'idempotent',
    inputJsonSchema,
    execute: async (args: Record<string, unknown>) => execute(args),
  };
}

export function setting(model: Model, tools: readonly ToolRef[], more: Partial<Setting> = {}): Setting {
  return { model, policy: 'Be fair.', tools, ...more };
}

export function words(text: string): HeardTurn {
  return { kind: 'words', text };
}

/** Results of a move's calls, all with the same content, or by the name of the tool. */
export function results(
  calls: readonly ToolCall[],
  content: string | ((call: ToolCall) => string | Partial<CallResult>) = 'ok',
): HeardTurn {
  const given = (call: ToolCall) => (typeof content === 'string' ? content : content(call));
  return {
    kind: 'results',
    results: calls.map((call) => {
      const one = given(call);
      const parts = typeof one === 'string' ? { content: one } : one;
      return { id: call.id, name: call.name, content: '', failed: false, ...parts };
    }),
  };
}

let ids = 0;
export function call(name: string, args: Readonly<Record<string, unknown>> = {}): ToolCall {
  return { id: `c${++ids}`, name, arguments: JSON.stringify(args) };
}

/** Runs code that needs a run, in memory. */
export async function inRun<T>(body: (run: Run) => Promise<T>): Promise<T> {
  const kept: { value?: T } = {};
  const agent: Agent<unknown, null> = async (run) => {
    kept.value = await body(run);
    return done(null);
  };
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent } });
  onTestFinished(() => runtime.close());
  const outcome = await (await runtime.start('agent', null, { budget: budget({}) })).outcome();
  if (outcome.stop !== 'done') throw new Error(JSON.stringify(outcome));
  return kept.value as T;
}

/** Lets a speaker take its turns: each is given what it hears, as made from its last move. */
export async function converse(
  speaker: Speaker,
  turns: readonly (HeardTurn | ((last: Move) => HeardTurn))[],
): Promise<readonly Move[]> {
  return inRun(async (run) => {
    const moves: Move[] = [];
    for (const turn of turns) {
      const last = moves.at(-1);
      const heard = typeof turn === 'function' ? turn(last as Move) : turn;
      moves.push(await speaker.take(run, heard));
    }
    return moves;
  });
}
