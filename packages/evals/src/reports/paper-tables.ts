import { CLEAN_RETRIEVAL } from '../metrics/research-questions.js';
import type { Summary } from '../metrics/summary.js';
import { ConditionCells } from './condition-cells.js';
import { figureTable } from './cost-figure.js';
import { nameOf } from './name-cells.js';
import { type Cell, columns, decimal, type Table, whole, word } from './table.js';
import { baselineOf, retrievalsOf } from './tables.js';

/**
 * The result tables of the paper (arXiv:2606.06923v1), with its rows and columns in its order: tables 3 and 4 by model
 * and agent, figure 3, and tables 5 and 6 by agent and retrieval for one model: the last one, as in the paper.
 */
export function paperTables(summaries: readonly Summary[]): readonly Table[] {
  const last = summaries.at(-1)?.model;
  const ofLast = summaries.filter(({ model }) => model === last);
  return [
    ...retrievalsOf(summaries).map((retrieval, index) => aggregate(summaries, retrieval, index)),
    figureTable(summaries),
    writes(ofLast, last ?? ''),
    compliance(ofLast, last ?? ''),
  ];
}

function aggregate(summaries: readonly Summary[], retrieval: string, index: number): Table {
  return {
    id: `paper-${index + 3}-${retrieval || 'all'}`,
    title: `Table ${index + 3}: Aggregate metrics under ${retrievalName(retrieval)} retrieval`,
    note: 'N: scored simulations, those that ended at a limit included; infrastructure errors are left out.',
    columns: columns('Model', 'Agent', 'N*', 'Pass^1*', 'Δ Baseline*', 'DB Match*', 'Cost/Task*'),
    rows: summaries
      .filter((one) => one.retrieval === retrieval)
      .map((one) => {
        const cells = new ConditionCells(one);
        return [
          word(one.model),
          agentName(one),
          whole(one.simulations),
          cells.passed(decimal(one.pass1?.value ?? null, 3), one.simulations),
          cells.difference(baselineOf(summaries, one)),
          cells.share('db-match', one.dbMatch),
          cells.usd('cost', one.costPerTask),
        ];
      }),
  };
}

function writes(summaries: readonly Summary[], model: string): Table {
  return {
    id: 'paper-5-writes',
    title: `Table 5: Write accuracy on ${model}`,
    note: 'Gold writes that some call matched, arguments included, of the gold writes of all simulations.',
    columns: columns('Agent', 'Retrieval', 'Write Acc.*', 'Avg Cost/Task*'),
    rows: summaries.map((one) => {
      const cells = new ConditionCells(one);
      return [
        agentName(one),
        word(retrievalName(one.retrieval)),
        cells.share('gold-writes', one.goldWrites),
        cells.usd('cost', one.costPerTask),
      ];
    }),
  };
}

function compliance(summaries: readonly Summary[], model: string): Table {
  return {
    id: 'paper-6-compliance',
    title: `Table 6: Compliance and efficiency on ${model}`,
    columns: columns('Agent', 'Retrieval', 'N*', 'Unauth.*', 'Over-retry*', 'Write pre-verify*', 'Traj. len.*'),
    rows: summaries.map((one) => {
      const cells = new ConditionCells(one);
      return [
        agentName(one),
        word(retrievalName(one.retrieval)),
        whole(one.simulations),
        cells.share('unauthorized', one.compliance.unauthorized),
        cells.share('over-retry', one.compliance.overRetry),
        cells.share('early-writes', one.compliance.earlyWrites),
        cells.mean('turns', one.turns, 1),
      ];
    }),
  };
}

function agentName({ agent }: Summary): Cell {
  return word(`${agent.slice(0, 1).toUpperCase()}${agent.slice(1)}`);
}

function retrievalName(retrieval: string): string {
  return CLEAN_RETRIEVAL.has(retrieval) ? 'golden' : nameOf(retrieval);
}
