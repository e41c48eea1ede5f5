import type { Breaker } from '../core/breaker.js';
import type { Owner } from '../core/events.js';
import type { Price } from '../core/model.js';
import type { Outcome } from '../core/outcome.js';
import type { Agent, Run } from '../core/run.js';
import type { Seams } from '../core/seams.js';
import type { Claim, Engine, RestingState } from '../ports/engine.js';
import type { Audience } from './audience.js';
import type { OtherRunsHost } from './reach.js';
import type { Compensation, Done } from './saga.js';
import type { Written } from './writer.js';

export interface AttemptOptions {
  /** Longest time a result waits for company before it is written on its own. */
  readonly flushAfterMs: number;
  /** A run that only waits is unloaded after this. */
  readonly suspendAfterMs: number;
  /** Turns without any effect before the code is said to await something foreign. */
  readonly foreignTurns: number;
  /** How often a compensation is tried. */
  readonly compensationAttempts: number;
  /** How long one try of a compensation may take. */
  readonly compensationTimeoutMs: number;
  /** How long a stopped body that acts is waited for beyond its own time limit before it is in doubt. */
  readonly settleMs: number;
  /** Whether whoever asked for a run may decide about its acts, where the rules of an approval do not say. */
  readonly requesterDecides: boolean | (() => Promise<boolean>);
}

/** Runs the body of an effect, or gives its result without running it. */
export type AroundBody = <T>(key: string, body: () => Promise<T> | T) => Promise<T> | T;

/** How the agent function ended. */
export interface Settlement {
  readonly outcome?: Outcome<unknown>;
  readonly error?: unknown;
  /** What had closed the run by then: a bound or a cancellation. */
  readonly closedBy: Error | undefined;
}

/** A life of a run, as its host knows it. */
export interface Life {
  readonly runId: string;
  readonly claim: Claim;
}

/** What one life of a run needs from the process it lives in. */
export interface AttemptHost {
  readonly engine: Engine;
  readonly seams: Seams;
  readonly options: AttemptOptions;
  isGone(owner: Owner): boolean;
  /** The version of an agent that this process has. */
  versionOf(agent: string): string;
  /** Until when each run that lives here is leased, by the monotonic reading. */
  readonly leases: ReadonlyMap<string, number>;
  priceOf(modelId: string, own: Price | undefined): Price | undefined;
  /** Circuit breakers of the tools of which a call has failed, shared by all runs of this process. */
  readonly breakers: WeakMap<object, Breaker>;
  /** What runs can do to other runs. */
  readonly others: OtherRunsHost;
  /** Around the body of every effect, by its key: for tests that give an effect the result it had before. */
  readonly aroundBody: AroundBody | undefined;
  aroundAgent(agent: Agent<unknown, unknown>, run: Run, input: unknown): Promise<Outcome<unknown>>;
  /** Whoever watches: told of entries that are durable now, and of replies while they come. */
  readonly audience: Pick<Audience, 'listeners' | 'watchers' | 'publish' | 'delta'>;
  /** Entries of a run that crashed before are durable now. */
  wentOn(runId: string, entries: readonly Written[]): void;
  /** The function has settled and nothing is in line: may be told more than once. */
  settled(life: Life): void;
  /** Asked to pause, and nothing is in flight any more. */
  stopped(life: Life): void;
  /** It has only waited for a while. */
  idle(life: Life): void;
  ended(life: Life, outcome: Outcome<unknown>): void;
  /** This life ended without an outcome. */
  broke(life: Life, error: unknown): void;
  release(life: Life, rest: RestingState): Promise<void>;
  /** Extends its lease; ends it where another owner has taken the run over. */
  renew(life: Life): Promise<void>;
  nextGeneration(life: Life, generation: number): void;
  harvested(life: Life): void;
  /** What an earlier generation left to undo, newest first. */
  leftBy(life: Life, generation: number): Promise<readonly Done[]>;
  /** Replays a generation, children included, only to learn its compensations again. */
  harvest(life: Life, generation: number): Promise<ReadonlyMap<string, Compensation>>;
}
