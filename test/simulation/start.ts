import type { FlyballError } from 'flyball';
import { type Case, ENOUGH } from '../crash/case.js';
import { startBudget } from '../crash/place.js';
import type { Simulation } from './simulation.js';

/** More branches at once than any generated program opens. */
const WIDE = 1_000;

/** Somebody asks for a run, again and again until it is there: under the same name, so that there is only one. */
export function start(simulation: Simulation, runId: string, given: Case): void {
  const { timeline, random } = simulation;
  let isKnown = false;
  const attempt = async (): Promise<void> => {
    const server = simulation.server();
    if (server === undefined) return;
    const budget = { ...startBudget(given, given.budgets[0] ?? ENOUGH, timeline.now), width: WIDE };
    await server.start('fuzzed', null, { id: runId, budget, subject: 'customer' }).catch((error: FlyballError) => {
      if (error.code !== 'RUN_EXISTS') throw error;
    });
    isKnown = true;
  };
  const ask = (): void => {
    if (isKnown) return;
    timeline.after(6_000, ask);
    attempt().catch((error: Error) => simulation.trace(`${runId} was not started: ${error.message.slice(0, 100)}`));
  };
  timeline.after(random.int(500), ask);
}
