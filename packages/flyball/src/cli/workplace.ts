import { nodeHost } from '../adapters/host-node/node-host.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import { createRuntime } from '../create-runtime.js';
import type { Runtime } from '../index.js';
import type { RunRecord } from '../ports/engine.js';
import type { AgentModule } from './agent-module.js';
import { isThere, openDatabase, whatIsMissing } from './database.js';
import type { DatabaseEngine } from './database-engine.js';
import { focusOn } from './focus.js';
import type { Place } from './place.js';
import { handleUncaughtOf } from './uncaught.js';

/** An open database with a runtime over it. */
export interface Workplace extends Place {
  readonly engine: DatabaseEngine;
  /** Reads and posts; runs nothing. */
  readonly desk: Runtime;
  /** A runtime that runs this one run and leaves all others to whoever owns them. */
  runner(module: AgentModule, runId: string): Runtime;
  close(): Promise<void>;
}

export async function openWorkplace(place: Place): Promise<Workplace> {
  const engine = await openDatabase(place);
  const desk = createRuntime({ engine, agents: {}, options: { worker: false } });
  const runners: Runtime[] = [];
  let stopHandling = (): void => undefined;
  return {
    ...place,
    engine,
    desk,
    runner(module, runId) {
      const { seams, prices, options } = module.runtime;
      const runtime = createRuntime({
        engine: focusOn(engine, runId),
        agents: module.agents,
        ...(seams === undefined ? {} : { seams }),
        ...(prices === undefined ? {} : { prices }),
        // whoever sits at the database is asked and asks: two people are told apart by a server with keys
        options: { requesterDecides: true, ...options, worker: true },
      });
      if (runners.length === 0) stopHandling = handleUncaughtOf(() => runners);
      runners.push(runtime);
      return runtime;
    },
    async close() {
      for (const runtime of runners) await runtime.close();
      stopHandling();
      await desk.close();
      await engine.close();
    },
  };
}

/** For commands about runs that must exist already: does not create a database on the way. */
export async function openExisting(place: Place, runId: string): Promise<Workplace> {
  if (await isThere(place)) return openWorkplace(place);
  throw new FlyballError(
    'RUN_NOT_FOUND',
    `There is no run ${runId}: ${whatIsMissing(place)}. Set the database with --db, FLYBALL_DB or FLYBALL_CONFIG.`,
    { detail: { runId } },
  );
}

/** For commands about a database that must exist already. */
export async function openDatabaseThere(place: Place): Promise<Workplace> {
  if (await isThere(place)) return openWorkplace(place);
  throw new ConfigError(`${whatIsMissing(place)}. Set the database with --db, FLYBALL_DB or FLYBALL_CONFIG.`);
}

/** The process that works on the run at this moment, unless it is proven gone or its lease is over. */
export function liveOwner(record: RunRecord): RunRecord['owner'] {
  const { owner, leaseUntil } = record;
  if (owner === undefined || nodeHost().isGone(owner)) return undefined;
  return leaseUntil === undefined || leaseUntil > Date.now() ? owner : undefined;
}
