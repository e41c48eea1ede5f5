import type { SimulationFacts } from '../metrics/facts.js';
import type { Report } from './report.js';
import { columns, decimal, share, simulationId, type Table, usd, whole, word } from './table.js';

export interface SimulationTable {
  /** Of the condition. */
  readonly label: string;
  readonly table: Table;
}

/** The simulations behind the cells: a table for each condition. `flyball evals show` prints the conversations. */
export function simulationTables({ facts }: Pick<Report, 'facts'>): readonly SimulationTable[] {
  return [...facts].map(([label, all], index) => ({ label, table: tableOf(label, all, index) }));
}

function tableOf(label: string, facts: readonly SimulationFacts[], index: number): Table {
  return {
    id: `simulations-${index + 1}`,
    title: `Simulations of ${label} (${facts.length})`,
    note: 'flyball evals show <folder> <simulation> prints its conversation.',
    columns: columns(
      'Task',
      'Trial*',
      'Reward*',
      'Ended',
      'DB match',
      'Gold writes*',
      'Unauthorized',
      'Seconds*',
      'Model calls*',
      'Tool calls*',
      'Cost*',
      'Simulation',
    ),
    rows: facts.map((one) => [
      word(one.taskId),
      whole(one.trial),
      decimal(one.reward, 2),
      word(one.termination),
      word(one.accuracy.dbMatch === null ? '–' : yesOrNo(one.accuracy.dbMatch)),
      share(one.accuracy.goldWrites),
      word(yesOrNo(one.compliance.unauthorized)),
      decimal(one.seconds, 1),
      whole(one.cost.modelCalls),
      whole(one.cost.toolCalls),
      usd(one.cost.agentUsd),
      simulationId(one.id),
    ]),
  };
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}
