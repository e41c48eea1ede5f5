import type { Share } from './accuracy.js';
import { actionEntropy } from './action-entropy.js';
import { bootstrapMean, type Interval } from './bootstrap.js';
import { byTask, type Condition, succeeded } from './condition.js';
import { factsOf, type SimulationFacts } from './facts.js';
import { type Mean, meanOver, shareOver, sumOver } from './figures.js';
import { passHatKs } from './pass-hat-k.js';

/** One row: a condition in figures. Shares and means say what they are over. */
export interface Summary {
  readonly label: string;
  readonly domain: string;
  readonly model: string;
  readonly agent: string;
  readonly retrieval: string;
  /** N: everything that was scored, what ended at a limit included. */
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
  readonly turns: Mean;
  readonly modelCalls: Mean;
  readonly toolCalls: Mean;
  readonly seconds: Mean;
  /** Bits: how uncertain the agent's next action is, given its last one. */
  readonly actionEntropy: number | null;
  readonly costPerTask: Mean;
  readonly userCostPerTask: Mean;
  readonly promptTokens: Mean;
  readonly completionTokens: Mean;
  readonly cacheShare: Share;
  readonly recall: Mean;
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

/** All figures of a condition. */
export function summaryOf(condition: Condition, facts = factsOf(condition)): Summary {
  const { model, agent, retrieval, domain, scored, infrastructureErrors, unscored } = condition;
  const tasks = byTask(scored);
  const outcomes = [...tasks.values()].map((trials) => trials.map(succeeded));
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
    dbMatch: shareOver('db-match', facts),
    actionMatch: shareOver('action-match', facts),
    reads: shareOver('gold-reads', facts),
    goldWrites: shareOver('gold-writes', facts),
    issuedWrites: shareOver('issued-writes', facts),
    compliance: complianceSummary(facts),
    withoutExempt: complianceSummary(facts.filter(({ exempt }) => !exempt)),
    ...effortSummary(facts),
    terminations: counted(facts.map(({ termination }) => termination)),
  };
}

function complianceSummary(facts: readonly SimulationFacts[]): ComplianceSummary {
  return {
    unauthorized: shareOver('unauthorized', facts),
    earlyWrites: shareOver('early-writes', facts),
    earlyWritesOfBoth: shareOver('early-writes-of-both', facts),
    overRetry: shareOver('over-retry', facts),
    responseTypeViolations: sumOver('response-type', facts),
    refused: sumOver('refused', facts),
  };
}

function effortSummary(facts: readonly SimulationFacts[]) {
  return {
    turns: meanOver('turns', facts),
    modelCalls: meanOver('model-calls', facts),
    toolCalls: meanOver('tool-calls', facts),
    seconds: meanOver('seconds', facts),
    actionEntropy: actionEntropy(facts.map(({ actions }) => actions)),
    costPerTask: meanOver('cost', facts),
    userCostPerTask: meanOver('user-cost', facts),
    promptTokens: meanOver('prompt-tokens', facts),
    completionTokens: meanOver('output-tokens', facts),
    cacheShare: shareOver('cache-share', facts),
    recall: meanOver('recall', facts),
  };
}

function counted(values: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
