import type { Clock } from 'flyball';
import { isSuccessful } from '../metrics/pass-hat-k.js';
import type { SimulationRecord } from '../results/simulation-record.js';
import type { ConditionBook } from './condition-book.js';
import type { Progress } from './experiment.js';

/** What has been done and what it cost, in figures that do not grow with it. */
export class ProgressMeter {
  private readonly clock: Clock;
  private readonly total: number;
  private readonly before: number;
  private readonly startedAt: number;
  private finished = 0;
  private infrastructureErrors = 0;
  private successes: number;
  private costUsd: number;

  constructor(clock: Clock, jobs: number, books: readonly ConditionBook[]) {
    this.clock = clock;
    this.startedAt = clock.monotonic();
    this.before = books.reduce((sum, book) => sum + book.size, 0);
    this.total = this.before + jobs;
    this.successes = books.reduce((sum, book) => sum + book.successes, 0);
    this.costUsd = books.reduce((sum, book) => sum + book.costUsd, 0);
  }

  told(condition: string, simulation: SimulationRecord): Progress {
    this.finished++;
    if (simulation.termination === 'infrastructure_error') this.infrastructureErrors++;
    if (simulation.reward !== null && isSuccessful(simulation.reward.reward)) this.successes++;
    this.costUsd += (simulation.agentCost ?? 0) + (simulation.userCost ?? 0);
    const elapsedMs = this.clock.monotonic() - this.startedAt;
    const left = this.total - this.before - this.finished;
    return {
      condition,
      simulation,
      finished: this.before + this.finished,
      total: this.total,
      infrastructureErrors: this.infrastructureErrors,
      successes: this.successes,
      costUsd: this.costUsd,
      elapsedMs,
      etaMs: (elapsedMs / this.finished) * left,
    };
  }
}
