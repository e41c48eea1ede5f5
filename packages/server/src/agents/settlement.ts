import { type Clock, FlyballError } from 'flyball';
import type { Spending, Standing } from '../access/spending.js';
import type { RunFeed } from '../feed/run-feed.js';
import type { Log } from '../log.js';
import type { Fleet } from './fleet.js';

export interface SettlementParts {
  readonly fleet: Pick<Fleet, 'subscribe' | 'get' | 'list'>;
  readonly feed: Pick<RunFeed, 'fold'>;
  readonly spending: Pick<Spending, 'settle' | 'reconcile'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly log: Log;
}

const DAY_MS = 86_400_000;
const PAGE = 200;
/** Runs of yesterday and today that a server looks at when it opens. */
const MOST_LATE = 2_000;
const RESTING = new Set(['done', 'degraded', 'blocked', 'failed', 'cancelled', 'bounded']);

/** Gives back what ended runs were admitted for and did not spend: as they end, and when the server opens again. */
export function settleEndedRuns(parts: SettlementParts): { readonly close: () => Promise<void> } {
  const { fleet, log } = parts;
  let closed = false;
  const ended = new Set<string>();
  let wake: () => void = () => undefined;
  // begun here and not where a run ends: work that is begun inside of a run keeps all of that run until it is done
  const work = (async (): Promise<void> => {
    for (;;) {
      for (const runId of ended) {
        ended.delete(runId);
        await settled(parts, runId).catch((error: unknown) => log.error('settling a run', error, { run: runId }));
      }
      if (closed) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  })();
  const stop = fleet.subscribe((runId, entries) => {
    if (!entries.some(({ event }) => event.type === 'run-end')) return;
    ended.add(runId);
    wake();
  });
  const stopLooking = reconciling(parts);
  const late = settleLate(parts, () => closed).catch((error: unknown) => log.error('settling runs of before', error));
  return {
    async close() {
      closed = true;
      stop();
      wake();
      await Promise.all([work, late, stopLooking()]);
    },
  };
}

const LOOK_MS = 60_000;

function unlessGone(error: unknown): undefined {
  if (!(error instanceof FlyballError && error.code === 'RUN_NOT_FOUND')) throw error;
}

/** Looks at the start and once a minute for resumes that a process died in, this one before it or another beside it. */
function reconciling({ spending, feed, clock, log }: SettlementParts): () => Promise<void> {
  let isClosed = false;
  let stopTimer: () => void = () => undefined;
  let work: Promise<void> = Promise.resolve();
  const look = (): void => {
    work = spending
      .reconcile((runId) => standingOf(feed, runId).catch(unlessGone))
      .catch((error: unknown) => log.error('settling runs whose resume was cut off', error))
      .then(() => {
        if (!isClosed) stopTimer = clock.after(LOOK_MS, look, { keepAlive: false });
      });
  };
  look();
  return async () => {
    isClosed = true;
    stopTimer();
    await work;
  };
}

async function settled({ fleet, feed, spending }: SettlementParts, runId: string): Promise<void> {
  const { tenant } = await fleet.get(runId);
  await spending.settle({ runId, tenant }, () => standingOf(feed, runId));
}

/** How far a run is by what its journal holds now. At a bound it has ended until somebody resumes it. */
export async function standingOf(feed: Pick<RunFeed, 'fold'>, runId: string): Promise<Standing> {
  const { spentUsd, outcome, limits } = await feed.fold(runId);
  if (outcome !== undefined) return { spentUsd };
  return { spentUsd, budgetUsd: limits?.costUsd ?? Number.POSITIVE_INFINITY };
}

/** Runs that ended while no server heard it: in a process that died, or on a command line. */
async function settleLate(parts: SettlementParts, isClosed: () => boolean): Promise<void> {
  const since = Math.floor(parts.clock.now() / DAY_MS) * DAY_MS - DAY_MS;
  let cursor: string | undefined;
  for (let seen = 0; seen < MOST_LATE; seen += PAGE) {
    const page = await parts.fleet.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id, status, createdAt } of page.runs) {
      if (isClosed() || createdAt < since) return;
      if (RESTING.has(status)) await settled(parts, id);
    }
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}
