import type { RunRecord, RunStatus } from 'flyball';
import { isTerminal } from 'flyball';
import { answerText, askedIn, BLANK, isRunDamage } from 'flyball/internal';
import type { Mode } from '../agents/served-agent.js';
import type { RunCard } from '../contract/resources.js';
import { RunFold } from './run-fold.js';

/** A run on one card: the record says how it stands, the journal what it did. */
export function runCard(
  record: RunRecord,
  fold: RunFold,
  served: { readonly agent: string; readonly mode: Mode },
): RunCard {
  const { id, version, tenant, subject, createdAt, crashes, fork, attention } = record;
  const { phase, outcome } = fold;
  const status = statusOf(record, fold);
  const asked = askedIn(fold.input);
  return {
    id,
    agent: served.agent,
    mode: served.mode,
    version,
    tenant,
    subject,
    ...(asked === undefined ? {} : { asked: fold.privacy.hidesScope('') ? BLANK : asked }),
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

/** Of a run whose journal cannot be read: what its record says, and why there is no more. Lists of others must not fail. */
export function damagedCard(
  record: RunRecord,
  served: { readonly agent: string; readonly mode: Mode },
  error: unknown,
): RunCard {
  if (!isRunDamage(error)) throw error;
  const stalled: RunRecord = { ...record, status: 'stalled', attention: error.message };
  return runCard(stalled, new RunFold(record.id, { keepsNames: false }), served);
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
  const isHidden = privacy.hidesScope('');
  const answer = 'value' in outcome ? beginningOf(outcome.value) : undefined;
  return {
    stop: outcome.stop,
    ...(because === undefined ? {} : { because: isHidden && outcome.stop !== 'bounded' ? BLANK : because }),
    ...(answer === undefined ? {} : { answer: isHidden ? BLANK : answer }),
  };
}

/** As much of an answer as fits on a line. */
const ANSWER_LENGTH = 160;

function beginningOf(value: unknown): string | undefined {
  // cut before it is made one line: an answer may be a megabyte
  const line = answerText(value)
    ?.slice(0, 2 * ANSWER_LENGTH)
    .trim()
    .replace(/\s+/g, ' ');
  if (line === undefined || line.length <= ANSWER_LENGTH) return line;
  return `${line.slice(0, ANSWER_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
