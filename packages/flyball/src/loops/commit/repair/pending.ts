import type { Defect, RootCause } from '../../../core/work.js';
import type { Strategy } from '../contracts.js';
import type { Proposal } from './attempt.js';
import { classify } from './causes.js';
import { feedbackDefect, isFeedback } from './feedback.js';
import type { RepairInput } from './repair-contracts.js';
import { possible, strength } from './strategy.js';
import { placedIn } from './targets.js';
import { shiftedBy } from './window.js';

/** A defect on its way: what it comes from, and what has not helped against it. */
export interface Pending {
  readonly defect: Defect;
  readonly cause: RootCause;
  readonly avoid: readonly Strategy[];
}

/** What is to be repaired, worst first; what a person asked for before all others. */
export function pendingOf(given: RepairInput): readonly Pending[] {
  const feedback = given.feedback === undefined ? [] : [feedbackDefect(given.feedback)];
  return [...feedback, ...given.diagnosis.defects]
    .map((defect) => pendingIn(given, placedIn(given.subject.outputs, defect)))
    .sort((a, b) => b.defect.severity - a.defect.severity || rank(a) - rank(b) || (a.defect.id < b.defect.id ? -1 : 1));
}

function rank({ defect }: Pending): number {
  return isFeedback(defect) ? 0 : 1;
}

/** These lead out of REPAIR, however often something was tried. */
const LEADING_AWAY: readonly RootCause[] = ['retrieval-gap', 'complexity-exceeded'];

function pendingIn(given: RepairInput, defect: Defect): Pending {
  const tried = given.history.flatMap((past) => past.tried.filter((each) => each.defect === defect.id));
  const avoid = [...new Set(tried.map(({ strategy }) => strategy))];
  const cause = classify(defect);
  // what survived everything is beyond whoever tried: another one may begin from scratch
  const isBeyond = possible(defect).every((strategy) => avoid.includes(strategy)) && !LEADING_AWAY.includes(cause);
  return isBeyond ? { defect, cause: 'capability-limit', avoid: [] } : { defect, cause, avoid };
}

export function avoiding(pending: Pending, strategies: readonly Strategy[]): Pending {
  return { ...pending, avoid: [...new Set([...pending.avoid, ...strategies])] };
}

/** Something stronger than what was just tried is left for it. */
export function hasMore({ defect, avoid }: Pending, than: Strategy): boolean {
  return possible(defect).some((strategy) => strength(strategy) > strength(than) && !avoid.includes(strategy));
}

/** A place in a text that was made anew is not known any more; one behind a window moves with the lines. */
export function movedWith(pending: Pending, made: Extract<Proposal, { kind: 'changed' }>): Pending {
  const { location } = pending.defect;
  if (location === undefined || !made.artefacts.some(({ name }) => name === location.artefact)) return pending;
  return { ...pending, defect: { ...pending.defect, location: movedPlace(location, made) } };
}

function movedPlace(
  location: NonNullable<Defect['location']>,
  { moved }: Extract<Proposal, { kind: 'changed' }>,
): NonNullable<Defect['location']> {
  if (moved !== undefined) return shiftedBy(location, moved.window, moved.added);
  const { artefact, section } = location;
  return { artefact, ...(section === undefined ? {} : { section }) };
}
