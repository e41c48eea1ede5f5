import type { Agents, AnyAgent, VersionedAgent } from '../../core/agent-types.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { nearestNames } from '../../tools/nearest-names.js';
import type { DefinedAgent } from '../define-agent.js';

/** What can be registered: what `defineAgent` or `workflow` makes, a function, or a function with its version. */
export type Registered = DefinedAgent | VersionedAgent | AnyAgent;

/** Agents by name: what a workflow looks its agents up in. */
export interface AgentRegistry {
  get(name: string): Registered | undefined;
  names(): readonly string[];
}

/** A registry to which agents can be added. */
export interface OpenRegistry extends AgentRegistry {
  /** From now on the name stands for this agent. A name stands for one agent only. */
  register(name: string, agent: Registered): void;
}

/** A registry of agents by name, for workflows. */
export function agentRegistry(agents: Agents = {}): OpenRegistry {
  const known = new Map<string, Registered>();
  const register = (name: string, agent: Registered): void => {
    if (!/^[\w.-]+$/.test(name))
      throw new ConfigError(`An agent's name can only contain letters, digits, "_", "-" and ".", got "${name}".`);
    if (known.has(name)) throw new ConfigError(`Two agents are called "${name}". Rename one of them.`);
    if (!isRegistrable(agent))
      throw new ConfigError(
        `"${name}" is not an agent. Register a function, or the result of defineAgent or workflow.`,
      );
    known.set(name, agent);
  };
  for (const [name, agent] of Object.entries(agents)) register(name, agent);
  return { get: (name) => known.get(name), names: () => [...known.keys()], register };
}

/** Joins registries. If two have the same name, the first one is used. */
export function joinedRegistry(...registries: readonly AgentRegistry[]): AgentRegistry {
  return {
    get: (name) => registries.map((registry) => registry.get(name)).find((found) => found !== undefined),
    names: () => [...new Set(registries.flatMap((registry) => registry.names()))],
  };
}

export function registeredAgent(registry: AgentRegistry, name: string): Registered {
  const found = registry.get(name);
  if (found !== undefined) return found;
  const known = registry.names();
  const near = nearestNames(name, known);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Registered agents: ${known.join(', ') || 'none'}.`;
  throw new FlyballError('AGENT_UNKNOWN', `No agent "${name}" is registered. ${hint}`, {
    detail: { agent: name, near },
  });
}

export function isDefined(agent: Registered): agent is DefinedAgent {
  return typeof agent === 'object' && 'invokeIterative' in agent;
}

function isRegistrable(agent: unknown): boolean {
  if (typeof agent === 'function') return true;
  const { agent: inner, version } = Object(agent) as { readonly agent?: unknown; readonly version?: unknown };
  return typeof inner === 'function' && typeof version === 'string';
}
