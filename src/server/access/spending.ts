/**
 * What the runs of a tenant and of a key may cost in a day (UTC), over restarts and several servers.
 *
 * Invariants:
 * 1. What open runs may still spend counts as spent: a limit is never passed, however many start at once.
 * 2. A run is counted once, in the day in which it was admitted.
 */
export interface Spending {
  /**
   * Takes up to `wantedUsd` for a run out of what is left and answers how much that is: the run's budget.
   * Rejects with COST_LIMITED (429) when nothing is left. Asking again for the same run answers the same.
   */
  admit(run: Admission): Promise<{ readonly costUsd: number }>;
  /** What the run really cost: the rest is free again. Twice is the same as once. */
  settle(runId: string, tenant: string, spentUsd: number): Promise<void>;
  /** For people: limit, spent and reserved today. */
  today(of: { readonly tenant: string; readonly principal?: string }): Promise<SpendingToday>;
}

export interface Admission {
  readonly runId: string;
  readonly tenant: string;
  /** `Principal.id`. */
  readonly principal: string;
  readonly wantedUsd: number;
  readonly tenantLimit: number | undefined;
  readonly principalLimit: number | undefined;
}

export interface SpendingToday {
  readonly limitUsd: number | undefined;
  readonly spentUsd: number;
  readonly reservedUsd: number;
}
