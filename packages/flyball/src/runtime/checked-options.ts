import { ConfigError } from '../core/errors.js';
import { refuseUnknownOptions } from '../core/known-options.js';

/** The least that each number may be. A lease of no time at all would give every run to whoever looks next. */
const LEAST = {
  flushAfterMs: 0,
  suspendAfterMs: 0,
  foreignTurns: 1,
  compensationAttempts: 1,
  compensationTimeoutMs: 1,
  settleMs: 0,
  leaseMs: 1,
  pollMs: 1,
  maxResumes: 0,
  drainMs: 0,
  maxLoaded: 1,
} as const;

const NAMES: readonly string[] = [...Object.keys(LEAST), 'requesterDecides', 'worker'];

/** The options that are given, checked. One that is given as undefined is not given. */
export function checkedOptions<Options extends object>(given: Partial<Options> = {}): Partial<Options> {
  refuseUnknownOptions('options of createRuntime', given, NAMES);
  const options: Record<string, unknown> = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  for (const [name, least] of Object.entries(LEAST)) {
    const value = options[name];
    if (value === undefined || (typeof value === 'number' && value >= least)) continue;
    throw new ConfigError(`${name} must be a number of at least ${least}, not ${JSON.stringify(value)}.`);
  }
  checkWorker(options['worker']);
  return options as Partial<Options>;
}

function checkWorker(worker: unknown): void {
  if (worker === undefined || typeof worker === 'boolean' || worker === 'elsewhere') return;
  if (typeof worker !== 'object' || worker === null)
    throw new ConfigError(
      `worker is true, false, 'elsewhere', or an object with agents, concurrency and weight, not ${JSON.stringify(worker)}.`,
    );
  refuseUnknownOptions('worker', worker, ['agents', 'concurrency', 'weight']);
  const { agents, concurrency, weight } = worker as Record<string, unknown>;
  if (agents !== undefined && !Array.isArray(agents))
    throw new ConfigError(`agents of the worker is a list of names, not ${JSON.stringify(agents)}.`);
  for (const [name, value] of Object.entries({ concurrency, weight }))
    if (value !== undefined && typeof value !== 'number')
      throw new ConfigError(`The ${name} of a worker must be a number, not ${JSON.stringify(value)}.`);
}
