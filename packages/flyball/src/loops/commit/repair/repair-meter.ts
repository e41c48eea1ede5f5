import type { Run } from '../../../core/run.js';
import type { RepairSpent } from './repair-contracts.js';

/** What repairs have cost over the whole loop, this round included, beside what they may cost. */
export class RepairMeter {
  private readonly run: Run;
  private readonly before: RepairSpent;
  private readonly most: RepairSpent;
  private readonly start: { readonly costUsd: number; readonly at: number };
  private attempts = 0;

  constructor(run: Run, given: { readonly before: RepairSpent; readonly most: RepairSpent }) {
    this.run = run;
    this.before = given.before;
    this.most = given.most;
    this.start = { costUsd: run.budget.spent().costUsd, at: run.now() };
  }

  countAttempt(): void {
    this.attempts++;
  }

  spent(): RepairSpent {
    const { attempts, costUsd, ms } = this.before;
    return {
      attempts: attempts + this.attempts,
      costUsd: costUsd + this.run.budget.spent().costUsd - this.start.costUsd,
      ms: ms + this.run.now() - this.start.at,
    };
  }

  /** `>=`, because a round can begin past its limit. */
  isSpent(): boolean {
    const { attempts, costUsd, ms } = this.spent();
    return attempts >= this.most.attempts || costUsd >= this.most.costUsd || ms >= this.most.ms;
  }
}
