import type { Agent, AnyAgent } from 'flyball';
import { done, failed } from 'flyball';
import type { DefinedAgent, Workflow } from 'flyball/agents';
import { agentRegistry, conversation, plainConversation } from 'flyball/agents';
import type { AgentGroup } from 'flyball/command';
import type { VersionedAgent } from 'flyball/internal';
import { type Registered, workflowMark } from 'flyball/internal';
import type { ToolLoopSettings } from 'flyball/loops';
import { completion } from './completion.js';
import { heldDirectly } from './direct-call-level.js';
import { runName, type ServedAgent, TOOL_RUN } from './served-agent.js';

/** A request with settings of its own; they are the input of its run, so that a resumed run has the same ones. */
export interface Variation {
  readonly inputs: unknown;
  readonly mode: 'iterative' | 'once';
  readonly model?: string;
  readonly temperature?: number;
  readonly loop?: ToolLoopSettings;
}

export interface ToolRequest {
  readonly tool: string;
  readonly args: unknown;
}

/** Everything that a runtime has to know to run what a group serves, by the names of `runName`. */
export function runAgents(
  group: AgentGroup,
  served: readonly ServedAgent[],
  toolRun: string,
): Record<string, VersionedAgent> {
  const agents = served.flatMap((agent) => variantsOf(agent));
  const executing = group.tools === undefined ? [] : [[toolRun, { agent: executeTool(group), version: '1' }] as const];
  return Object.fromEntries([...agents, ...executing]);
}

/** Tools of different groups may share a name: each group executes its own. */
export function toolRunName(index: number): string {
  return index === 0 ? TOOL_RUN : `${TOOL_RUN}:${index}`;
}

function variantsOf({
  name,
  version,
  group,
  defined,
  kind,
}: ServedAgent): readonly (readonly [string, VersionedAgent])[] {
  const given = group.agents[name];
  if (given === undefined) return [];
  const worker = typeof given === 'function' ? given : given.agent;
  const as = (agent: AnyAgent): VersionedAgent => ({ agent, version });
  const own = [[runName(name, 'iterative'), as(worker)]] as const;
  if (kind === 'workflow') return workflowVariants(name, bound(given, group), as);
  if (defined === undefined)
    return [...own, [runName(name, 'conversation'), as(plainConversation(worker as Agent<string, unknown>))]];
  return [
    ...own,
    [runName(name, 'once'), as(defined.invoke as AnyAgent)],
    [runName(name, 'conversation'), as(conversation(defined) as AnyAgent)],
    [runName(name, 'completion'), as(completion(defined) as AnyAgent)],
    [runName(name, 'varied'), as(varied(defined, group) as AnyAgent)],
  ];
}

/** Agents of other groups have guards of their own, which would not hold here: a workflow finds those of its group. */
function bound(given: AgentGroup['agents'][string], { agents }: AgentGroup): AgentGroup['agents'][string] {
  const others = agentRegistry(agents as Readonly<Record<string, Registered>>);
  const { bind } = given as { readonly bind?: Workflow['bind'] };
  return bind === undefined ? given : (bind(others) as AgentGroup['agents'][string]);
}

function workflowVariants(
  name: string,
  given: AgentGroup['agents'][string],
  as: (agent: AnyAgent) => VersionedAgent,
): readonly (readonly [string, VersionedAgent])[] {
  const worker = typeof given === 'function' ? given : given.agent;
  const dry = workflowMark(given)?.dryRun;
  return [
    [runName(name, 'iterative'), as(worker as AnyAgent)],
    ...(dry === undefined ? [] : [[runName(name, 'dry'), as(dry)] as const]),
  ];
}

/** The agent as a request wants it: another model that is allowed, another temperature, a shorter leash. */
function varied(defined: DefinedAgent, group: AgentGroup): Agent<Variation, unknown> {
  return async (run, { inputs, mode, model, temperature, loop }) => {
    const chosen = model === undefined ? undefined : group.models?.[model];
    if (model !== undefined && chosen === undefined && model !== defined.spec.model)
      return failed({
        code: 'CONFIG_INVALID',
        message: `The model ${model} is no longer available here.`,
        retryable: false,
      });
    const agent = defined.vary({
      ...(chosen === undefined ? {} : { model: chosen }),
      ...(temperature === undefined ? {} : { sampling: { ...defined.spec.sampling, temperature } }),
      ...(loop === undefined ? {} : { loop: { ...defined.spec.loop, ...loop } }),
    });
    const given = inputs as never; // any agent: it checks them itself
    return mode === 'once' ? agent.invoke(run, given) : agent.invokeIterative(run, given);
  };
}

/** One call, governed and journaled like any other, within the level of the agents that have the tool. */
function executeTool(group: AgentGroup): AnyAgent {
  const { tools } = group;
  const held = heldDirectly(group);
  const agent: Agent<ToolRequest, unknown> = async (run, { tool, args }) => {
    const found = tools?.get(tool);
    if (found === undefined)
      return failed({ code: 'TOOL_UNKNOWN', message: `The tool "${tool}" no longer exists.`, retryable: false });
    return done(await held(run, tool).call(found, args));
  };
  return agent as AnyAgent;
}
