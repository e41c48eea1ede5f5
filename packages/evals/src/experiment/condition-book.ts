import { ConfigError } from 'flyball';
import { isSuccessful } from '../metrics/pass-hat-k.js';
import { POLICY_BY_TASK } from '../results/info-record.js';
import type { ExperimentInfo, Results, SimulationRecord } from '../results/simulation-record.js';
import type { Limits } from '../simulation/party.js';
import { pyOf } from '../tau2/python/plain-values.js';
import { instantOf, timestamp } from '../tau2/python/timestamps.js';
import type { Task } from '../world/task.js';
import { identityOf, keptFrom, Saver } from './checkpoint.js';
import type { Condition, ExperimentOptions, SideMaker } from './experiment.js';
import { policyFor } from './simulation-agent.js';

/** The results of one condition while they grow. */
export class ConditionBook {
  readonly condition: Condition;
  readonly info: ExperimentInfo;
  readonly policyByTask: boolean;
  private readonly tasks: readonly Task[];
  private readonly order: ReadonlyMap<string, number>;
  private readonly records = new Map<string, SimulationRecord>();
  private readonly saver: Saver;
  private readonly earlier: Results | undefined;
  private begunAt: string;

  private constructor(
    options: ExperimentOptions,
    condition: Condition,
    limits: Limits,
    { earlier, policy }: { readonly earlier: Results | undefined; readonly policy: string | undefined },
  ) {
    this.condition = condition;
    this.tasks = options.tasks;
    this.order = new Map(options.tasks.map(({ id }, index) => [id, index]));
    this.policyByTask = policy === undefined;
    this.info = {
      ...infoOf(options, condition, limits),
      policy: policy ?? POLICY_BY_TASK,
      rest: earlier?.info.rest ?? null,
    };
    this.begunAt = earlier?.timestamp ?? timestamp(options.runtime.clock.now());
    this.earlier = earlier;
    this.saver = new Saver(options.checkpoint?.(condition), () => this.results());
    const kept = earlier === undefined ? [] : keptFrom(earlier, { info: this.info, tasks: this.tasks });
    for (const record of kept) this.put(record);
  }

  static async open(options: ExperimentOptions, condition: Condition, limits: Limits): Promise<ConditionBook> {
    const earlier = await options.checkpoint?.(condition).load();
    const policy = await commonPolicy(options, condition);
    return new ConditionBook(options, condition, limits, { earlier, policy });
  }

  /** When its file was begun: a resumed one keeps the time. */
  get timestamp(): string {
    return this.begunAt;
  }

  /** Gives a new file a time of its own and writes it before the first run: after a crash its runs are found by it. */
  async settle(isTaken: (timestamp: string) => Promise<boolean>): Promise<void> {
    if (this.earlier === undefined) {
      while (await isTaken(this.begunAt)) this.begunAt = timestamp(instantOf(this.begunAt) + 1);
    }
    await this.saver.save();
  }

  has(one: Pick<SimulationRecord, 'trial' | 'taskId' | 'seed'>): boolean {
    return this.records.has(identityOf(one));
  }

  /** Tries that an earlier experiment spent on it in vain: their runs are in the journal, and new ones come after. */
  triesBefore(one: Pick<SimulationRecord, 'trial' | 'taskId' | 'seed'>): number {
    const identity = identityOf(one);
    const dropped = this.earlier?.simulations.filter((record) => identityOf(record) === identity) ?? [];
    return Math.max(0, ...dropped.map(({ info }) => Number(info?.['attempts'] ?? 0)));
  }

  get isComplete(): boolean {
    return this.records.size >= this.tasks.length * this.info.trials;
  }

  get size(): number {
    return this.records.size;
  }

  get successes(): number {
    return [...this.records.values()].filter(({ reward }) => reward !== null && isSuccessful(reward.reward)).length;
  }

  /** What the kept simulations cost, as far as it is known. */
  get costUsd(): number {
    return [...this.records.values()].reduce((sum, one) => sum + (one.agentCost ?? 0) + (one.userCost ?? 0), 0);
  }

  /** Resolves when it is saved. */
  add(record: SimulationRecord): Promise<void> {
    this.put(record);
    return this.saver.save();
  }

  results(): Results {
    return {
      timestamp: this.begunAt,
      info: this.info,
      tasks: this.tasks,
      simulations: [...this.records.values()].sort((a, b) => a.trial - b.trial || this.placeOf(a) - this.placeOf(b)),
      ...(this.earlier?.rest === undefined ? {} : { rest: this.earlier.rest }),
    };
  }

  private put(record: SimulationRecord): void {
    this.records.set(identityOf(record), record);
  }

  private placeOf({ taskId }: SimulationRecord): number {
    return this.order.get(taskId) ?? this.order.size;
  }
}

/** The text of the policy, where it is the same for all tasks. */
async function commonPolicy(options: ExperimentOptions, condition: Condition): Promise<string | undefined> {
  let common: string | undefined;
  for (const task of options.tasks) {
    const policy = await policyFor(options, condition, task);
    if (common !== undefined && common !== policy) return undefined;
    common = policy;
  }
  return common ?? '';
}

function infoOf(
  options: ExperimentOptions,
  condition: Condition,
  limits: Limits,
): Omit<ExperimentInfo, 'policy' | 'rest'> {
  const [agent, user] = [options.agents[condition.agent], options.users[condition.user]];
  if (agent === undefined || user === undefined) throw new ConfigError(`Condition ${condition.name} has no sides.`);
  const withTools = options.tasks.some(({ userTools }) => userTools === null || userTools.length > 0);
  return {
    domain: options.domain.name,
    trials: options.trials,
    maxSteps: limits.maxSteps,
    maxErrors: limits.maxErrors,
    seed: options.seed,
    agent: sideOf(condition.agent, agent),
    user: { ...sideOf(condition.user, user), guidelines: options.domain.userGuidelines(withTools) },
    retrieval: condition.retrieval ?? options.domain.defaultRetrieval ?? null,
    retrievalOptions: condition.retrievalOptions === undefined ? null : pyOf(condition.retrievalOptions),
    gitCommit: options.revision ?? '',
  };
}

function sideOf(implementation: string, maker: SideMaker): ExperimentInfo['agent'] {
  return {
    implementation: maker.implementation ?? implementation,
    llm: maker.llm,
    llmArgs: maker.llmArgs ?? new Map(),
  };
}
