type Order = 'pause' | 'redirect' | 'fork' | 'cancel';

/** A run in the storm, and what people are going to do with it. */
export interface StormRun {
  readonly id: string;
  readonly fails: boolean;
  readonly rounds: number;
  /** What to do once its journal has so many entries. */
  readonly orders: { readonly what: Order; readonly after: number }[];
  readonly fork?: { readonly of: StormRun; readonly live: boolean; readonly generation: number; readonly at: number };
  redirects: number;
  /** Lines of the ledger when it was cancelled and nobody was alive. */
  cancelledDeadAt?: number;
  /** Tool calls that it may make at first. */
  readonly toolCalls: number;
}

export function newStormRun(id: string, random: () => number): StormRun {
  const chance = (of: number) => random() < of;
  const orders = (['pause', 'redirect', 'fork', 'cancel'] as const)
    .filter((what) => chance(what === 'cancel' ? 0.15 : 0.4))
    .map((what) => ({ what, after: 5 + Math.floor(random() * 60) }));
  return {
    id,
    fails: chance(0.2),
    rounds: chance(0.5) ? 2 : 1,
    orders,
    redirects: 0,
    toolCalls: chance(0.2) ? 3 : 100,
  };
}
