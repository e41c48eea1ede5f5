import { FlyballError } from '../../core/errors.js';
import type { Principal } from '../access/principal.js';
import { admitted, lowerBudget } from '../agents/admission.js';
import { runName } from '../agents/served-agent.js';
import type { Parts } from '../parts.js';
import type { TriggerParts } from './trigger-parts.js';

/** A run that nobody asked for is bounded and charged like any other: to the tenant that the trigger names. */
export function startTriggered(
  parts: Pick<Parts, 'directory' | 'fleet' | 'spending' | 'settings'>,
): TriggerParts['start'] {
  return async (name, input, { id, tenant, subject, budget: asked }) => {
    const agent = parts.directory.get(name);
    if (agent === undefined)
      throw new FlyballError(
        'AGENT_UNKNOWN',
        `The agent "${name}" of a trigger is not served. Serve it, or change the trigger.`,
      );
    await agent.checkInput(input);
    const principal: Principal = { id: subject, kind: 'local', tenant, subject, scopes: [], limits: {} };
    const budget = await admitted(parts, principal, { runId: id, budget: lowerBudget(agent.budget, asked) });
    const source = agent.group.source === undefined ? {} : { source: agent.group.source };
    return parts.fleet.start(runName(name, 'iterative'), input, { id, tenant, subject, budget, ...source });
  };
}
