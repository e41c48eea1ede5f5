import { type Condition, conditionOf, type DomainFacts, withUniqueLabels } from '../metrics/condition.js';
import { factsOf, type SimulationFacts } from '../metrics/facts.js';
import { comparePaired, isComparable, type PairedComparison } from '../metrics/paired.js';
import { type Measured, type ResearchVerdict, researchVerdicts } from '../metrics/research-questions.js';
import { type Summary, summaryOf } from '../metrics/summary.js';
import type { Results } from '../results/simulation-record.js';
import { type FailureReport, failuresOf } from './failures.js';
import { paperTables } from './paper-tables.js';
import { rowOrder } from './row-order.js';
import type { Table } from './table.js';
import { tablesOf } from './tables.js';

/** Everything said about a set of results files: figures first, then what follows from them. */
export interface Report {
  readonly domains: readonly string[];
  readonly summaries: readonly Summary[];
  readonly tables: readonly Table[];
  /** Every pair of agents under the same model and retrieval. */
  readonly comparisons: readonly PairedComparison[];
  readonly questions: readonly ResearchVerdict[];
  readonly failures: readonly (FailureReport & { readonly condition: string })[];
  readonly facts: ReadonlyMap<string, readonly SimulationFacts[]>;
  /** With the simulations themselves, in the order of the rows. */
  readonly conditions: readonly Condition[];
}

/** A results file, and the domain that it ran. */
export interface Measurable {
  readonly results: Results;
  readonly domain: DomainFacts;
}

export const TABLE_FORMS = ['full', 'paper'] as const;

/** Which tables a report has, and in which order. */
export interface ReportForm {
  /** `paper`: the tables of the paper, with its rows and columns in its order. `full`, where absent: all that is measured. */
  readonly tables?: (typeof TABLE_FORMS)[number];
  /** Models in the order of their rows. */
  readonly models?: readonly string[];
}

/** Builds a report from measured conditions. */
export function reportOf(given: readonly Measurable[], form: ReportForm = {}): Report {
  const ordered = given
    .map(({ results, domain }) => conditionOf(results, domain))
    .map((condition) => ({ condition, ...condition, domain: condition.domain.name }))
    .sort(rowOrder(form.models));
  const conditions = withUniqueLabels(ordered.map(({ condition }) => condition));
  const facts = conditions.map(factsOf);
  const measured: Measured[] = conditions.map((condition, index) => ({
    condition,
    summary: summaryOf(condition, facts[index] ?? []),
  }));
  const summaries = measured.map(({ summary }) => summary);
  return {
    domains: [...new Set(summaries.map(({ domain }) => domain))],
    summaries,
    tables: form.tables === 'paper' ? paperTables(summaries) : tablesOf(summaries),
    comparisons: comparisonsOf(conditions),
    questions: researchVerdicts(measured),
    failures: measured.flatMap(({ condition, summary }) =>
      failuresOf(condition).map((failure) => ({ ...failure, condition: summary.label })),
    ),
    conditions,
    facts: new Map(summaries.map(({ label }, index) => [label, facts[index] ?? []])),
  };
}

function comparisonsOf(conditions: readonly Condition[]): readonly PairedComparison[] {
  return conditions.flatMap((first, index) =>
    conditions
      .slice(index + 1)
      .filter((second) => differOnlyInAgent(first, second) && isComparable(first, second))
      .map((second) => comparePaired(first, second)),
  );
}

function differOnlyInAgent(first: Condition, second: Condition): boolean {
  return first.model === second.model && first.retrieval === second.retrieval && first.agent !== second.agent;
}
