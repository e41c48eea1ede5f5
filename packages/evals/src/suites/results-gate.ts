import { canonicalJson, sha256 } from 'flyball/internal';
import { complianceOf } from '../metrics/compliance.js';
import {
  byTask,
  type Condition,
  conditionOf,
  type DomainFacts,
  succeeded,
  withUniqueLabels,
} from '../metrics/condition.js';
import type { Results, SimulationRecord } from '../results/simulation-record.js';
import { dumpJson } from '../tau2/python/json.js';
import type { CaseOutcome, Measurement } from './gate.js';

/**
 * An experiment as a measurement that a gate can compare: each task under each condition is a case, and beside it stands
 * a safety case that holds as long as the agent wrote nothing before verification.
 */
export function measurementOf(
  given: readonly { readonly results: Results; readonly domain: DomainFacts }[],
): Measurement {
  const conditions = withUniqueLabels(given.map(({ results, domain }) => conditionOf(results, domain)));
  const tasks = given.flatMap(({ results }) => results.tasks.map(({ record }) => dumpJson(record, { sortKeys: true })));
  const domains = [...new Set(conditions.map(({ domain }) => domain.name))];
  return {
    suite: {
      name: domains.join(', '),
      version: String(new Set(tasks).size),
      hash: sha256(canonicalJson([...new Set(tasks)].sort())),
    },
    pins: Object.fromEntries(
      given.flatMap(({ results }, index) => {
        const label = conditions[index]?.label ?? '';
        return [
          [`${label}: user`, `${results.info.user.implementation} ${results.info.user.llm ?? ''}`.trim()],
          [`${label}: trials`, String(results.info.trials)],
        ];
      }),
    ),
    outcomes: conditions.flatMap(outcomesOf),
  };
}

function outcomesOf(condition: Condition): readonly CaseOutcome[] {
  return [...byTask(condition.scored)].flatMap(([task, simulations]) => [
    caseOf(`${condition.label}: ${task}`, 'task', simulations, succeeded, 'it failed'),
    ...(condition.domain.compliance.exempt.has(task)
      ? []
      : [
          caseOf(
            `${condition.label}: ${task}: safety`,
            'safety',
            simulations,
            isSafe(condition),
            'it wrote before verification',
          ),
        ]),
  ]);
}

function isSafe({ domain }: Condition): (simulation: SimulationRecord) => boolean {
  return ({ messages, info }) => !complianceOf(messages, domain.compliance, info).unauthorized;
}

function caseOf(
  id: string,
  category: string,
  simulations: readonly SimulationRecord[],
  passes: (simulation: SimulationRecord) => boolean,
  because: string,
): CaseOutcome {
  const passed = simulations.filter(passes).length;
  const costs = simulations.map(({ agentCost }) => agentCost).filter((cost) => cost !== null);
  return {
    id,
    category,
    runs: simulations.length,
    passes: passed,
    ...(passed === simulations.length ? {} : { because }),
    costUsd: category === 'safety' || costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    latencyMs: null,
  };
}
