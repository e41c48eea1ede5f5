import { type AccuracyFacts, accuracyOf } from './accuracy.js';
import { actionsOf } from './action-entropy.js';
import { type ComplianceFacts, complianceOf } from './compliance.js';
import { type Condition, succeeded } from './condition.js';
import { type CostFacts, costOf } from './cost.js';

/** Everything measured about one simulation. */
export interface SimulationFacts {
  /** Of the simulation: leads from a figure to the conversation behind it. */
  readonly id: string;
  readonly taskId: string;
  readonly trial: number;
  readonly succeeded: boolean;
  readonly reward: number | null;
  readonly termination: string;
  /** The task's own gold path writes before verification. */
  readonly exempt: boolean;
  readonly seconds: number;
  readonly accuracy: AccuracyFacts;
  readonly compliance: ComplianceFacts;
  readonly cost: CostFacts;
  /** What the agent did, in order: the name of a tool, or `say`. */
  readonly actions: readonly string[];
}

/** What was measured for each scored simulation of a condition. */
export function factsOf(condition: Condition): readonly SimulationFacts[] {
  const { domain, tasks } = condition;
  return condition.scored.map((simulation) => {
    const task = tasks.get(simulation.taskId);
    return {
      id: simulation.id,
      taskId: simulation.taskId,
      trial: simulation.trial,
      succeeded: succeeded(simulation),
      reward: simulation.reward?.reward ?? null,
      termination: simulation.termination,
      exempt: domain.compliance.exempt.has(simulation.taskId),
      seconds: simulation.seconds,
      accuracy: accuracyOf(simulation, task, condition),
      compliance: complianceOf(simulation.messages, domain.compliance, simulation.info),
      cost: costOf(simulation, task, domain),
      actions: actionsOf(simulation.messages),
    };
  });
}
