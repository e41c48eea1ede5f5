import type { ChildSlice } from '../core/child-slice.js';
import { ConfigError } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import type { AgentLike } from '../core/run.js';
import type { Delegation } from '../core/tool.js';
import { toolFrom } from './define-tool.js';
import type { ArgsOf, DefinedTool, GivenOf, ToolInput, ToolParts } from './tool-definition.js';

type Handed<S extends ToolInput, T> = Omit<
  ToolParts<S, T>,
  'execute' | 'asks' | 'delegates' | 'transfers' | 'polls' | 'retry' | 'timeoutMs'
>;

/** A tool that another agent works for. */
export interface DelegateDefinition<S extends ToolInput, O> extends Handed<S, O> {
  /** Who does it, with what input and which part of the budget: `delegateTo(agent, input, slice)`. */
  delegates(args: ArgsOf<S>): Delegation<O>;
}

/** A tool that ends a tool loop and hands a package to whoever goes on. */
export interface TransferDefinition<S extends ToolInput, P> extends Handed<S, P> {
  /** What is handed over. */
  transfers(args: ArgsOf<S>): P;
}

/** Makes a tool that another agent works for: the model calls it, the agent runs as a child, its value is the result. */
export function delegateTool<O, const S extends ToolInput = Readonly<Record<string, never>>>(
  definition: DelegateDefinition<S, O>,
): DefinedTool<ArgsOf<S>, O, GivenOf<S>> {
  const delegates = definition.delegates.bind(definition);
  return toolFrom({ ...definition, delegates, effect: 'pure', execute: onlyInARun(definition.name) }) as DefinedTool<
    ArgsOf<S>,
    O,
    GivenOf<S>
  >;
}

/** Makes a tool that hands over: a tool loop that calls it ends with `transfer` and the package. */
export function transferTool<P, const S extends ToolInput = Readonly<Record<string, never>>>(
  definition: TransferDefinition<S, P>,
): DefinedTool<ArgsOf<S>, P, GivenOf<S>> {
  const transfers = definition.transfers.bind(definition);
  return toolFrom({ ...definition, transfers, effect: 'pure', execute: onlyInARun(definition.name) }) as DefinedTool<
    ArgsOf<S>,
    P,
    GivenOf<S>
  >;
}

/** What `delegateTo` takes beside agent, input and slice. */
export interface DelegateMore<O> {
  /** A last turn that hands back what there is, where the budget of the delegate ended first. */
  handBack?(ended: Outcome<O> & { readonly stop: 'bounded' }): Omit<Delegation<O>, 'handBack'>;
}

/** A delegation whose input fits its agent. */
export function delegateTo<I, O>(
  agent: AgentLike<I, O>,
  input: NoInfer<I>,
  slice: ChildSlice,
  more: DelegateMore<O> = {},
): Delegation<O> {
  return { agent: agent as Delegation<O>['agent'], input, slice, ...more };
}

function onlyInARun(name: string): () => never {
  return () => {
    throw new ConfigError(`Tool "${name}" hands its work to an agent, which needs a run. Call it with run.call.`);
  };
}
