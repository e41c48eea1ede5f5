import type { Agent } from 'flyball';
import { openRuntime } from '../../packages/flyball/src/runtime/open-runtime.js';
import type { Machine } from './machine.js';
import type { Simulation } from './simulation.js';

export const LEASE_MS = 15_000;
/**
 * Runs that kill their process are set aside after so many. An innocent run may crash twice with each of the three
 * processes that die before the culprit is suspect: with the process, and where its last claim arrives after its death.
 */
const MAX_RESUMES = 7;

/** A real runtime with a real worker on a simulated machine. */
export function openOn(
  simulation: Simulation,
  machine: Machine,
  { fuzzed, helper }: { readonly fuzzed: Agent<never, unknown>; readonly helper: Agent<number, number> },
): void {
  const { plan, dispatch } = simulation;
  const runtime = openRuntime({
    engine: machine.line.engine,
    clock: machine.clock,
    host: machine.host,
    agents: {
      fuzzed: { agent: fuzzed as never, version: machine.version },
      helper: { agent: helper as never, version: machine.version },
    },
    prices: () => ({ input: 1, output: 1 }),
    // loading the real checker takes a time that no seed knows
    checkJson: async (schema, value) => (typeof value === schema['type'] ? undefined : 'payload has another type'),
    onProblem: (error, doing) =>
      simulation.trace(`${machine.name} ${doing}: ${(error as Error).message.slice(0, 120)}`),
    onStalled: (runId, error) => simulation.trace(`${runId} is stalled: ${(error as Error).message.slice(0, 300)}`),
    ...(plan.turns === 'dispatcher' ? { dispatcher: dispatch.port } : {}),
    options: {
      worker: plan.turns === 'workers',
      leaseMs: LEASE_MS,
      pollMs: 5_000,
      suspendAfterMs: 20,
      maxResumes: plan.isPoisoned ? MAX_RESUMES : 1e9,
    },
  });
  machine.run(runtime);
}
