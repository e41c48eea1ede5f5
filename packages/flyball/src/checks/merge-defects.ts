import type { Defect, Location } from '../core/work.js';

/** A defect and what could be done about it. */
export interface Found {
  readonly defect: Defect;
  readonly hint: string;
}

/**
 * One list without duplicates, in the order of finding. The same id is the same defect; so is the same place and
 * dimension, found by two: the first keeps its id and its facts, and the severer opinion counts.
 */
export function mergeFound(found: readonly Found[]): readonly Found[] {
  const merged: Found[] = [];
  for (const one of found) {
    const index = merged.findIndex(({ defect }) => isSame(defect, one.defect));
    const known = merged[index];
    if (known === undefined) merged.push(one);
    else merged[index] = joined(known, one);
  }
  return merged;
}

function joined(known: Found, again: Found): Found {
  return {
    defect: {
      ...known.defect,
      severity: Math.max(known.defect.severity, again.defect.severity),
      ...(again.defect.needsExpert === true ? { needsExpert: true } : {}),
      ...(known.defect.cause === undefined && again.defect.cause !== undefined ? { cause: again.defect.cause } : {}),
      ...described(known.defect, again.defect),
    },
    hint: known.hint.includes(again.hint) ? known.hint : `${known.hint} ${again.hint}`,
  };
}

/** Two may see two things at one place: neither is lost. What a check found is worded by the check. */
function described(known: Defect, again: Defect): Partial<Defect> {
  if (known.description.includes(again.description)) return {};
  if (known.foundBy !== again.foundBy) return { facts: { ...known.facts, critic: again.description } };
  return { description: `${known.description} ${again.description}` };
}

/** Two claims on one line are two findings; a critic who points at one of them has found it again. */
function isSame(a: Defect, b: Defect): boolean {
  if (a.id === b.id) return true;
  const isOpinion = a.foundBy === 'critic' || b.foundBy === 'critic';
  return isOpinion && a.dimension === b.dimension && isSamePlace(a.location, b.location);
}

function isSamePlace(a: Location | undefined, b: Location | undefined): boolean {
  return a?.line !== undefined && a.line === b?.line && a.artefact === b.artefact;
}

/** Of the worst; 0 where there is none. */
export function severityOf(defects: readonly Defect[]): number {
  return Math.max(0, ...defects.map(({ severity }) => severity));
}
