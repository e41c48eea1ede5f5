import type { EventOf, Owner, SagaEntry } from '../core/events.js';
import type { ModelDelta, Price } from '../core/model.js';
import type { Outcome } from '../core/outcome.js';
import type { Agent, Run } from '../core/run.js';
import type { Clock } from '../ports/clock.js';
import type { Engine, Rest } from '../ports/engine.js';
import type { Attempt } from './attempt.js';
import type { Seams } from './seams.js';
import type { Written } from './writer.js';

export interface AttemptOptions {
  /** Longest time a result waits for company before it is written on its own. */
  readonly flushAfterMs: number;
  /** A run that only waits is unloaded after this. */
  readonly suspendAfterMs: number;
  /** Turns without any effect before the code is said to await something foreign. */
  readonly foreignTurns: number;
  readonly compensationAttempts: number;
}

export type Compensators = ReadonlyMap<string, (how: { key: string; signal: AbortSignal }) => Promise<void>>;

/** What one life of a run needs from the process it lives in. */
export interface AttemptHost {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly seams: Seams;
  readonly options: AttemptOptions;
  readonly me: Owner;
  isGone(owner: Owner): boolean;
  /** False once the lease may have passed to someone else: then nothing may touch the world. */
  leaseHolds(attempt: Attempt): boolean;
  priceOf(modelId: string): Price | undefined;
  aroundAgent(agent: Agent<unknown, unknown>, run: Run, input: unknown, runId: string): Promise<Outcome<unknown>>;
  /** Entries that are durable now. */
  publish(runId: string, entries: readonly Written[]): void;
  delta(runId: string, effect: string, attempt: number, delta: ModelDelta): void;
  /** History has ended and the run goes on. */
  live(attempt: Attempt): void;
  ended(attempt: Attempt, outcome: Outcome<unknown>): void;
  /** This life ended without an outcome. */
  broke(attempt: Attempt, error: unknown): void;
  release(attempt: Attempt, rest: Rest): Promise<void>;
  nextGeneration(attempt: Attempt, generation: number): void;
  harvested(attempt: Attempt): void;
  /** The INTENT of an effect of an earlier generation. */
  intentOf(attempt: Attempt, entry: SagaEntry): Promise<EventOf<'intent'> | undefined>;
  /** Replays a generation, children included, only to learn its compensations again. */
  harvest(attempt: Attempt, generation: number): Promise<Compensators>;
}
