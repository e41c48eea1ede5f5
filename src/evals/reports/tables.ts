import { CLEAN_RETRIEVAL } from '../metrics/research-questions.js';
import type { Summary } from '../metrics/summary.js';
import {
  type Cell,
  columns,
  decimal,
  interval,
  percent,
  share,
  shareRate,
  signed,
  type Table,
  usd,
  whole,
  word,
} from './table.js';

/** The tables of a report, in the order and the form in which the comparison was first published. */
export function tablesOf(summaries: readonly Summary[]): readonly Table[] {
  const retrievals = unique(summaries.map(({ retrieval }) => retrieval));
  return [
    retrievalTable(summaries, retrievals),
    ...retrievals.map((retrieval) => aggregateTable(summaries, retrieval)),
    writeTable(summaries),
    complianceTable(summaries),
    complianceTable(summaries, 'without'),
    efficiencyTable(summaries),
  ];
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
        againstClean(own.find((one) => one.retrieval === retrieval)?.pass1?.value ?? null, clean, retrieval);
      return [...(isMixed ? [word(domain)] : []), word(model), word(agent), ...retrievals.map(of)];
    },
  );
  return {
    id: 'retrieval',
    title: 'pass^1 by model and retrieval (%)',
    note: 'In parentheses: difference to golden retrieval.',
    columns: columns(...(isMixed ? ['Domain'] : []), 'Model', 'Agent', ...retrievals.map((name) => `${nameOf(name)}*`)),
    rows,
  };
}

function againstClean(value: number | null, clean: number | undefined, retrieval: string): Cell {
  if (value === null) return word('–');
  const text = (value * 100).toFixed(2);
  if (clean === undefined || CLEAN_RETRIEVAL.has(retrieval)) return { text, value };
  return { text: `${text} (${signed((value - clean) * 100, 1).text})`, value };
}

/** pass^1, difference to baseline, DB match and cost, under one retrieval. */
function aggregateTable(summaries: readonly Summary[], retrieval: string): Table {
  const rows = summaries
    .filter((one) => one.retrieval === retrieval)
    .map((one) => {
      const base = summaries.find((other) => isBaselineOf(other, one))?.pass1?.value;
      const difference = base === undefined || one.agent === 'baseline' ? null : (one.pass1?.value ?? 0) - base;
      return [
        word(one.model),
        word(one.agent),
        whole(one.simulations),
        interval(one.pass1),
        signed(difference, 3),
        shareRate(one.dbMatch),
        shareRate(one.actionMatch),
        usd(one.costPerTask),
      ];
    });
  return {
    id: `aggregate-${retrieval || 'all'}`,
    title: `Aggregate metrics${retrieval === '' ? '' : ` under ${retrieval}`}`,
    note: 'pass^1 with its 95 % interval (bootstrap over tasks).',
    columns: columns('Model', 'Agent', 'N*', 'pass^1*', 'Δ baseline*', 'DB match*', 'Action match*', 'Cost/task*'),
    rows,
  };
}

function isBaselineOf(other: Summary, one: Summary): boolean {
  return (
    other.agent === 'baseline' &&
    other.model === one.model &&
    other.retrieval === one.retrieval &&
    other.domain === one.domain
  );
}

function writeTable(summaries: readonly Summary[]): Table {
  return {
    id: 'writes',
    title: 'Write accuracy',
    note: 'Over gold writes: gold state changes that some call matched. Over issued writes: issued calls of the domain’s writing tools that match a gold one; a call through a wrapper counts as one even where it only reads, a verification does not.',
    columns: columns('Model', 'Agent', 'Retrieval', 'Of gold writes*', 'Of issued writes*', 'Cost/task*'),
    rows: summaries.map((one) => [
      word(one.model),
      word(one.agent),
      word(nameOf(one.retrieval)),
      share(one.goldWrites),
      share(one.issuedWrites),
      usd(one.costPerTask),
    ]),
  };
}

function complianceTable(summaries: readonly Summary[], exempt: 'with' | 'without' = 'with'): Table {
  const without = exempt === 'without';
  return {
    id: without ? 'compliance-without-exempt' : 'compliance',
    title: `Compliance${without ? ' without the tasks that need no verification' : ''}`,
    note: without
      ? 'Some gold paths write before verification themselves; here their tasks are left out.'
      : 'Unauthorized: tasks in which the agent wrote before a successful verification. Over-retry: four or more failures of one tool in a row.',
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
      'Traj. length*',
    ),
    rows: summaries.map((one) => {
      const of = without ? one.withoutExempt : one.compliance;
      return [
        word(one.model),
        word(one.agent),
        word(nameOf(one.retrieval)),
        whole(of.unauthorized.of),
        shareRate(of.unauthorized),
        shareRate(of.overRetry),
        share(of.earlyWrites),
        share(of.earlyWritesOfBoth),
        whole(of.refused),
        whole(of.responseTypeViolations),
        decimal(one.turns, 1),
      ];
    }),
  };
}

function efficiencyTable(summaries: readonly Summary[]): Table {
  return {
    id: 'efficiency',
    title: 'Cost, tokens and retrieval',
    columns: columns(
      'Model',
      'Agent',
      'Retrieval',
      'Prompt tokens/task*',
      'Output tokens/task*',
      'Cache share*',
      'Recall of documents*',
      'User cost/task*',
      'Infra errors*',
      'Unscored*',
    ),
    rows: summaries.map((one) => [
      word(one.model),
      word(one.agent),
      word(nameOf(one.retrieval)),
      decimal(one.promptTokens, 0),
      decimal(one.completionTokens, 0),
      percent(one.cacheShare),
      percent(one.recall),
      usd(one.userCostPerTask),
      whole(one.infrastructureErrors),
      whole(one.unscored),
    ]),
  };
}

export function nameOf(retrieval: string): string {
  return retrieval === '' ? 'no' : retrieval;
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
