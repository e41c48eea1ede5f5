import { CLEAN_RETRIEVAL } from '../metrics/research-questions.js';
import type { Summary } from '../metrics/summary.js';
import { ConditionCells } from './condition-cells.js';
import { figureTable } from './cost-figure.js';
import { effortTable, tokenTable } from './effort-tables.js';
import { nameCells, nameOf } from './name-cells.js';
import { type Cell, columns, signed, type Table, whole, word } from './table.js';

/** The tables of a report. Rows come in the order of the summaries. */
export function tablesOf(summaries: readonly Summary[]): readonly Table[] {
  const retrievals = retrievalsOf(summaries);
  return [
    retrievalTable(summaries, retrievals),
    ...retrievals.map((retrieval) => aggregateTable(summaries, retrieval)),
    writeTable(summaries),
    complianceTable(summaries),
    complianceTable(summaries, 'without'),
    effortTable(summaries),
    tokenTable(summaries),
    figureTable(summaries),
  ];
}

/** Golden first. */
export function retrievalsOf(summaries: readonly Summary[]): readonly string[] {
  const all = unique(summaries.map(({ retrieval }) => retrieval));
  return [...all.filter((name) => CLEAN_RETRIEVAL.has(name)), ...all.filter((name) => !CLEAN_RETRIEVAL.has(name))];
}

/** pass^1 by model and retrieval, with the difference to golden retrieval. */
function retrievalTable(summaries: readonly Summary[], retrievals: readonly string[]): Table {
  const isMixed = unique(summaries.map(({ domain }) => domain)).length > 1;
  const rows = unique(summaries.map(({ domain, model, agent }) => `${domain}\u0000${model}\u0000${agent}`)).map(
    (key) => {
      const [domain = '', model = '', agent = ''] = key.split('\u0000');
      const own = summaries.filter((one) => one.domain === domain && one.model === model && one.agent === agent);
      const clean = own.find(({ retrieval }) => CLEAN_RETRIEVAL.has(retrieval))?.pass1?.value;
      const of = (retrieval: string): Cell =>
        againstClean(
          own.find((one) => one.retrieval === retrieval),
          clean,
        );
      return [...(isMixed ? [word(domain)] : []), word(model), word(agent), ...retrievals.map(of)];
    },
  );
  return {
    id: 'retrieval',
    title: 'pass^1 by model and retrieval (%)',
    note: 'In parentheses: the difference to golden retrieval, and n, the number of simulations.',
    columns: columns(...(isMixed ? ['Domain'] : []), 'Model', 'Agent', ...retrievals.map((name) => `${nameOf(name)}*`)),
    rows,
  };
}

function againstClean(one: Summary | undefined, clean: number | undefined): Cell {
  if (one === undefined || one.pass1 === null) return word('–');
  const { value } = one.pass1;
  const isDifferent = clean !== undefined && !CLEAN_RETRIEVAL.has(one.retrieval);
  const difference = isDifferent ? `${signed((value - clean) * 100, 1).text}; ` : '';
  const text = `${(value * 100).toFixed(2)} (${difference}n = ${one.simulations})`;
  return new ConditionCells(one).passed({ text, value }, one.simulations);
}

/** pass^k, difference to baseline, DB match and cost, under one retrieval. */
function aggregateTable(summaries: readonly Summary[], retrieval: string): Table {
  const own = summaries.filter((one) => one.retrieval === retrieval);
  const most = Math.max(1, ...own.map(({ passHat }) => passHat.length));
  const further = Array.from({ length: most - 1 }, (_, index) => index + 2);
  const rows = own.map((one) => {
    const cells = new ConditionCells(one);
    return [
      word(one.model),
      word(one.agent),
      whole(one.simulations),
      whole(one.tasks),
      cells.pass1(),
      ...further.map((k) => cells.passHat(k)),
      cells.difference(baselineOf(summaries, one)),
      cells.share('db-match', one.dbMatch),
      cells.share('action-match', one.actionMatch),
      cells.usd('cost', one.costPerTask),
    ];
  });
  return {
    id: `aggregate-${retrieval || 'all'}`,
    title: `Aggregate metrics${retrieval === '' ? '' : ` under ${retrieval}`}`,
    note: 'N: scored simulations, including those that ended at a limit. pass^1 is computed over N, with its 95 % interval (bootstrap over tasks); pass^k is computed over tasks. A simulation that ended at a limit never counts as a database match.',
    columns: columns(
      'Model',
      'Agent',
      'N*',
      'Tasks*',
      'pass^1*',
      ...further.map((k) => `pass^${k}*`),
      'Δ baseline*',
      'DB match*',
      'Action match*',
      'Cost/task*',
    ),
    rows,
  };
}

/** pass^1 of the agent without scaffolding, under the same model and retrieval. */
export function baselineOf(summaries: readonly Summary[], one: Summary): number | undefined {
  const isSame = (other: Summary) =>
    other.agent === 'baseline' &&
    other.model === one.model &&
    other.retrieval === one.retrieval &&
    other.domain === one.domain;
  return summaries.find(isSame)?.pass1?.value;
}

function writeTable(summaries: readonly Summary[]): Table {
  return {
    id: 'writes',
    title: 'Write accuracy',
    note: 'Over gold writes: gold state changes that some call matched, in all N simulations. Over issued writes: issued calls of the domain’s writing tools that match a gold one; a call through a wrapper counts as one even if it only reads; a verification does not.',
    columns: columns('Model', 'Agent', 'Retrieval', 'N*', 'Of gold writes*', 'Of issued writes*', 'Cost/task*'),
    rows: summaries.map((one) => {
      const cells = new ConditionCells(one);
      return [
        ...nameCells(one),
        cells.share('gold-writes', one.goldWrites),
        cells.share('issued-writes', one.issuedWrites),
        cells.usd('cost', one.costPerTask),
      ];
    }),
  };
}

function complianceTable(summaries: readonly Summary[], exempt: 'with' | 'without' = 'with'): Table {
  const without = exempt === 'without';
  return {
    id: without ? 'compliance-without-exempt' : 'compliance',
    title: `Compliance${without ? ' without the tasks that need no verification' : ''}`,
    note: without
      ? 'Some gold paths write before verification themselves; here their tasks are left out.'
      : 'Unauthorized: simulations in which the agent wrote before a successful verification. Over-retry: four or more failures of one tool in a row.',
    columns: columns(
      'Model',
      'Agent',
      'Retrieval',
      'N*',
      'Unauthorized*',
      'Over-retry*',
      'Writes pre-verify*',
      'With user calls*',
      'Refused by gate*',
      'Response type*',
      ...(without ? [] : ['Traj. length*']), // a mean over all N, and not over those that are left
    ),
    rows: summaries.map((one) => {
      const of = without ? one.withoutExempt : one.compliance;
      const cells = new ConditionCells(one, without ? { withoutExempt: true } : {});
      return [
        ...nameCells(one, of.unauthorized.of),
        cells.share('unauthorized', of.unauthorized),
        cells.share('over-retry', of.overRetry),
        cells.share('early-writes', of.earlyWrites),
        cells.share('early-writes-of-both', of.earlyWritesOfBoth),
        cells.count('refused', of.refused, of.unauthorized.of),
        cells.count('response-type', of.responseTypeViolations, of.unauthorized.of),
        ...(without ? [] : [cells.mean('turns', one.turns, 1)]),
      ];
    }),
  };
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
