import type { Known } from './known.js';
import type { Simulation } from './simulation.js';

/** Ended, or at rest in a way that nobody changes any more. */
export function isFinal(simulation: Simulation, runId: string): boolean {
  const { truth, plan, isHealed, calledOff, people, timeline } = simulation;
  const known = truth.of(runId);
  if (known?.starter !== undefined) return isOver(known);
  const given = plan.cases[Number(runId.slice(4))];
  if (known === undefined || given === undefined) return false;
  if (isDamaged(known, timeline.now)) return true;
  // code that is gone has worked on it: it says so, and nobody can go on with it
  if (known.status === 'stalled') return (plan.isPoisoned && runId === 'run-0') || (isHealed && known.isOther);
  if (known.status !== 'bounded') return known.owner === undefined && known.end === known.status;
  if (calledOff.has(runId)) return false;
  const isTime = known.code === 'wallMs' || known.code === 'deadline';
  return isTime || !given.enlarges || people.hasPlenty(runId);
}

/** What another run started ends by itself, at the latest at a bound: nobody gives it more. */
function isOver({ status, end, owner }: Known): boolean {
  return owner === undefined && (status === 'bounded' || end === status);
}

/** Nobody can go on with it any more, for all that is stored of it. */
function isDamaged({ damage, status, code, owner, leaseUntil }: Known, now: number): boolean {
  if (damage === undefined) return false;
  // the row says so of itself, whatever it was when it was damaged
  if (damage.where === 'record') return owner === undefined || leaseUntil <= now;
  return status === 'stalled' && code === 'JOURNAL_CORRUPT';
}
