import { alreadyTerminal } from '../core/engine-errors.js';
import { ConfigError, FlyballError, JournalConflictError } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import type { RunRecord } from '../ports/engine.js';
import type { Audience } from './audience.js';
import type { How, Lives } from './lives.js';
import { readPart } from './load.js';
import { missingRun } from './missing-run.js';
import type { Settings } from './options.js';
import type { Resume } from './reopening.js';
import { restOf } from './rest-of.js';
import { eventsOf } from './run-events.js';
import type { RunHandle } from './runtime.js';
import { isOfStorage, stoppedHere } from './stopped-here.js';
import { isAtRest, type Worker } from './worker.js';

/** An open runtime: what everything it does works with. */
export interface Opened {
  readonly settings: Settings;
  readonly audience: Audience;
  readonly lives: Lives;
  readonly worker: Worker;
}

export async function recordOf({ settings }: Opened, runId: string): Promise<RunRecord> {
  const record = await settings.engine.get(runId);
  if (record === undefined) throw await missingRun(settings.engine, runId);
  return record;
}

const ENDED: Readonly<Record<RunRecord['status'], boolean>> = {
  pending: false,
  running: false,
  suspended: false,
  paused: false,
  bounded: false,
  stalled: false,
  done: true,
  degraded: true,
  blocked: true,
  cancelled: true,
  failed: true,
};

export function refuseTerminal(record: RunRecord): void {
  if (ENDED[record.status]) throw alreadyTerminal(record);
}

/** `failure`: what broke the run here, as far as whoever has the handle saw it. */
export function handleOf(opened: Opened, runId: string, failure: () => unknown = () => undefined): RunHandle {
  const { settings, audience, lives, worker } = opened;
  const outcome = (): Promise<Outcome<unknown>> => untilRest(opened, runId, failure);
  const finished = async (): Promise<Outcome<unknown>> => {
    const now = await outcome();
    if (now.stop !== 'suspended') return now;
    const end = audience.untilEnd(runId);
    worker.lookSoon();
    return end;
  };
  const events = eventsOf(runId, {
    entries: async (part) => readPart(settings.engine, await recordOf(opened, runId), part),
    subscribe: (listener) => audience.subscribe(listener),
    subscribeDeltas: (listener) => audience.subscribeDeltas(listener),
    rest: (until) => (until === 'end' ? finished() : outcome()),
    later: (look) => {
      if (lives.has(runId)) return () => undefined;
      return settings.clock.after(settings.options.pollMs, look, { keepAlive: false });
    },
  });
  return { id: runId, outcome: () => handled(outcome()), finished: () => handled(finished()), events };
}

/** A handle for whoever knows, or believes to know, whose run it is. */
export function handleOfAgent(opened: Opened, runId: string, agent: string): RunHandle {
  const handle = handleOf(opened, runId);
  const checked = async (): Promise<void> => {
    const record = await recordOf(opened, runId);
    if (record.agent !== agent)
      throw new ConfigError(`Run ${runId} is a run of the agent "${record.agent}", not of "${agent}".`);
  };
  return {
    id: runId,
    outcome: () => handled(checked().then(() => handle.outcome())),
    finished: () => handled(checked().then(() => handle.finished())),
    events: async function* (options) {
      await checked();
      yield* handle.events(options);
    },
  };
}

async function untilRest(opened: Opened, runId: string, failure: () => unknown): Promise<Outcome<unknown>> {
  const { settings, audience, lives, worker } = opened;
  const { status, owner } = lives.has(runId) ? ({ status: 'running' } as const) : await recordOf(opened, runId);
  if (isAtRest(status))
    return restOf(settings.engine, runId).catch((error: unknown) => {
      throw failure() ?? error; // this handle saw for itself what broke: that says more than the note left behind
    });
  const isOthers = owner !== undefined && owner.id !== settings.host.owner().id;
  if (!lives.has(runId) && !isOthers && isOfStorage(failure())) throw failure();
  const rest = audience.untilRest(runId);
  void lives.launched(runId).then(() => worker.lookSoon()); // it may turn out to be, or to rest, elsewhere
  return rest;
}

export async function launch(
  opened: Opened,
  runId: string,
  why: 'start' | 'wake' | 'resume',
  resume?: Resume,
  how?: How,
): Promise<RunHandle> {
  let failure: unknown;
  const stopNoting = opened.audience.noteFailure(runId, (error) => {
    failure = error;
  });
  await opened.lives.launch(runId, why, resume, how).catch((error: unknown) => {
    stopNoting();
    throw error;
  });
  return handleOf(opened, runId, () => failure);
}

/**
 * The run is stored: whoever asked for it has to be told so, or would ask again. Another worker may be quicker than we
 * are, the disk may be full by now, or this runtime on its way down: it goes on all the same, here or elsewhere.
 */
export async function launchNew(opened: Opened, runId: string, isInLine: boolean): Promise<RunHandle> {
  const { dispatcher } = opened.settings;
  if (isInLine) {
    opened.worker.lookSoon();
    return handleOf(opened, runId);
  }
  if (dispatcher !== undefined) {
    await dispatcher.dispatch(runId);
    return handleOf(opened, runId);
  }
  return launch(opened, runId, 'start').catch((error: unknown) => {
    // another worker was quicker, and may have come to its end already
    const isElsewhere = error instanceof FlyballError && error.code === 'ALREADY_TERMINAL';
    if (isElsewhere || error instanceof JournalConflictError) return handleOf(opened, runId);
    if (!isOfStorage(error) && !opened.lives.isClosed) throw error;
    return handleOf(opened, runId, () => stoppedHere(runId, error));
  });
}

/** Asking how a run ends and not waiting for the answer must not take the process down when it breaks. */
function handled<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  return answer;
}
