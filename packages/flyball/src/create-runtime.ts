import { nodeHost } from './adapters/host-node/node-host.js';
import { systemClock } from './adapters/host-node/system-clock.js';
import { jsonSchemaCheck } from './adapters/schema-json/json-schema-check.js';
import type { Agents } from './core/agent-types.js';
import { ConfigError } from './core/errors.js';
import { refuseUnknownOptions } from './core/known-options.js';
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
  /** Where runs are stored: `await sqliteEngine({ path })`, or `memoryEngine()` in tests. */
  readonly engine: Engine;
  /** Agents by name. `start` knows their names, inputs and outputs. */
  readonly agents: A;
  readonly seams?: Seams;
  /** Prices by `provider/model`. They take precedence over the price of the model itself and the built-in table. */
  readonly prices?: Readonly<Record<string, Price>>;
  readonly options?: Partial<RuntimeOptions>;
  /** Called with failures in the background. By default they become process warnings. */
  readonly onProblem?: (error: unknown, doing: string) => void;
  /** Called with every run that becomes `stalled`, and the reason. */
  readonly onStalled?: (runId: string, error: unknown) => void;
  /** Called with every run that another process took over while this one worked on it: its lease had ended. */
  readonly onLost?: (runId: string) => void;
  /** Gets the journal of every run that ends in this process, for example `await otelTelemetry()`. */
  readonly telemetry?: Telemetry;
  /** Decides which process works on a run, instead of polling workers. */
  readonly dispatcher?: Dispatcher;
  readonly clock?: Clock;
  readonly host?: Host;
  /**
   * Checks how the agents are composed, for example `composition({ profile: ['production'] })` of `flyball/catalogue`.
   * `createRuntime` throws while it finds errors.
   */
  readonly composition?: (assembled: Pick<CreateRuntime, 'agents' | 'seams'>) => readonly CompositionFinding[];
}

/** What a check of a composition found. Only those of level `error` stop a runtime from being created. */
interface CompositionFinding {
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'info';
  readonly at: string;
  readonly why: string;
  readonly change: string;
}

const PARTS: readonly (keyof CreateRuntime)[] = [
  'engine',
  'agents',
  'seams',
  'prices',
  'options',
  'onProblem',
  'onStalled',
  'onLost',
  'telemetry',
  'dispatcher',
  'clock',
  'host',
  'composition',
];

/** Creates a runtime that starts, resumes and controls runs in this process. */
export function createRuntime<A extends Agents>(given: CreateRuntime<A>): Runtime<A> {
  refuseIncomplete(given);
  refuseErrors(given);
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
    ...(given.onLost === undefined ? {} : { onLost: given.onLost }),
    ...(given.telemetry === undefined ? {} : { telemetry: given.telemetry }),
    ...(given.seams === undefined ? {} : { seams: given.seams }),
    ...(given.options === undefined ? {} : { options: given.options }),
  });
  return runtime as Runtime<A>; // names and types are the compiler's: the runtime below goes by names alone
}

function refuseIncomplete(given: CreateRuntime): void {
  refuseUnknownOptions('createRuntime', given, PARTS);
  const { engine, agents, dispatcher } = given as Partial<CreateRuntime>;
  if (typeof engine?.create !== 'function')
    throw new ConfigError('createRuntime needs an engine: await sqliteEngine({ path }), or memoryEngine() in tests.');
  if (typeof agents !== 'object' || agents === null)
    throw new ConfigError('createRuntime needs agents by name: { agents: { greet } }.');
  if (dispatcher !== undefined && typeof dispatcher.dispatch !== 'function')
    throw new ConfigError('The dispatcher has no method dispatch(runId).');
}

/** Before anything is opened: what is composed wrongly is not run. */
function refuseErrors({ composition, agents, seams }: CreateRuntime): void {
  const errors = composition?.({ agents, ...(seams === undefined ? {} : { seams }) }).filter(
    ({ level }) => level === 'error',
  );
  if (errors === undefined || errors.length === 0) return;
  const lines = errors.map(({ rule, at, why, change }) => `${at}: ${why} ${change} [${rule}]`);
  throw new ConfigError(
    `The composition has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}:\n${lines.join('\n')}`,
  );
}
