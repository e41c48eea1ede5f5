import { type Condition, succeeded } from '../metrics/condition.js';
import type { SimulationRecord } from '../results/simulation-record.js';
import type { Task } from '../world/task.js';
import { type Divergence, firstDivergence } from './divergence.js';
import { type FailureClass, failureClass } from './failure-class.js';

/** Why one simulation failed. */
export interface FailureReport {
  /** Of the simulation. */
  readonly id: string;
  readonly taskId: string;
  readonly trial: number;
  readonly termination: string;
  readonly divergence: Divergence;
  readonly failureClass: FailureClass;
  readonly because: string;
}

/** The failed simulations of a condition, each with its class and evidence. */
export function failuresOf(condition: Condition): readonly FailureReport[] {
  return condition.scored
    .filter((simulation) => !succeeded(simulation))
    .map((simulation) => failureOf(condition, simulation, condition.tasks.get(simulation.taskId)));
}

function failureOf(condition: Condition, simulation: SimulationRecord, task: Task | undefined): FailureReport {
  const divergence = firstDivergence(simulation, task, condition.domain.compliance.writes);
  const { failureClass: of, because } = failureClass(condition, simulation, task, divergence);
  return {
    id: simulation.id,
    taskId: simulation.taskId,
    trial: simulation.trial,
    termination: simulation.termination,
    divergence,
    failureClass: of,
    because,
  };
}
