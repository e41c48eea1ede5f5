import { type Budget, budget as completeBudget } from '../core/budget.js';
import { ConfigError } from '../core/errors.js';
import type { EffectId, Entry, RunEvent } from '../core/events.js';
import type { Waiting } from '../core/outcome.js';
import { WaitIndex } from '../core/waits.js';
import type { Batch, Claim, RunRecord, RunStatus, StoredMessage } from '../ports/engine.js';
import { batchOf } from './batch-of.js';
import { instructionIn, waitingOf } from './inbox.js';
import { LiftedBounds } from './lifted-bounds.js';
import type { LoadedEntry } from './loaded-entry.js';
import { indexJournal } from './recorded.js';

/** Somebody's wish that a run goes on. */
export interface Resume {
  readonly by: string;
  readonly budget?: Partial<Budget>;
}

/**
 * What was decided about a run while nobody ran it, as entries to write before it goes on: a resume, a larger budget,
 * a cancellation, a pause before anything began. Undefined when there is nothing to write. Throws ConfigError when the wish makes no sense.
 */
export function controlBatch(
  claim: Claim,
  was: RunStatus,
  entries: readonly LoadedEntry[],
  wish: {
    readonly resume: Resume | undefined;
    readonly messages: readonly StoredMessage[];
    readonly now: number;
    readonly activeMs: number;
  },
): { readonly batch: Batch; readonly entries: readonly Entry[] } | undefined {
  const { resume, messages, now, activeMs } = wish;
  const recorded = indexJournal(entries, { deep: false });
  const events: RunEvent[] = [];
  if (resume !== undefined && (resume.budget !== undefined || was === 'bounded' || recorded.isPaused)) {
    events.push({
      type: 'run-resume',
      by: resume.by,
      ...enlargement(claim.runId, was, recorded.budget, entries, resume),
    });
  }
  const isCancelled = recorded.deliveries.some(({ event }) => event.type === 'cancel');
  const resumeMessage = messages.findLast(({ kind }) => kind === 'resume')?.number ?? -1;
  const lastResume = resume === undefined ? resumeMessage : Number.POSITIVE_INFINITY;
  // a resume takes back every pause before it; a later one stands
  const standing = messages.findLast(({ kind, number }) => kind === 'pause' && number > lastResume);
  const hasBegun = recorded.attempts > 0;
  // what may be in flight has to end before a pause: that is for the life that is about to begin
  const heard = messages.filter(({ kind, number }) => !(kind === 'pause' && number > lastResume && hasBegun));
  const taken = heard.map(({ number }) => number);
  events.push(...heard.flatMap((message) => eventsFor(message, isCancelled)));
  const isCalledOff = isCancelled || events.some(({ type }) => type === 'cancel');
  // nothing of the run, or of its generation, has begun: it is at a safe point
  if (standing !== undefined && !hasBegun && !isCalledOff) events.push({ type: 'run-pause', by: standing.from });
  if (events.length === 0 && taken.length === 0) return undefined;
  const position = { generation: claim.record.generation, at: now, activeMs };
  const written = events.map((event, index): Entry => ({ ...position, seq: recorded.nextSeq + index, event }));
  return { batch: { ...batchOf(written), taken }, entries: written };
}

function eventsFor(message: StoredMessage, isCancelled: boolean): readonly RunEvent[] {
  const { kind, from } = message;
  if (kind === 'resume') return [{ type: 'run-resume', by: from }];
  if (kind === 'redirect') return [{ type: 'redirect', by: from, text: instructionIn(message) }];
  if (kind !== 'cancel' || isCancelled) return [];
  const { why } = JSON.parse(message.body) as { readonly why: string };
  return [
    { type: 'run-resume', by: from },
    { type: 'cancel', by: from, why },
  ];
}

function enlargement(
  runId: string,
  was: RunStatus,
  old: Budget,
  entries: readonly LoadedEntry[],
  resume: Resume,
): { readonly budget?: Budget } {
  const stopped = lastEnd(entries);
  if (resume.budget === undefined) {
    if (was !== 'bounded') return {};
    throw new ConfigError(
      `Run ${runId} reached a limit${stopped === undefined ? '' : ` (${stopped.bound}: ${stopped.limit})`}. Resume it with a larger budget, for example ${stopped?.bound ?? 'costUsd'}=${stopped === undefined ? '…' : stopped.limit * 2}.`,
    );
  }
  const budget = completeBudget({ ...old, ...resume.budget });
  if (was !== 'bounded' || stopped === undefined) return { budget };
  const axis = stopped.bound as keyof Budget;
  const given = budget[axis]; // a deadline can be absent: then there is none
  // the limit of a child, or one that the code keeps itself, is not for the run's budget to compare with
  if (old[axis] === stopped.limit && given !== undefined && given <= stopped.limit) {
    throw new ConfigError(
      `Run ${runId} stopped at ${axis} = ${stopped.limit}; the new budget has ${given}. Raise that limit.`,
    );
  }
  const place = lastOutcome(entries, old, stopped);
  const after = [
    ...entries,
    { ...(entries.at(-1) as LoadedEntry), event: { type: 'run-resume', by: resume.by, budget } },
  ];
  if (place !== -1 && !new LiftedBounds(after as readonly LoadedEntry[]).isEnd(place))
    throw inVain(runId, stopped, entries[place]);
  return { budget };
}

/**
 * Refuses a larger budget where the run ended with the outcome of a child that keeps it. `keeps` are those of which only
 * a look at the past under that budget shows it.
 */
export function refuseInVain(
  runId: string,
  old: Budget,
  entries: readonly LoadedEntry[],
  keeps: readonly EffectId[],
): void {
  const stopped = lastEnd(entries);
  const place = stopped === undefined ? -1 : lastOutcome(entries, old, stopped);
  const end = entries[place]?.event;
  if (stopped !== undefined && end?.type === 'spawn-end' && keeps.includes(end.id))
    throw inVain(runId, stopped, entries[place]);
}

function inVain(runId: string, { bound, limit }: Stopped, stays: LoadedEntry | undefined): ConfigError {
  return new ConfigError(
    `Run ${runId} stopped because a child reached ${bound} = ${limit}, and its code went on after that: a larger budget does not change what the child returned. To give the child more, fork the run at entry ${stays?.seq} with a larger budget.`,
  );
}

/** Place of the child's outcome that the run ended with, or -1 where it ended at a limit of its own. */
function lastOutcome(entries: readonly LoadedEntry[], old: Budget, { bound, limit }: Stopped): number {
  if (old[bound as keyof Budget] === limit) return -1;
  return entries.findLastIndex(
    ({ event: { type, ...end } }) =>
      type === 'spawn-end' &&
      'outcome' in end &&
      end.outcome.stop === 'bounded' &&
      end.outcome.bound === bound &&
      end.outcome.limit === limit,
  );
}

interface Stopped {
  readonly bound: string;
  readonly limit: number;
}

/** The bound with which the run ended, if it did. */
function lastEnd(entries: readonly LoadedEntry[]): Stopped | undefined {
  const found = entries.findLast(({ event, inherited }) => event.type === 'run-end' && inherited === undefined)?.event;
  return found?.type === 'run-end' && found.outcome.stop === 'bounded' ? found.outcome : undefined;
}

/**
 * What a resting run waits for, read from its journal. A fork's waits are its own; its past slept for it. No entry says that
 * a branch was left which slept: whoever unloaded the run knew what it sleeps for, and no sleep ends before that.
 */
export function openWaits(entries: readonly LoadedEntry[], record: RunRecord): readonly Waiting[] {
  const open = new WaitIndex(entries.filter(({ inherited }) => inherited === undefined)).open();
  const slept = new Set(entries.flatMap(({ event }) => (event.type === 'sleep-end' ? [event.id] : [])));
  const { status, wakeAt = Number.POSITIVE_INFINITY } = record;
  const isLeft = (due: number): boolean => status === 'suspended' && due < wakeAt;
  const sleeps = entries.flatMap(({ event }): Waiting[] =>
    event.type === 'sleep-start' && !slept.has(event.id) && !isLeft(event.due)
      ? [{ effect: event.id, kind: 'sleep', name: 'sleep', until: event.due }]
      : [],
  );
  const waits = [...open.map(({ start }) => waitingOf(start)), ...sleeps];
  // an INTENT whose deadline has to pass before anyone may look whether it happened is a wait too
  if (waits.length > 0 || record.wakeAt === undefined) return waits;
  const intent = entries.findLast(({ event }) => event.type === 'intent')?.event;
  const effect = intent?.type === 'intent' ? intent.id : '';
  return [{ effect, kind: 'sleep', name: 'the deadline of an effect', until: record.wakeAt }];
}
