/**
 * Says whose turn it is, where that is not left to workers that look around. It has no part in what is written: the
 * journal stays with the engine, and the fence of a claim protects it from whoever was called before.
 */
export interface Dispatcher {
  /**
   * There is something to do for this run: have some process call `drive(runId)`, once or more often. `drive` answers
   * how the run rests; where it sleeps until a time, have it called again then. Resolves when this is sure to happen.
   */
  dispatch(runId: string): Promise<void>;
}
