import { compareText } from '../tau2/python/equality.js';

/** Some ids in order, with the text of their records once it was needed. */
export interface IdRun {
  readonly ids: readonly string[];
  text?: string;
}

const LONGEST = 48;

/**
 * The ids of a table by code point, in runs. A run is never changed: when one of its records is, another takes its
 * place. So a small change costs the text of one run, and copies of a table share all others.
 */
export function withId(runs: readonly IdRun[], id: string): readonly IdRun[] {
  const at = indexOf(runs, id);
  const old = runs[at]?.ids ?? [];
  const place = placeOf(old, id);
  const ids = old[place] === id ? old : old.toSpliced(place, 0, id);
  const half = ids.length >> 1;
  const made = ids.length > LONGEST ? [{ ids: ids.slice(0, half) }, { ids: ids.slice(half) }] : [{ ids }];
  return runs.toSpliced(at, 1, ...made);
}

export function withoutId(runs: readonly IdRun[], id: string): readonly IdRun[] {
  const at = indexOf(runs, id);
  const ids = (runs[at]?.ids ?? []).filter((other) => other !== id);
  return runs.toSpliced(at, 1, ...(ids.length === 0 ? [] : [{ ids }]));
}

/** The run that an id is in or belongs to. */
function indexOf(runs: readonly IdRun[], id: string): number {
  const found = runs.findIndex(({ ids }) => compareText(ids.at(-1) ?? '', id) >= 0);
  return found < 0 ? Math.max(runs.length - 1, 0) : found;
}

/** Where an id is or belongs. */
function placeOf(ids: readonly string[], id: string): number {
  const found = ids.findIndex((other) => compareText(other, id) >= 0);
  return found < 0 ? ids.length : found;
}
