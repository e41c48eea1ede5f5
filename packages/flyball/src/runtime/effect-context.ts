import { AsyncLocalStorage } from 'node:async_hooks';

/** Whose code is running: the agent's own, an effect's body, or the runtime's machinery. */
export interface ExecutionPlace {
  /**
   * Which life of which run. A name for it and not the life itself: Node keeps this with every timer and turn that was
   * set up here, and links those to each other, so that one of them would hold all runs of its time.
   */
  readonly life: symbol;
  readonly inEffect: boolean;
  readonly host: boolean;
}

/** Empty outside any run. A handle made while neither `inEffect` nor `host` holds is something a replay cannot repeat. */
export const effectContext = new AsyncLocalStorage<ExecutionPlace>();
