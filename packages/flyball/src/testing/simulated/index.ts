/** Simulated models with known parameters, for tests of orchestration. Importing `flyball` or `flyball/testing` does not load them. */
import { critic, hopper, improver, mover, oracle, reader, scorer } from './answering.js';
import { comparer, judge, router, victim } from './judging.js';
import { bargainer, drifter, extractor, planner, retriever, slow, stepper, writer } from './working.js';

/**
 * Families of simulated models, F1 to F14. `oracle` (F1), `improver` and `critic` (F2), `judge` and `comparer` (F3), `reader`
 * (F4), `hopper` (F5), `mover` and `scorer` (F6), `planner`, `stepper` and `writer` (F7), `router` (F8), `victim` (F9),
 * `retriever` (F10, a retriever), `extractor` (F11), `drifter` (F12), `bargainer` (F13), `slow` (F14).
 */
export const families = {
  oracle,
  improver,
  critic,
  judge,
  comparer,
  reader,
  hopper,
  mover,
  scorer,
  planner,
  stepper,
  writer,
  router,
  victim,
  retriever,
  extractor,
  drifter,
  bargainer,
  slow,
} as const;

export type { Questions } from './questions.js';
export { type SimulatedModel, simulatedModel } from './simulated-model.js';
