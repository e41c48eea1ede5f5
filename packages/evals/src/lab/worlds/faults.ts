import type { Fault, FaultKind } from '../../suites/fault.js';
import { draw } from '../simulated.js';

/** Faults of the world of faults, by rates. */
export interface FaultRates {
  /** Share of calls that fail at first. */
  readonly rate: number;
  /** Probability that the next try of the same call fails too. */
  readonly lasts: number;
  /** Kinds, all equally likely. */
  readonly kinds: readonly FaultKind[];
}

/** As the adapters of services have them: after these a call is tried again. */
const PASSING: ReadonlySet<FaultKind> = new Set(['timeout', '5xx', 'rate-limit']);
const MOST_TRIES = 50;

/** W10: the fault of the one call of an item, as `faultSeams` takes it; undefined where the call goes well. */
export function faultFor(item: number, tool: string, { rate, lasts, kinds }: FaultRates): Fault | undefined {
  if (draw('W10', 'fails', item) >= rate) return undefined;
  let tries = 1;
  while (tries < MOST_TRIES && draw('W10', 'lasts', item, tries) < lasts) tries++;
  const kind = kinds[Math.floor(draw('W10', 'kind', item) * kinds.length)] ?? '5xx';
  return { id: `fault-${item}`, tool, kind, onCall: 1, tries };
}

/** How likely a call comes through in so many tries. */
export function comesThrough({ rate, lasts, kinds }: FaultRates, tries: number): number {
  const passing = kinds.filter((kind) => PASSING.has(kind)).length / kinds.length;
  return 1 - rate + rate * passing * (1 - lasts ** (tries - 1));
}
