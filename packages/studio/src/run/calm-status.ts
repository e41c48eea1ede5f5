import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunStatus } from '../api/types.js';

/** Shorter than this, a nap or a moment of work between two naps is nothing to tell. */
const CALM_MS = 1_500;

/** Asleep by itself: a card names what has to come from outside, and a sleep is not among it. */
export function isNap(status: RunStatus, waiting: readonly string[]): boolean {
  return status === 'suspended' && waiting.length === 0;
}

/**
 * How long a status has to last before it is shown in the place of another one. A run that sleeps for a moment between
 * its steps would flicker; everything else, a question to a person above all, is shown at once.
 */
export function calmDelay(shown: Standing, next: Standing): number {
  if (shown.status === next.status && shown.nap === next.nap) return 0;
  const isCourse = (one: Standing): boolean => one.nap || one.status === 'running';
  return isCourse(shown) && isCourse(next) ? CALM_MS : 0;
}

export interface Standing {
  readonly status: RunStatus;
  readonly nap: boolean;
}

/** The status as it is to be shown: of two that take turns within moments, the one that was there first. */
export function useCalmStatus(status: RunStatus, waiting: readonly string[]): RunStatus {
  const nap = isNap(status, waiting);
  const shown = useRef<Standing>({ status, nap });
  const [, draw] = useState(0);
  const delay = calmDelay(shown.current, { status, nap });
  if (delay === 0) shown.current = { status, nap };
  useEffect(() => {
    if (delay === 0) return;
    const timer = setTimeout(() => {
      shown.current = { status, nap };
      draw((turn) => turn + 1);
    }, delay);
    return () => clearTimeout(timer);
  }, [status, nap, delay]);
  return shown.current.status;
}
