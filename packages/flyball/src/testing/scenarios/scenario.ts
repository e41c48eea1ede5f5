import type { Budget } from '../../core/budget.js';
import type { Stop, Waiting } from '../../core/outcome.js';
import type { Clock } from '../../ports/clock.js';
import type { Engine } from '../../ports/engine.js';
import type { Host } from '../../ports/host.js';
import type { RuntimeOptions } from '../../runtime/options.js';
import type { Runtime } from '../../runtime/runtime.js';
import type { Outside } from './outside.js';

/** What one life of the process brings to its runtime. Hand all of it on: `createRuntime({ ...life, agents })`. */
export interface LifeParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly host: Host;
  readonly onProblem: (error: unknown, doing: string) => void;
  readonly options: Partial<RuntimeOptions>;
}

/** What a person says to a wait, and who they are. */
export interface PersonAnswer {
  readonly payload: unknown;
  readonly from?: string;
  readonly scopes?: readonly string[];
}

/**
 * A run that can be played in many ways: straight through, evicted, crashed, paused, redirected, cancelled and forked
 * at every point. Its replies and answers must depend on what is asked and not on how often, because every play asks
 * again; so does a model whose script is a function of the request.
 */
export interface Scenario {
  readonly name: string;
  /** Opens a runtime with the agents of this scenario. Called anew for every life, as a new process would load its code. */
  readonly open: (life: LifeParts, outside: Outside) => Runtime;
  /** Name of the agent to start; `agent` by default. */
  readonly agent?: string;
  readonly input?: unknown;
  readonly budget?: Partial<Budget>;
  /** What people answer. Undefined leaves the wait to its deadline. Approvals of live forks and doubts are answered for you. */
  readonly people?: (waiting: Waiting) => PersonAnswer | undefined;
  /** The budgets to resume with, one after the other, when the run stops at a bound. */
  readonly larger?: readonly Partial<Budget>[];
  /** How the straight play must end; without it, however it ends is what the others are held against. */
  readonly ends?: { readonly stop: Stop; readonly says?: readonly string[] };
  /** What of a value has to be the same in every play; all of it by default. Leave out what counts tokens or names the run. */
  readonly compare?: (value: unknown) => unknown;
  /** The agent reads its instructions, so a redirection may change how it ends. */
  readonly heedsInstructions?: true;
  /**
   * A sleep or the deadline of a child races with something else. A fork that is made when it is over finds it due, or
   * lifted, and may end otherwise or wait.
   */
  readonly racesTime?: true;
  /** The agent does something else in a fork, as code that was changed before it would: a fork is not held against its parent. */
  readonly changesInForks?: true;
  /** Acts, by name, that no play may ever see take place. */
  readonly never?: readonly string[];
  /** Texts that no view of any play may show. */
  readonly secrets?: readonly string[];
}
