import type { Agents } from '../core/agent-types.js';
import { FlyballError } from '../core/errors.js';
import type { Agent } from '../core/run.js';

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
