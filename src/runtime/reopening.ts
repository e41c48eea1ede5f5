import { type Budget, budget as completeBudget } from '../core/budget.js';
import { encode } from '../core/codec.js';
import { ConfigError } from '../core/errors.js';
import type { Entry, EventOf, RunEvent } from '../core/events.js';
import type { Waiting } from '../core/outcome.js';
import { WaitIndex } from '../core/waits.js';
import type { Batch, Claim, RunRecord, RunStatus, StoredMessage } from '../ports/engine.js';
import { instructionIn, waitingOf } from './inbox.js';
import type { LoadedEntry } from './loaded-entry.js';
import { indexJournal } from './recorded.js';

/** Somebody's wish that a run goes on. */
export interface Resume {
  readonly by: string;
  readonly budget?: Partial<Budget>;
}

/**
 * What was decided about a run while nobody ran it, as entries to write before it goes on: a resume, a larger budget,
 * a cancellation. Undefined when there is nothing to write. Throws ConfigError when the wish makes no sense.
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
  const taken: number[] = [];
  for (const message of messages) {
    // a resume takes back every pause before it; a later pause is for the life that is about to begin
    if (message.kind === 'pause' && message.number > lastResume) continue;
    taken.push(message.number);
    if (message.kind === 'resume') events.push({ type: 'run-resume', by: message.from });
    if (message.kind === 'redirect') events.push({ type: 'redirect', by: message.from, text: instructionIn(message) });
    if (message.kind !== 'cancel' || isCancelled) continue;
    const { why } = JSON.parse(message.body) as { readonly why: string };
    events.push({ type: 'run-resume', by: message.from }, { type: 'cancel', by: message.from, why });
  }
  if (events.length === 0 && taken.length === 0) return undefined;
  const position = { generation: claim.record.generation, at: now, activeMs };
  const written = events.map((event, index): Entry => ({ ...position, seq: recorded.nextSeq + index, event }));
  return {
    batch: { entries: written.map(({ event, ...place }) => ({ ...place, body: encode(event).body })), taken },
    entries: written,
  };
}

function enlargement(
  runId: string,
  was: RunStatus,
  old: Budget,
  entries: readonly LoadedEntry[],
  resume: Resume,
): { readonly budget?: Budget } {
  const trip = lastTrip(entries);
  if (resume.budget === undefined) {
    if (was !== 'bounded') return {};
    throw new ConfigError(
      `Run ${runId} reached a bound. Resume it with a larger budget, for example --budget ${trip?.bound ?? 'costUsd'}=…`,
    );
  }
  const budget = completeBudget({ ...old, ...resume.budget });
  const given = trip === undefined ? undefined : budget[trip.bound]; // only a deadline can be absent: then there is none
  if (was === 'bounded' && trip !== undefined && given !== undefined && given <= trip.limit) {
    throw new ConfigError(
      `Run ${runId} stopped at ${trip.bound} = ${trip.limit}; the new budget has ${given}. Give it more of that.`,
    );
  }
  return { budget };
}

/** The bound at which the run itself stopped: what its parent reached before a fork says nothing about the fork. */
function lastTrip(entries: readonly LoadedEntry[]): EventOf<'trip'> | undefined {
  const found = entries.findLast(
    ({ event, inherited }) => event.type === 'trip' && event.node === '' && inherited === undefined,
  )?.event;
  return found?.type === 'trip' ? found : undefined;
}

/** What a resting run waits for, read from its journal. A fork's waits are its own; its past slept for it. */
export function openWaits(entries: readonly LoadedEntry[], record: RunRecord): readonly Waiting[] {
  const open = new WaitIndex(entries.filter(({ inherited }) => inherited === undefined)).open();
  const slept = new Set(entries.flatMap(({ event }) => (event.type === 'sleep-end' ? [event.id] : [])));
  const sleeps = entries.flatMap(({ event }): Waiting[] =>
    event.type === 'sleep-start' && !slept.has(event.id)
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
