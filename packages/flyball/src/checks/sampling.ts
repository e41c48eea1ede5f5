import { ConfigError } from '../core/errors.js';
import type { Framing } from '../core/framing.js';
import type { Outcome } from '../core/outcome.js';
import type { Run } from '../core/run.js';
import { type Slot, slotsOf } from '../core/slot.js';

/** How samples are drawn. */
export interface SamplingOptions {
  readonly samples: number;
  readonly temperature: number;
  readonly topP?: number;
}

/**
 * Asks the same several times, side by side, and none sees another. One framing for all of them, so that all send the same
 * request.
 */
export function drawSamples<O>(
  run: Run,
  one: (branch: Run) => Promise<Outcome<O>>,
  options: SamplingOptions,
): Promise<readonly Slot<O>[]> {
  const framing = sampledAt(options);
  const branches = Array.from({ length: options.samples }, () => (branch: Run) => one(branch.dressed(framing)));
  return slotsOf(run, branches, { width: options.samples });
}

function sampledAt({ temperature, topP }: SamplingOptions): Framing {
  const sampling = { temperature, ...(topP === undefined ? {} : { topP }) };
  return {
    id: `sampled:${temperature}:${topP ?? ''}`,
    session: (session) => {
      checkUnseeded(session.name, session.sampling?.seed);
      return { ...session, sampling: { ...session.sampling, ...sampling } };
    },
  };
}

/** A seed makes all samples one. */
export function checkUnseeded(session: string, seed: number | undefined): void {
  if (seed !== undefined)
    throw new ConfigError(`The session "${session}" has a seed, so that its samples are all the same. Remove it.`);
}
