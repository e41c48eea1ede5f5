import { AsyncLocalStorage } from 'node:async_hooks';

/** Whose code is running: the agent's own, an effect's body, or the runtime's machinery. */
export interface ExecutionPlace {
  /** The attempt of the run, by identity. */
  readonly attempt: object;
  readonly inEffect: boolean;
  readonly host: boolean;
}

/** Empty outside any run. A handle made while neither `inEffect` nor `host` holds is something a replay cannot repeat. */
export const effectContext = new AsyncLocalStorage<ExecutionPlace>();
