import type { Agents, InputOf, ValueOf } from '../../core/agent-types.js';
import type { Budget } from '../../core/budget.js';
import {
  BoundReachedError,
  CancelledError,
  ConfigError,
  type Failure,
  FlyballError,
  failureOf,
} from '../../core/errors.js';
import { done, failed, type Outcome } from '../../core/outcome.js';
import type { Agent, Run } from '../../core/run.js';
import type { Fields } from '../agent-spec.js';
import type { FilledFields, GivenFields, NoFields } from '../field-types.js';
import { checkedInputs, schemaOfFields } from '../fields.js';
import { type AgentRegistry, agentRegistry, joinedRegistry, registeredAgent } from './agent-registry.js';
import { DryActs, dryRunOf, realRun } from './dry-run.js';
import type { InvokeOptions } from './invocation.js';
import { type AnswerOf, invokeNamed } from './invoke-agent.js';
import { type DryRunReport, type Invoked, problemsOf } from './invoked.js';
import { WORKFLOW, type WorkflowMark } from './workflow-mark.js';

/** What `workflow` needs besides the function. */
export interface WorkflowDefinition<F extends Fields = Fields, A extends Agents = Agents> {
  /** Letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  /** Checked before anything is spent, defaults filled in. The body's input has the types of these fields. */
  readonly inputs?: F;
  /** Bounds of a run of the whole workflow. */
  readonly budget?: Partial<Budget>;
  /**
   * Agents by name, whose inputs and answers the compiler knows then. With a registry, or none, the body may invoke any
   * name: further agents come with `bind`, which hands over what is registered where the workflow runs.
   */
  readonly agents?: A | AgentRegistry;
}

/** What the body of a workflow is given beside its run and its input. */
export interface WorkflowParts<A extends Agents = Agents> {
  /** As the function of that name, by the name of an agent. `run` is the workflow's own, a scope or a branch of it. */
  invokeAgent<N extends keyof A & string>(
    run: Run,
    name: N,
    inputs: InputOf<A[N]>,
    options?: Omit<InvokeOptions, 'dryRun'>,
  ): Promise<Outcome<Invoked<AnswerOf<A[N]>>>>;
  /** Nothing is really invoked this time. */
  readonly dryRun: boolean;
}

/** The function of a workflow. */
export type WorkflowBody<I, End extends Outcome<unknown>, A extends Agents = Agents> = (
  run: Run,
  input: I,
  parts: WorkflowParts<A>,
) => Promise<End>;

/** A workflow is an agent: it can be run, served, triggered and registered like any other. */
export interface Workflow<I = never, O = unknown> {
  readonly kind: 'workflow';
  readonly name: string;
  readonly version: string;
  readonly agent: Agent<I, O>;
  /** Calls no model and no tool, and ends with what would have been done. */
  readonly dryRun: Agent<I, DryRunReport>;
  /** The same workflow, which finds further agents in a registry. Its own come first. */
  bind(registry: AgentRegistry): Workflow<I, O>;
}

type Body<O> = WorkflowBody<never, Outcome<O>>;

/** What a caller gives a workflow: its fields, or what its body takes where it declares none. */
type Given<F, I> = [keyof F] extends [never] ? I : GivenFields<F>;

/** Creates an agent that invokes other agents. The body decides in code which agent gets which input. */
export function workflow<
  End extends Outcome<unknown>,
  const F extends Fields = NoFields,
  A extends Agents = Agents,
  I = FilledFields<F>,
>(given: string | WorkflowDefinition<F, A>, body: WorkflowBody<I, End, A>): Workflow<Given<F, I>, ValueOf<End>> {
  const definition: WorkflowDefinition = typeof given === 'string' ? { name: given } : given;
  if (!/^[\w.-]+$/.test(definition.name))
    throw new ConfigError(
      `A workflow's name can only contain letters, digits, "_", "-" and ".", got "${definition.name}".`,
    );
  // the names that the body may use are the compiler's; what it is given, `checkedInputs` has checked
  return made(definition, registryOf(definition.agents), body as Body<ValueOf<End>>);
}

function registryOf(agents: WorkflowDefinition['agents'] = {}): AgentRegistry {
  return isRegistry(agents) ? agents : agentRegistry(agents as Agents);
}

function isRegistry(agents: Agents | AgentRegistry): agents is AgentRegistry {
  return typeof agents['get'] === 'function' && typeof agents['names'] === 'function';
}

function made<I, O>(definition: WorkflowDefinition, registry: AgentRegistry, body: Body<O>): Workflow<I, O> {
  const { name, version = '1' } = definition;
  const dryRun = dryAgent<I, O>({ definition, registry, body });
  const agent = liveAgent<I, O>({ definition, registry, body });
  Object.defineProperty(agent, 'name', { value: name });
  Object.defineProperty(agent, WORKFLOW, { value: markOf(definition, registry, dryRun) });
  const bind = (other: AgentRegistry) => made<I, O>(definition, joinedRegistry(registry, other), body);
  return { kind: 'workflow', name, version, agent, dryRun, bind };
}

interface Made<O> {
  readonly definition: WorkflowDefinition;
  readonly registry: AgentRegistry;
  readonly body: Body<O>;
}

function liveAgent<I, O>({ definition, registry, body }: Made<O>): Agent<I, O> {
  const parts: WorkflowParts = {
    dryRun: false,
    invokeAgent: (run, name, inputs, options = {}) =>
      invokeNamed(run, { name, agent: registeredAgent(registry, name) }, inputs, options),
  };
  return async (run, input) => {
    const checked = await inputsOf(run, definition, input);
    return checked.ok ? body(run, checked.value as never, parts) : failed(checked.failure);
  };
}

function dryAgent<I, O>({ definition, registry, body }: Made<O>): Agent<I, DryRunReport> {
  const { name, version = '1' } = definition;
  return async (run, input) => {
    const acts = new DryActs();
    const parts: WorkflowParts = { dryRun: true, invokeAgent: dryInvoker(registry, acts) };
    const end = await endOf(async () => {
      const checked = await inputsOf(run, definition, input);
      return checked.ok ? body(dryRunOf(run, acts), checked.value as never, parts) : failed(checked.failure);
    });
    const own = end.stop === 'failed' && end.because !== undefined ? [end.because] : [];
    return done({ workflow: name, version, acts: acts.list, problems: [...problemsOf(acts.list), ...own], end });
  };
}

function dryInvoker(registry: AgentRegistry, acts: DryActs): WorkflowParts['invokeAgent'] {
  return async (run, name, inputs, options = {}) => {
    const agent = registeredAgent(registry, name);
    const outcome = await invokeNamed<never>(realRun(run), { name, agent }, inputs, { ...options, dryRun: true });
    if ('value' in outcome && outcome.value.dryRun !== undefined) {
      const { agent, version, mode, dryRun } = outcome.value;
      acts.add({ kind: 'agent', agent, version, mode, ...dryRun });
    }
    return outcome;
  };
}

async function endOf(body: () => Promise<Outcome<unknown>>): Promise<DryRunReport['end']> {
  try {
    const outcome = await body();
    return 'because' in outcome ? { stop: outcome.stop, because: outcome.because } : { stop: outcome.stop };
  } catch (error) {
    if (error instanceof BoundReachedError || error instanceof CancelledError) throw error;
    const { message } = failureOf(error);
    const isLimit = error instanceof FlyballError && error.code === 'NOT_SIMULATED';
    return { stop: isLimit ? 'not-simulated' : 'failed', because: message };
  }
}

type Inputs = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure };

function inputsOf(run: Run, { name, inputs = {} }: WorkflowDefinition, given: unknown): Promise<Inputs> {
  if (Object.keys(inputs).length === 0) return Promise.resolve({ ok: true, value: given });
  const effect = async (value: unknown): Promise<Inputs> => {
    try {
      return { ok: true, value: await checkedInputs(name, inputs, value) };
    } catch (error) {
      return { ok: false, failure: failureOf(error) };
    }
  };
  return run.step('check-inputs', given ?? null, effect, 'pure');
}

function markOf(
  { description, inputs, budget }: WorkflowDefinition,
  registry: AgentRegistry,
  dryRun: Agent<never, DryRunReport>,
): WorkflowMark {
  return {
    ...(description === undefined ? {} : { description }),
    ...(inputs === undefined ? {} : { inputs: schemaOfFields(inputs, 'refuse'), fields: inputs }),
    ...(budget === undefined ? {} : { budget }),
    get agents() {
      return registry.names(); // read when asked: agents may be registered later
    },
    dryRun,
  };
}
