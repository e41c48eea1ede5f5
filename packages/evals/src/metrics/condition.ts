import type { Results, SimulationRecord } from '../results/simulation-record.js';
import type { Domain, ToolType } from '../world/environment.js';
import type { Task } from '../world/task.js';
import { isSuccessful } from './pass-hat-k.js';
import { toolTypesIn } from './tool-types.js';

/** What metrics need to know about a domain. Its environment tells the types of tools that no grade of a file names. */
export type DomainFacts = Pick<Domain, 'name' | 'compliance' | 'documents'> &
  Partial<Pick<Domain, 'environment' | 'retrievals'>>;

/** One way of running a domain's tasks: what a row of a table is about. */
export interface Condition {
  /** What it is called in tables: unique within a report. */
  readonly label: string;
  readonly domain: DomainFacts;
  readonly agent: string;
  readonly model: string;
  /** Empty in domains without documents. */
  readonly retrieval: string;
  readonly tasks: ReadonlyMap<string, Task>;
  /** Whether a tool reads or writes; null where nobody says. */
  readonly typeOf: (tool: string) => ToolType | null;
  /** What counts. Infrastructure errors, and ends that nobody could judge, are counted apart. */
  readonly scored: readonly SimulationRecord[];
  readonly infrastructureErrors: number;
  readonly unscored: number;
}

/** The results of one condition, split into what is scored and what is counted apart. */
export function conditionOf(results: Results, domain: DomainFacts): Condition {
  const { info, tasks, simulations } = results;
  const ran = simulations.filter(({ termination }) => termination !== 'infrastructure_error');
  const scored = ran.filter(({ reward }) => reward !== null);
  const named = { agent: info.agent.implementation, model: info.agent.llm ?? 'none', retrieval: info.retrieval ?? '' };
  return {
    ...named,
    label: [named.model, named.agent, named.retrieval].filter((part) => part !== '').join(' / '),
    domain,
    tasks: new Map(tasks.map((task) => [task.id, task])),
    typeOf: toolTypesIn(results, domain),
    scored,
    infrastructureErrors: simulations.length - ran.length,
    unscored: ran.length - scored.length,
  };
}

/** Files of the same agent, model and retrieval are told apart by a number. */
export function withUniqueLabels(conditions: readonly Condition[]): readonly Condition[] {
  const seen = new Map<string, number>();
  return conditions.map((condition) => {
    const before = seen.get(condition.label) ?? 0;
    seen.set(condition.label, before + 1);
    return before === 0 ? condition : { ...condition, label: `${condition.label} (${before + 1})` };
  });
}

export function succeeded({ reward }: SimulationRecord): boolean {
  return reward !== null && isSuccessful(reward.reward);
}

/** The simulations of each task, so that trials of one task stay together. */
export function byTask(simulations: readonly SimulationRecord[]): ReadonlyMap<string, readonly SimulationRecord[]> {
  const tasks = new Map<string, SimulationRecord[]>();
  for (const simulation of simulations) {
    const known = tasks.get(simulation.taskId);
    if (known === undefined) tasks.set(simulation.taskId, [simulation]);
    else known.push(simulation);
  }
  return tasks;
}
