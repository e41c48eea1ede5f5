import type { Summary } from '../metrics/summary.js';
import { ConditionCells } from './condition-cells.js';
import { nameCells } from './name-cells.js';
import { columns, decimal, type Table, whole } from './table.js';

export function effortTable(summaries: readonly Summary[]): Table {
  return {
    id: 'effort',
    title: 'Duration and calls',
    note: 'Means over N. Model calls: how often the agent’s model was called, including re-prompts. Action entropy: how uncertain the agent’s next action (a tool or a message) is, given its last one.',
    columns: columns(
      'Model',
      'Agent',
      'Retrieval',
      'N*',
      'Seconds/task*',
      'Model calls/task*',
      'Tool calls/task*',
      'Traj. length*',
      'Action entropy (bits)*',
    ),
    rows: summaries.map((one) => {
      const cells = new ConditionCells(one);
      return [
        ...nameCells(one),
        cells.mean('seconds', one.seconds, 1),
        cells.mean('model-calls', one.modelCalls, 1),
        cells.mean('tool-calls', one.toolCalls, 1),
        cells.mean('turns', one.turns, 1),
        { ...decimal(one.actionEntropy, 3), n: one.simulations },
      ];
    }),
  };
}

export function tokenTable(summaries: readonly Summary[]): Table {
  return {
    id: 'efficiency',
    title: 'Tokens and retrieval',
    note: 'Cache share: of the prompt tokens of all N simulations. Recall: over tasks that name documents.',
    columns: columns(
      'Model',
      'Agent',
      'Retrieval',
      'N*',
      'Prompt tokens/task*',
      'Output tokens/task*',
      'Cache share*',
      'Recall of documents*',
      'User cost/task*',
      'Infra errors*',
      'Unscored*',
    ),
    rows: summaries.map((one) => {
      const cells = new ConditionCells(one);
      return [
        ...nameCells(one),
        cells.mean('prompt-tokens', one.promptTokens, 0),
        cells.mean('output-tokens', one.completionTokens, 0),
        cells.share('cache-share', one.cacheShare),
        cells.percent('recall', one.recall),
        cells.usd('user-cost', one.userCostPerTask),
        whole(one.infrastructureErrors),
        whole(one.unscored),
      ];
    }),
  };
}
