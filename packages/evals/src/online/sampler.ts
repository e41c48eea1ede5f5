import { ConfigError } from 'flyball';
import { sha256 } from 'flyball/internal';
import type { TraceFacts } from './trace-facts.js';

/** Decides which finished runs are judged. */
export type Sampler = (trace: TraceFacts) => { readonly take: boolean; readonly why: 'always' | 'share' };

/**
 * A share of routine runs, and every run that failed, was capped, or had something refused: those are what a small
 * share would miss. The run's id decides, so asking twice gives the same answer and no state is kept.
 */
export function traceSampler({ share, salt = '' }: { readonly share: number; readonly salt?: string }): Sampler {
  if (!(share >= 0 && share <= 1))
    throw new ConfigError(`The share of traces to judge must be 0 to 1, got ${share}. Between 0.01 and 0.1 is usual.`);
  return (trace) => {
    if (trace.failed || trace.capped || trace.guarded || trace.denied) return { take: true, why: 'always' };
    return { take: placeOf(salt + trace.runId) < share, why: 'share' };
  };
}

/** Where an id falls between 0 and 1. */
function placeOf(id: string): number {
  return Number.parseInt(sha256(id).slice(0, 13), 16) / 2 ** 52;
}
