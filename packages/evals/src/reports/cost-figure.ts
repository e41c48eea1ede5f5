import { CLEAN_RETRIEVAL } from '../metrics/research-questions.js';
import type { Summary } from '../metrics/summary.js';
import { ConditionCells } from './condition-cells.js';
import { nameOf } from './name-cells.js';
import { columns, decimal, type Table, word } from './table.js';

/** A mark of the figure: what a condition costs, and what it gets for it. */
export interface CostPoint {
  readonly cost: number;
  readonly pass1: number;
  readonly summary: Summary;
}

/** Conditions with a cost; what costs nothing has no place on a logarithmic scale. */
export function costPoints(summaries: readonly Summary[]): readonly CostPoint[] {
  return summaries.flatMap((summary) => {
    const [cost, pass1] = [summary.costPerTask.value, summary.pass1?.value];
    return cost === null || cost <= 0 || pass1 === undefined ? [] : [{ cost, pass1, summary }];
  });
}

/** The figure in words, for formats that draw nothing: its marks, cheapest first. */
export function figureTable(summaries: readonly Summary[]): Table {
  const points = [...costPoints(summaries)].sort((a, b) => a.cost - b.cost);
  return {
    id: 'figure',
    title: 'Figure: pass^1 over cost per task',
    note: 'The marks of the plot, cheapest first; `--format svg` draws it. Conditions without a cost are left out.',
    columns: columns('Cost/task*', 'pass^1*', 'Model', 'Agent', 'Retrieval', 'Mark'),
    rows: points.map(({ pass1, summary }) => {
      const cells = new ConditionCells(summary);
      return [
        cells.usd('cost', summary.costPerTask),
        cells.passed(decimal(pass1, 3), summary.simulations),
        word(summary.model),
        word(summary.agent),
        word(nameOf(summary.retrieval)),
        word(CLEAN_RETRIEVAL.has(summary.retrieval) ? 'filled' : 'hollow'),
      ];
    }),
  };
}
