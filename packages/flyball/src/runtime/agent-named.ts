import type { Agents } from '../core/agent-types.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import type { Agent } from '../core/run.js';

/** Refuses what is no agent where it is registered: a definition that was never made an agent, most of all. */
export function checkAgents(agents: Agents): void {
  for (const [name, given] of Object.entries<unknown>(agents)) {
    if (typeof given === 'function') continue;
    const versioned = given as { readonly agent?: unknown; readonly version?: unknown } | null | undefined;
    if (typeof versioned?.agent === 'function') {
      if (versioned.version !== '' && typeof versioned.version === 'string') continue;
      throw new ConfigError(
        `The version of agents.${name} must be a text that is not empty, not ${JSON.stringify(versioned.version)}.`,
      );
    }
    if (typeof (versioned?.agent as { readonly agent?: unknown } | null | undefined)?.agent === 'function')
      throw new ConfigError(
        `agents.${name} has its version in the wrong place. Set it in the definition, as in defineAgent({ version: '2', … }), and pass what that returns.`,
      );
    throw new ConfigError(
      `agents.${name} is not an agent. Pass a function, { agent, version }, or what defineAgent or workflow returns: a definition alone has to go through defineAgent first.`,
    );
  }
}

export function agentNamed(
  agents: Agents,
  name: string,
): { readonly agent: Agent<unknown, unknown>; readonly version: string } {
  const found = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (found === undefined) {
    const known = Object.keys(agents).join(', ') || 'none';
    throw new FlyballError('AGENT_UNKNOWN', `No agent is registered as "${name}". Known here: ${known}.`, {
      detail: { name },
    });
  }
  const agent = (typeof found === 'function' ? found : found.agent) as Agent<unknown, unknown>;
  return { agent, version: typeof found === 'function' ? '1' : found.version };
}
