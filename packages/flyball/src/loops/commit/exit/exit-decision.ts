import { unreachable } from '../../../core/errors.js';
import type { ExitReport, GateResult } from '../contracts.js';

export interface ExitDecision {
  readonly decision: 'commit' | 'ask-person' | 'repair' | 'escalate' | 'fail';
  readonly why: string;
}

/**
 * What follows from a report.
 *
 * 1. Nothing leaves while a gate is closed: it is repaired, or escalated when no repairs are left. The confidence gate
 *    is not among them, because the disposition says the same with more detail.
 * 2. A rejected output is not put before a person: it is repaired, or the task fails.
 * 3. Only an output for which nobody has to be asked is committed without asking.
 */
export function exitDecision(report: ExitReport, { repairsLeft }: { readonly repairsLeft: boolean }): ExitDecision {
  const closed = report.gates.filter(({ gate, passed }) => !passed && gate !== 'confidence');
  const budget = repairsLeft ? '' : ', and no repairs are left';
  if (closed.length > 0) {
    const gates = closed.map(closedGate);
    return { decision: repairsLeft ? 'repair' : 'escalate', why: `Closed gates: ${gates.join(', ')}${budget}.` };
  }
  const confidence = `a confidence of ${short(report.confidence)}`;
  switch (report.disposition) {
    case 'reject':
      return {
        decision: repairsLeft ? 'repair' : 'fail',
        why: `All gates are open, but ${confidence} is rejected${budget}.`,
      };
    case 'human-review':
    case 'auto-commit':
      if (report.disposition === 'human-review' || report.triggers.length > 0)
        return { decision: 'ask-person', why: `All gates are open, with ${confidence}; ${askedBecause(report)}.` };
      return { decision: 'commit', why: `All gates are open, with ${confidence}, and nothing asks for a person.` };
    default:
      return unreachable(report.disposition);
  }
}

/** A closed gate in words: which, how far off, and why where that is known. */
export function closedGate({ gate, score, threshold, note }: GateResult): string {
  return `${gate} ${short(score)} of ${threshold}${note === undefined ? '' : ` (${note})`}`;
}

function askedBecause({ triggers }: ExitReport): string {
  return triggers.length === 0 ? 'that asks for a review' : `a person is asked for: ${triggers.join(', ')}`;
}

/** Rounded down: what just missed its threshold must not read as if it had reached it. */
function short(score: number): string {
  return String(Math.floor(score * 1000) / 1000);
}
