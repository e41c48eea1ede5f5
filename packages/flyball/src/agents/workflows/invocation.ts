import type { BudgetSlice } from '../../core/budget.js';
import { ConfigError } from '../../core/errors.js';
import type { Agent } from '../../core/run.js';
import type { JsonSchema } from '../../core/schema.js';
import { schemaOfFields } from '../fields.js';
import { isDefined, type Registered } from './agent-registry.js';
import { workflowMark } from './workflow-mark.js';

/** How an agent is invoked: with its tools until there is an answer, in one model call, or as the function it is. */
export type InvocationMode = 'iterative' | 'once' | 'workflow' | 'function';

/** Options of `invokeAgent`. */
export interface InvokeOptions {
  /** The child's part of the budget. Where it is absent: the agent's own bounds, or half of what is left. */
  readonly slice?: BudgetSlice;
  /** Where it is absent: iterative for an agent that has tools, once for one that has none. */
  readonly mode?: 'iterative' | 'once';
  /** Calls no model and no tool, and answers what would be invoked. */
  readonly dryRun?: boolean;
  /** Stands for the output in a dry run; where it is absent it is made up from the outputs that the agent declares. */
  readonly sample?: unknown;
}

/** Everything about an invocation that can be known before it takes place. */
export interface Invocation {
  readonly agent: string;
  readonly version: string;
  readonly mode: InvocationMode;
  readonly slice: BudgetSlice;
  /** What the child runs. */
  readonly run: Agent<never, unknown>;
  readonly inputs: JsonSchema | undefined;
  readonly outputs: JsonSchema | undefined;
}

/** For an agent without bounds of its own: whatever it does, as much is left for the others. */
const DEFAULT_SLICE: BudgetSlice = { share: 0.5 };

export function invocationOf(name: string, found: Registered, { slice, mode }: InvokeOptions): Invocation {
  if (!isDefined(found)) return ofFunction(name, found, { slice, mode });
  const { spec, version, budget } = found;
  const chosen = mode ?? ((spec.tools ?? []).length > 0 ? 'iterative' : 'once');
  return {
    agent: name,
    version,
    mode: chosen,
    slice: slice ?? sliceOf(budget),
    run: namedAgent<unknown>(name, chosen === 'iterative' ? found.invokeIterative : found.invoke),
    inputs: spec.inputs === undefined ? undefined : schemaOfFields(spec.inputs, 'refuse'),
    outputs: found.outputJsonSchema ?? (spec.outputs === undefined ? undefined : schemaOfFields(spec.outputs, 'allow')),
  };
}

function ofFunction(
  name: string,
  found: Exclude<Registered, { readonly spec: unknown }>,
  { slice, mode }: { readonly slice: BudgetSlice | undefined; readonly mode: InvokeOptions['mode'] },
): Invocation {
  const mark = workflowMark(found);
  const kind = mark === undefined ? 'function' : 'workflow';
  if (mode !== undefined)
    throw new ConfigError(`"${name}" is a ${kind} and decides itself how it works: invoke it without mode "${mode}".`);
  const [run, version] = typeof found === 'function' ? [found, '1'] : [found.agent, found.version];
  const inputs = mark?.inputs;
  return {
    agent: name,
    version,
    mode: kind,
    slice: slice ?? sliceOf(mark?.budget ?? {}),
    run: namedAgent(name, run),
    inputs,
    outputs: undefined,
  };
}

/** Children are called what their function is called. */
export function namedAgent<O>(name: string, agent: Agent<never, O>): Agent<never, O> {
  const child: Agent<never, O> = (run, input) => agent(run, input);
  return Object.defineProperty(child, 'name', { value: name });
}

function sliceOf(budget: BudgetSlice): BudgetSlice {
  return Object.keys(budget).length > 0 ? budget : DEFAULT_SLICE;
}
