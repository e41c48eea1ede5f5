import { type AccuracyFacts, accuracyOf, addShares, rateOf, type Share } from './accuracy.js';
import { bootstrapMean, type Interval } from './bootstrap.js';
import { type ComplianceFacts, complianceOf } from './compliance.js';
import { byTask, type Condition, mean, succeeded } from './condition.js';
import { type CostFacts, costOf } from './cost.js';
import { passHatKs } from './pass-hat-k.js';

/** Everything measured about one simulation. */
export interface SimulationFacts {
  readonly taskId: string;
  readonly trial: number;
  readonly succeeded: boolean;
  readonly reward: number | null;
  readonly termination: string;
  readonly accuracy: AccuracyFacts;
  readonly compliance: ComplianceFacts;
  readonly cost: CostFacts;
}

/** One row: a condition in figures. Rates are null where there is nothing to divide by. */
export interface Summary {
  readonly label: string;
  readonly domain: string;
  readonly model: string;
  readonly agent: string;
  readonly retrieval: string;
  readonly simulations: number;
  readonly tasks: number;
  readonly infrastructureErrors: number;
  readonly unscored: number;
  readonly pass1: Interval | null;
  /** pass^k by k, up to the least number of trials that a task has. */
  readonly passHat: readonly number[];
  readonly dbMatch: Share;
  readonly actionMatch: Share;
  readonly reads: Share;
  readonly goldWrites: Share;
  readonly issuedWrites: Share;
  readonly compliance: ComplianceSummary;
  /** The same without the tasks whose own gold path writes before verification. */
  readonly withoutExempt: ComplianceSummary;
  readonly turns: number | null;
  readonly costPerTask: number | null;
  readonly userCostPerTask: number | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cacheShare: number | null;
  readonly recall: number | null;
  readonly terminations: Readonly<Record<string, number>>;
}

export interface ComplianceSummary {
  /** Simulations in which the agent wrote before it had verified anybody. */
  readonly unauthorized: Share;
  /** The agent's writes before verification, of all its writes. */
  readonly earlyWrites: Share;
  /** The same with the user's calls counted too. */
  readonly earlyWritesOfBoth: Share;
  readonly overRetry: Share;
  readonly responseTypeViolations: number;
  readonly refused: number;
}

export function factsOf(condition: Condition): readonly SimulationFacts[] {
  const { domain, tasks } = condition;
  return condition.scored.map((simulation) => {
    const task = tasks.get(simulation.taskId);
    return {
      taskId: simulation.taskId,
      trial: simulation.trial,
      succeeded: succeeded(simulation),
      reward: simulation.reward?.reward ?? null,
      termination: simulation.termination,
      accuracy: accuracyOf(simulation, task, domain.compliance),
      compliance: complianceOf(simulation.messages, domain.compliance, simulation.info),
      cost: costOf(simulation, task, domain),
    };
  });
}

export function summaryOf(condition: Condition, facts = factsOf(condition)): Summary {
  const { model, agent, retrieval, domain, scored, infrastructureErrors, unscored } = condition;
  const tasks = byTask(scored);
  const outcomes = [...tasks.values()].map((trials) => trials.map(succeeded));
  const notExempt = facts.filter(({ taskId }) => !domain.compliance.exempt.has(taskId));
  return {
    label: condition.label,
    domain: domain.name,
    model,
    agent,
    retrieval,
    simulations: scored.length,
    tasks: tasks.size,
    infrastructureErrors,
    unscored,
    pass1: bootstrapMean(outcomes.map((trials) => trials.map(Number))),
    passHat: [...passHatKs(outcomes, Number.POSITIVE_INFINITY).values()],
    ...accuracySummary(facts.map(({ accuracy }) => accuracy)),
    compliance: complianceSummary(facts),
    withoutExempt: complianceSummary(notExempt),
    turns: mean(facts.map(({ compliance }) => compliance.turns)),
    ...costSummary(facts.map(({ cost }) => cost)),
    terminations: counted(facts.map(({ termination }) => termination)),
  };
}

function accuracySummary(
  facts: readonly AccuracyFacts[],
): Pick<Summary, 'dbMatch' | 'actionMatch' | 'reads' | 'goldWrites' | 'issuedWrites'> {
  const compared = facts.filter(({ dbMatch }) => dbMatch !== null);
  return {
    dbMatch: { of: compared.length, hits: compared.filter(({ dbMatch }) => dbMatch).length },
    actionMatch: addShares(facts.map((one) => one.actions)),
    reads: addShares(facts.map((one) => one.reads)),
    goldWrites: addShares(facts.map((one) => one.goldWrites)),
    issuedWrites: addShares(facts.map((one) => one.issuedWrites)),
  };
}

function complianceSummary(facts: readonly SimulationFacts[]): ComplianceSummary {
  const all = facts.map(({ compliance }) => compliance);
  const sum = (value: (one: ComplianceFacts) => number) => all.reduce((total, one) => total + value(one), 0);
  return {
    unauthorized: { of: all.length, hits: all.filter((one) => one.unauthorized).length },
    earlyWrites: { of: sum((one) => one.writes.assistant), hits: sum((one) => one.early.assistant) },
    earlyWritesOfBoth: {
      of: sum((one) => one.writes.assistant + one.writes.user),
      hits: sum((one) => one.early.assistant + one.early.user),
    },
    overRetry: { of: all.length, hits: all.filter((one) => one.overRetry).length },
    responseTypeViolations: sum((one) => one.responseTypeViolations),
    refused: sum((one) => one.refused),
  };
}

function costSummary(
  facts: readonly CostFacts[],
): Pick<Summary, 'costPerTask' | 'userCostPerTask' | 'promptTokens' | 'completionTokens' | 'cacheShare' | 'recall'> {
  const known = (value: (one: CostFacts) => number | null) => facts.map(value).filter((one) => one !== null);
  const prompt = facts.reduce((sum, one) => sum + one.promptTokens, 0);
  const cached = facts.reduce((sum, one) => sum + one.cachedTokens, 0);
  return {
    costPerTask: mean(known(({ agentUsd }) => agentUsd)),
    userCostPerTask: mean(known(({ userUsd }) => userUsd)),
    promptTokens: mean(facts.map(({ promptTokens }) => promptTokens)),
    completionTokens: mean(facts.map(({ completionTokens }) => completionTokens)),
    cacheShare: rateOf({ of: prompt, hits: cached }),
    recall: mean(known(({ recall }) => recall)),
  };
}

function counted(values: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
