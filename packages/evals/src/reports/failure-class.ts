import { complianceOf } from '../metrics/compliance.js';
import type { Condition } from '../metrics/condition.js';
import { costOf } from '../metrics/cost.js';
import { madeCalls } from '../metrics/tool-calls.js';
import type { SimulationRecord } from '../results/simulation-record.js';
import type { Task } from '../world/task.js';
import type { Divergence } from './divergence.js';

/** The four causes that the benchmark's authors found, and three for what is none of them. */
export const FAILURE_CLASSES = {
  interdependence: 'Interdependent offerings: documents have to be combined to find the right product or amount',
  ordering: 'Implicit order of subtasks not respected',
  overtrust: 'User assertions trusted without looking them up',
  search: 'Search given up early, or an assumption made instead',
  limits: 'Ended by a limit of the simulation',
  communication: 'The database is correct, but a required statement or action is missing',
  other: 'None of these',
} as const;

/** Why a simulation failed. */
export type FailureClass = keyof typeof FAILURE_CLASSES;

export interface Classified {
  readonly failureClass: FailureClass;
  readonly because: string;
}

/** Half of the documents a task needs: an agent that saw fewer did not look far enough to know what to do. */
const SEEN_ENOUGH = 0.5;

/**
 * Rules, first that holds wins; each rests on something the trajectory shows, never on what the agent says of itself.
 * 1. ended by a limit or an error → limits
 * 2. a call out of its order → ordering
 * 3. the agent wrote before anybody was verified, or wrote without a single lookup before → overtrust
 * 4. fewer than half of the task's documents were seen → search
 * 5. a wrong argument or an extra or missing call although the documents were seen → interdependence
 * 6. nothing diverges and the database is right → communication
 */
export function failureClass(
  condition: Condition,
  simulation: SimulationRecord,
  task: Task | undefined,
  divergence: Divergence,
): Classified {
  if (simulation.termination !== 'user_stop' && simulation.termination !== 'agent_stop')
    return { failureClass: 'limits', because: `the simulation ended with ${simulation.termination}` };
  if (divergence.kind === 'order')
    return { failureClass: 'ordering', because: `${divergence.made.call.name} came before ${divergence.gold.name}` };
  const early = complianceOf(simulation.messages, condition.domain.compliance, simulation.info);
  if (early.unauthorized && !condition.domain.compliance.exempt.has(simulation.taskId))
    return { failureClass: 'overtrust', because: 'it wrote before anybody was verified' };
  if (divergence.kind === 'none') return withoutDivergence(simulation);
  if (actedBlind(condition, simulation, divergence))
    return { failureClass: 'overtrust', because: 'it changed state without looking anything up first' };
  return bySearch(condition, simulation, task);
}

function withoutDivergence({ reward }: SimulationRecord): Classified {
  return reward?.db?.match === false
    ? { failureClass: 'other', because: 'the calls of the gold path were made, and the database still differs' }
    : { failureClass: 'communication', because: 'every state-changing call of the gold path was made' };
}

function bySearch(condition: Condition, simulation: SimulationRecord, task: Task | undefined): Classified {
  const { recall } = costOf(simulation, task, condition.domain);
  if (recall !== null && recall < SEEN_ENOUGH)
    return { failureClass: 'search', because: `it saw ${Math.round(recall * 100)} % of the documents the task needs` };
  return recall === null
    ? { failureClass: 'other', because: 'the task names no documents, so what was missing cannot be told' }
    : {
        failureClass: 'interdependence',
        because: `it saw ${Math.round(recall * 100)} % of the documents and still chose otherwise`,
      };
}

/** The first wrong state change came before any read of the agent. */
function actedBlind({ domain }: Condition, { messages }: SimulationRecord, divergence: Divergence): boolean {
  if (divergence.kind !== 'extra' && divergence.kind !== 'wrong-arguments') return false;
  const before = madeCalls(messages).filter(({ at }) => at < divergence.made.at);
  return !before.some(({ call }) => call.requestor === 'assistant' && !domain.compliance.writes.has(call.name));
}
