import { ConfigError, FlyballError, failureOf } from '../core/errors.js';
import type { EventOf } from '../core/events.js';
import type { Stop } from '../core/outcome.js';
import type { Claim, StoredMessage } from '../ports/engine.js';
import { agentNamed } from './agent-named.js';
import { Attempt } from './attempt.js';
import type { Audience } from './audience.js';
import { codeOf } from './finish.js';
import { load } from './load.js';
import type { LoadedEntry } from './loaded-entry.js';
import { indexJournal, type Recorded } from './recorded.js';
import { outcomesToKeep, type Stage } from './rehearsal.js';
import { controlBatch, openWaits, type Resume, refuseInVain } from './reopening.js';
import { makeRun } from './run-object.js';
import { isStorageFailure } from './stopped-here.js';

export type Why = EventOf<'attempt-start'>['why'];

/** Where a claimed run comes to life. */
export interface Home extends Stage {
  readonly audience: Audience;
  readonly isClosed: boolean;
  /** It lives here from now on. */
  lives(attempt: Attempt): void;
  /** Its code has begun. */
  hasBegun(): void;
  /** It comes to rest before a life of it began here; of the generation before, one may have just ended. */
  leave(runId: string): void;
  /** The lease is not ours any more, or is about to be given back. */
  dropLease(runId: string): void;
}

/** Sets a claimed run going, or gives it back with the reason. */
export async function begin(
  home: Home,
  claim: Claim,
  why: Why,
  { resume, putBack: isPutBack }: { readonly resume?: Resume | undefined; readonly putBack?: true },
): Promise<void> {
  const { crashes } = claim.record;
  if (resume === undefined && crashes > home.settings.options.maxResumes) {
    return setAside(
      home,
      claim,
      `it crashed ${crashes} times in a row without getting further. Look at its last entries, then resume it by hand`,
    );
  }
  try {
    if (isPutBack !== true) return await hearAndOpen(home, claim, why, resume);
    await admitControl(home, claim, resume);
    await putBack(home, { ...claim, was: 'pending' }, true);
  } catch (error) {
    // a store that fails for a moment is no reason to set the run aside: its lease ends, and somebody tries again
    if (isStorageFailure(error)) home.dropLease(claim.runId);
    else if (error instanceof ConfigError) await putBack(home, claim);
    else await setAside(home, claim, error instanceof Error ? error.message : String(error), error);
    throw error;
  }
}

/** What was said to a run is heard before anything of a life or of a generation begins. */
export async function hearAndOpen(home: Home, claim: Claim, why: Why, resume: Resume | undefined): Promise<void> {
  const pauses = await admitControl(home, claim, resume);
  await open(home, claim, why, pauses);
}

/** Writes down what was decided about a run before it goes on; answers the pauses that its next life has to see to. */
async function admitControl(home: Home, claim: Claim, resume: Resume | undefined): Promise<readonly StoredMessage[]> {
  const { engine } = home.settings;
  const { was } = claim;
  const messages = (await engine.inbox(claim.runId, 0)).filter(({ kind }) => kind !== 'signal' && kind !== 'answer');
  if (messages.length === 0 && resume === undefined) return [];
  const loaded = await load(engine, claim.record, claim.record.generation);
  const { entries } = loaded;
  const recorded = indexJournal(entries, { deep: false });
  const { end, lastAt } = recorded;
  if (end !== undefined && end.outcome.stop !== 'bounded') return []; // it has ended; nothing decided since can change that
  const now = home.clocks.of(claim.runId, lastAt).now();
  const activeMs = workedBefore(recorded, claim);
  const control = controlBatch(claim, was, entries, { resume, messages, now, activeMs });
  if (control === undefined) return messages.filter(({ kind }) => kind === 'pause');
  if (resume?.budget !== undefined && was === 'bounded') {
    const keeps = await outcomesToKeep(home, claim, { ...loaded, entries: [...entries, ...control.entries] });
    refuseInVain(claim.runId, recorded.budget, entries, keeps);
  }
  await engine.append(claim, control.batch);
  if (control.entries.length > 0) home.audience.publish(claim.runId, control.entries);
  return messages.filter(({ kind, number }) => kind === 'pause' && control.batch.taken?.includes(number) !== true);
}

async function open(home: Home, claim: Claim, why: Why, pauses: readonly StoredMessage[]): Promise<void> {
  const { generation } = claim.record;
  const { host, clocks, settings } = home;
  const loaded = await load(settings.engine, claim.record, generation);
  const keeps = await outcomesToKeep(home, claim, loaded);
  if (home.isClosed) return putBack(home, { ...claim, was: 'pending' });
  const recorded = indexJournal(loaded.entries, { deep: false, keeps });
  if (recorded.end !== undefined) return restEnded(home, claim, loaded.entries, recorded.end);
  // it paused as its generation began, or its owner died before it could say so
  if (recorded.isPaused) return restPaused(home, claim, loaded.entries);
  const attempt = new Attempt({
    host,
    clock: clocks.of(claim.runId, recorded.lastAt),
    claim,
    recorded,
    generation,
    lineage: loaded.lineage,
    workedMs: workedBefore(recorded, claim),
  });
  home.lives(attempt);
  const { at } = attempt.journal.push({
    type: 'attempt-start',
    attempt: recorded.attempts + 1,
    why,
    owner: claim.record.owner ?? settings.host.owner(),
    ...(keeps.length === 0 ? {} : { keeps }),
  });
  attempt.delivery.time.livesFrom(at);
  for (const message of pauses) attempt.life.requestPause(message);
  const { agent } = agentNamed(settings.agents, claim.record.agent);
  attempt.life.start(agent, makeRun(attempt, attempt.effects.root));
  home.hasBegun();
}

/** How long a run was at work in the lives before this one: its record counts the end of one that was killed. */
function workedBefore({ activeMs }: Recorded, { record }: Claim): number {
  return Math.trunc(Math.max(activeMs, record.activeMs));
}

/** It ended, but its owner died before it could say so, or somebody else brought it there between two generations. */
async function restEnded(
  home: Home,
  claim: Claim,
  entries: readonly LoadedEntry[],
  { outcome }: EventOf<'run-end'>,
): Promise<void> {
  const { engine, clock } = home.settings;
  const end = entries.findLast(({ event }) => event.type === 'run-end');
  if (end !== undefined) await home.host.others.ended(claim.record, end);
  home.leave(claim.runId);
  const status = outcome.stop as Exclude<Stop, 'suspended'>;
  const yields = status === 'bounded' ? ({ unlessCancelled: true } as const) : {};
  await engine.release(claim, { status, ...codeOf(outcome), ...yields, now: clock.now() });
  home.audience.rested(claim.runId, { outcome });
}

async function restPaused(home: Home, claim: Claim, entries: readonly LoadedEntry[]): Promise<void> {
  const { engine, clock } = home.settings;
  home.leave(claim.runId);
  await engine.release(claim, { status: 'paused', now: clock.now() });
  const waiting = openWaits(entries, claim.record);
  home.audience.rested(claim.runId, { outcome: { stop: 'suspended', waiting, paused: true } });
}

/** The request was wrong, not the run: it rests as it did before. */
export async function putBack(home: Home, claim: Claim, inLine = false): Promise<void> {
  const { engine, clock } = home.settings;
  const { was } = claim;
  home.leave(claim.runId);
  const now = clock.now();
  await engine.release(
    claim,
    was === 'bounded'
      ? { status: was, unlessCancelled: true, now }
      : was === 'paused'
        ? { status: was, now }
        : { status: 'pending', inLine, now },
  );
}

/** Nothing moves this run any more until a person looks at it. */
async function setAside(home: Home, claim: Claim, attention: string, cause?: unknown): Promise<void> {
  const { engine, clock, onStalled } = home.settings;
  home.dropLease(claim.runId);
  const error = setAsideError(claim.runId, attention);
  const { code } = failureOf(cause ?? error);
  await engine.release(claim, { status: 'stalled', attention, code, now: clock.now() });
  onStalled(claim.runId, cause ?? error);
  home.audience.rested(claim.runId, { error });
}

export function setAsideError(runId: string, attention: string): FlyballError {
  return new FlyballError('RUN_STALLED', `Run ${runId} is stalled: ${attention}. Fix the cause, then resume it.`, {
    detail: { runId, attention },
  });
}
