import { ConfigError, FlyballError } from 'flyball';
import { nearestNames } from 'flyball/internal';
import type { Principal } from '../access/principal.js';
import { lowerBudget, startRun } from '../agents/admission.js';
import type { Parts } from '../parts.js';
import { Problem } from '../problem.js';
import type { Trigger } from './trigger.js';
import type { TriggerParts } from './trigger-parts.js';

/** A run that nobody asked for comes in by the same door as any other: checked, bounded, charged to its trigger's tenant. */
export function startTriggered(
  parts: Pick<Parts, 'directory' | 'fleet' | 'spending' | 'settings' | 'contents' | 'backlog'>,
): TriggerParts['start'] {
  return async (name, input, { id, tenant, subject, budget }) => {
    const agent = parts.directory.get(name);
    if (agent === undefined)
      throw new FlyballError(
        'AGENT_UNKNOWN',
        `The agent "${name}" of a trigger is not on this server. Add it, or change the trigger.`,
      );
    const principal: Principal = { id: subject, kind: 'local', tenant, subject, scopes: [], limits: {} };
    const bounds = budget === undefined ? {} : { budget };
    return startRun(parts, { principal, once: undefined }, { agent, input, id, ...bounds });
  };
}

/** What could only fail when the trigger fires is a mistake when it is opened. */
export function triggerCheck({ directory }: Pick<Parts, 'directory'>): (trigger: Trigger) => void {
  return ({ name, agent, budget }) => {
    const served = directory.get(agent);
    if (served === undefined)
      throw new ConfigError(
        `Trigger "${name}": there is no agent "${agent}" on this server. ${hint(directory, agent)}`,
      );
    try {
      lowerBudget(served.budget, budget, `the agent ${agent}`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new ConfigError(`Trigger "${name}": ${error.message}`);
    }
  };
}

function hint(directory: Parts['directory'], agent: string): string {
  const served = directory.list().map(({ name }) => name);
  const [near] = nearestNames(agent, served, 1);
  return near === undefined ? `Available agents: ${served.join(', ') || 'none'}.` : `Did you mean ${near}?`;
}
