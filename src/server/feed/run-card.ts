import { isTerminal } from '../../core/outcome.js';
import type { RunRecord, RunStatus } from '../../ports/engine.js';
import { BLANK } from '../../views/without-private.js';
import type { Mode } from '../agents/served-agent.js';
import type { RunCard } from '../contract/resources.js';
import type { RunFold } from './run-fold.js';

/** A run on one card: the record says how it stands, the journal what it did. */
export function runCard(
  record: RunRecord,
  fold: RunFold,
  served: { readonly agent: string; readonly mode: Mode },
): RunCard {
  const { id, version, tenant, subject, createdAt, crashes, fork, attention } = record;
  const { phase, outcome } = fold;
  const status = statusOf(record, fold);
  return {
    id,
    agent: served.agent,
    mode: served.mode,
    version,
    tenant,
    subject,
    status,
    createdAt,
    updatedAt: Math.max(record.updatedAt, fold.lastAt),
    ...(phase === undefined ? {} : { phase }),
    waiting: status === 'suspended' ? [...record.waiting] : [],
    asks: isOver(status) ? 0 : fold.asks,
    crashes,
    takeovers: fold.takeovers,
    attempts: fold.attempts,
    usage: fold.usage(),
    ...(outcome === undefined ? {} : { outcome: shownOutcome(fold) }),
    ...(fork === undefined ? {} : { fork }),
    ...(attention === undefined ? {} : { attention }),
    entries: fold.entries,
  };
}

/** The journal knows the end a moment before the record does. */
function statusOf({ status }: RunRecord, { outcome }: RunFold): RunStatus {
  if (outcome === undefined || outcome.stop === 'suspended') return status;
  return isTerminal(outcome.stop) || status === 'running' ? outcome.stop : status;
}

function isOver(status: RunStatus): boolean {
  return (
    status === 'done' || status === 'degraded' || status === 'blocked' || status === 'failed' || status === 'cancelled'
  );
}

function shownOutcome({ outcome, privacy }: RunFold): NonNullable<RunCard['outcome']> {
  if (outcome === undefined) return { stop: '' };
  const because =
    'because' in outcome
      ? outcome.because
      : outcome.stop === 'bounded'
        ? `${outcome.bound}: ${outcome.limit}`
        : undefined;
  if (because === undefined) return { stop: outcome.stop };
  return { stop: outcome.stop, because: privacy.hidesScope('') && outcome.stop !== 'bounded' ? BLANK : because };
}
