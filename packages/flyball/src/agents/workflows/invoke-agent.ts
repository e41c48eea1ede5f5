import type { InputOf, OutputOf } from '../../core/agent-types.js';
import type { Outcome } from '../../core/outcome.js';
import type { Run } from '../../core/run.js';
import type { AgentResult } from '../single-shot.js';
import type { Registered } from './agent-registry.js';
import { dryInvocation } from './dry-invocation.js';
import { type Invocation, type InvokeOptions, invocationOf } from './invocation.js';
import type { Invoked } from './invoked.js';

/** What an invoked agent answers: the output of a defined agent, the value of any other. */
export type AnswerOf<G> = G extends { readonly invoke: (...given: never) => Promise<infer End> }
  ? Extract<End, { readonly stop: 'done' }> extends { readonly value: AgentResult<infer O> }
    ? O
    : unknown
  : OutputOf<G>;

/**
 * Invokes an agent as a child with its own scope and a part of the budget. After a crash, the outcome of a finished
 * child comes from the journal. The `depth` of the budget limits how deeply agents can invoke each other.
 */
export function invokeAgent<G extends Registered>(
  run: Run,
  agent: G,
  inputs: InputOf<G>,
  options: InvokeOptions = {},
): Promise<Outcome<Invoked<AnswerOf<G>>>> {
  return invokeNamed(run, { name: nameOf(agent), agent }, inputs, options);
}

function nameOf(agent: Registered): string {
  if ('name' in agent) return agent.name || 'agent';
  return agent.agent.name || 'agent';
}

/** The same for an agent that goes by another name than its own. */
export async function invokeNamed<O>(
  run: Run,
  { name, agent: found }: { readonly name: string; readonly agent: Registered },
  inputs: unknown,
  options: InvokeOptions,
): Promise<Outcome<Invoked<O>>> {
  const invocation = invocationOf(name, found, options);
  if (options.dryRun === true)
    return dryInvocation(run, { invocation, found, inputs, sample: options.sample }) as Promise<Outcome<Invoked<O>>>;
  const { agent, version, mode, slice } = invocation;
  run.note({ kind: 'agent-invoked', agent, version, mode });
  const outcome = await run.spawn(invocation.run, inputs as never, slice);
  return mapValues(outcome, (result) => answerOf<O>(invocation, result));
}

function answerOf<O>({ agent, version, mode }: Invocation, result: unknown): Invoked<O> {
  const isDefined = mode === 'iterative' || mode === 'once';
  const output = isDefined ? (result as { readonly output?: O }).output : (result as O);
  return { agent, version, mode, output: output as O, result };
}

function mapValues<A, B>(outcome: Outcome<A>, map: (value: A | Partial<A>) => B): Outcome<B> {
  if ('value' in outcome) return { ...outcome, value: map(outcome.value) };
  if ('partial' in outcome && outcome.partial !== undefined) return { ...outcome, partial: map(outcome.partial) };
  return outcome as Outcome<B>;
}
