import { type Condition, conditionOf, type DomainFacts, withUniqueLabels } from '../metrics/condition.js';
import { comparePaired, isComparable, type PairedComparison } from '../metrics/paired.js';
import { type Measured, type ResearchVerdict, researchVerdicts } from '../metrics/research-questions.js';
import { factsOf, type SimulationFacts, type Summary, summaryOf } from '../metrics/summary.js';
import type { Results } from '../results/simulation-record.js';
import { type FailureReport, failuresOf } from './failures.js';
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
}

/** A results file, and the domain that it ran. */
export interface Measurable {
  readonly results: Results;
  readonly domain: DomainFacts;
}

export function reportOf(given: readonly Measurable[]): Report {
  const conditions = withUniqueLabels(given.map(({ results, domain }) => conditionOf(results, domain)));
  const facts = conditions.map(factsOf);
  const measured: Measured[] = conditions.map((condition, index) => ({
    condition,
    summary: summaryOf(condition, facts[index] ?? []),
  }));
  const summaries = measured.map(({ summary }) => summary);
  return {
    domains: [...new Set(summaries.map(({ domain }) => domain))],
    summaries,
    tables: tablesOf(summaries),
    comparisons: comparisonsOf(conditions),
    questions: researchVerdicts(measured),
    failures: measured.flatMap(({ condition, summary }) =>
      failuresOf(condition).map((failure) => ({ ...failure, condition: summary.label })),
    ),
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
