import { nodeHost } from './adapters/host-node/node-host.js';
import { systemClock } from './adapters/host-node/system-clock.js';
import { jsonSchemaCheck } from './adapters/schema-json/json-schema-check.js';
import type { Agents } from './core/agent-types.js';
import type { Price } from './core/model.js';
import { priceLookup } from './core/prices.js';
import type { Seams } from './core/seams.js';
import type { Clock } from './ports/clock.js';
import type { Dispatcher } from './ports/dispatcher.js';
import type { Engine } from './ports/engine.js';
import type { Host } from './ports/host.js';
import type { Telemetry } from './ports/telemetry.js';
import { openRuntime } from './runtime/open-runtime.js';
import type { RuntimeOptions } from './runtime/options.js';
import type { Runtime } from './runtime/runtime.js';

/** Options of `createRuntime`. */
export interface CreateRuntime<A extends Agents = Agents> {
  /** Where runs live: `await sqliteEngine({ path })`, or `memoryEngine()` in tests. */
  readonly engine: Engine;
  /** By name. `start` knows their names, what each is given and what it returns. */
  readonly agents: A;
  readonly seams?: Seams;
  /** Prices by `provider/model`. They come first, then what a model says of itself, then the built-in table. */
  readonly prices?: Readonly<Record<string, Price>>;
  readonly options?: Partial<RuntimeOptions>;
  /** Told of failures that nobody awaits. By default they become process warnings. */
  readonly onProblem?: (error: unknown, doing: string) => void;
  /** Told of every run that is set aside for a person, with the reason. */
  readonly onStalled?: (runId: string, error: unknown) => void;
  /** Gets the journal of every run that ends here, for instance `await otelTelemetry()`. */
  readonly telemetry?: Telemetry;
  /** Says whose turn it is, in place of workers that look around. */
  readonly dispatcher?: Dispatcher;
  readonly clock?: Clock;
  readonly host?: Host;
}

/** A runtime on this process's clock and identity. */
export function createRuntime<A extends Agents>(given: CreateRuntime<A>): Runtime<A> {
  const runtime: Runtime = openRuntime({
    engine: given.engine,
    agents: given.agents,
    clock: given.clock ?? systemClock(),
    host: given.host ?? nodeHost(),
    prices: priceLookup(given.prices),
    checkJson: jsonSchemaCheck(),
    onProblem:
      given.onProblem ??
      ((error, doing) =>
        process.emitWarning(`flyball, ${doing}: ${error instanceof Error ? error.message : String(error)}`)),
    ...(given.dispatcher === undefined ? {} : { dispatcher: given.dispatcher }),
    ...(given.onStalled === undefined ? {} : { onStalled: given.onStalled }),
    ...(given.telemetry === undefined ? {} : { telemetry: given.telemetry }),
    ...(given.seams === undefined ? {} : { seams: given.seams }),
    ...(given.options === undefined ? {} : { options: given.options }),
  });
  return runtime as Runtime<A>; // names and types are the compiler's: the runtime below goes by names alone
}
