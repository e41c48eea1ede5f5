/**
 * What the runs of a tenant, and of a key with the keys below it, may cost in a day (UTC), over restarts and several servers.
 *
 * Invariants:
 * 1. What open runs may still spend counts as spent: a limit is never passed, however many start or go on at once.
 * 2. What a run is granted counts in the day of the grant, and each dollar that it spends is counted once: also what it
 *    spends after it was settled.
 * 3. A run keeps all that it was granted for as long as its budget allows it to spend that. A refusal takes nothing away.
 */
export interface Spending {
  /**
   * Takes up to `wantedUsd` for a new run out of what is left and answers how much that is: the run's budget.
   * Rejects with COST_LIMITED (429) when nothing is left. Asking again for the same run answers the same.
   */
  admit(run: Admission): Promise<{ readonly costUsd: number }>;
  /**
   * For a run that is there: asks for what `wantedUsd` is more than the run has, and lets it go on in `work`, which is
   * told what it may cost in all. Until that is done nothing of the run is given back, whoever settles it meanwhile;
   * after it, and where `work` fails, what the run cannot spend is free again. Rejects as `admit` does, before `work`.
   */
  raise<T>(run: Admission, standing: Look, work: (costUsd: number) => Promise<T>): Promise<T>;
  /** Gives back what the run cannot spend any more, by a look that is taken after everything it was granted. */
  settle(run: Pick<Admission, 'runId' | 'tenant'>, standing: Look): Promise<void>;
  /**
   * Settles runs for which `raise` was begun and never ended, because its process died. By their journals: one that went
   * on keeps what it may spend, and of one that did not what was granted in vain is free again.
   */
  reconcile(standing: (runId: string) => Promise<Standing | undefined>): Promise<void>;
  /** For people: limit, spent and reserved today. */
  today(of: { readonly tenant: string; readonly principal?: string }): Promise<SpendingToday>;
}

export interface Admission {
  readonly runId: string;
  readonly tenant: string;
  /** What the run may cost from its start to its end. */
  readonly wantedUsd: number;
  readonly tenantLimit: number | undefined;
  /** Who has a limit: whoever asks, and those that it comes from, first to last. It counts for each of them. */
  readonly payers: readonly Payer[];
}

export interface Payer {
  /** `Principal.id`. */
  readonly id: string;
  readonly limitUsd: number;
}

/** How far a run is, by its journal. */
export interface Standing {
  readonly spentUsd: number;
  /** What it may cost in all. Absent once it has ended, if only at a bound. */
  readonly budgetUsd?: number;
}

export type Look = () => Promise<Standing>;

export interface SpendingToday {
  readonly limitUsd: number | undefined;
  readonly spentUsd: number;
  readonly reservedUsd: number;
}
