import { LONGEST_ANNOUNCEMENT_MS } from '../../core/announcement.js';
import { alreadyTerminal, claimerGone, cursorNumber, heldByAnother } from '../../core/engine-errors.js';
import { overdueCursor } from '../../core/overdue-place.js';
import { workedUnseen } from '../../core/unseen-work.js';
import type { Claim, ClaimRequest, Engine, Rest, RunFilter, RunPage, RunStatus } from '../../ports/engine.js';
import { type MemoryRun, recordOf } from './memory-run.js';
import { type MemoryState, TERMINAL } from './memory-state.js';
import { countsOf } from './retention.js';

const RESTING: ReadonlySet<RunStatus> = new Set(['suspended', 'paused', 'bounded', 'stalled']);

type Ownership = Pick<
  Engine,
  'claim' | 'take' | 'renew' | 'release' | 'requeue' | 'due' | 'overdue' | 'queue' | 'nextDue' | 'announce' | 'workers'
>;

/** Who works on which run, and for how long. */
export function ownershipIn(state: MemoryState): Ownership {
  const { line, workers, goneOwners } = state;
  return {
    claim: async (runId, by) => claim(state, runId, by),
    async take(query, by) {
      if (goneOwners.has(by.owner.id)) return [];
      return line.due(query).map((runId) => claim(state, runId, { ...query, ...by }));
    },

    async renew(signs, { now, leaseMs }) {
      const stale: string[] = [];
      for (const { claim, activeMs } of signs) {
        const run = state.held(claim);
        if (run === undefined) stale.push(claim.runId);
        else Object.assign(run, { leaseUntil: now + leaseMs, aliveAt: now, activeMs });
      }
      return stale;
    },

    async release(claim, rest) {
      const run = state.held(claim);
      if (run === undefined) return;
      const isCancelled = rest.unlessCancelled === true && isToHearCancel(run);
      state.change(run, { ...restingAt(run, rest), ...(isCancelled ? IN_LINE : {}) });
      if (isCancelled || (rest.status === 'pending' && rest.inLine === true)) state.notify(run.id);
    },

    async requeue(runId) {
      const run = state.known(runId);
      if (TERMINAL.has(run.status)) throw alreadyTerminal(run);
      if (!RESTING.has(run.status)) return;
      state.change(run, IN_LINE);
      state.notify(runId);
    },

    due: async (query) => line.due(query),
    async overdue(query) {
      const found = line.overdue(query);
      const last = found.at(-1);
      const runs = found.map(([run]) => recordOf(run));
      return last === undefined ? { runs } : { runs, cursor: overdueCursor({ id: last[0].id, since: last[1] }) };
    },
    queue: async (now) => line.queue(now),
    nextDue: async (now) => line.next(now),

    async announce(worker, { now, forMs }) {
      for (const [id, { until }] of workers) if (until <= now) workers.delete(id);
      if (forMs > 0) workers.set(worker.id, { ...worker, until: now + Math.min(forMs, LONGEST_ANNOUNCEMENT_MS) });
      else workers.delete(worker.id);
    },
    workers: async (now) => [...workers.values()].filter(({ until }) => until > now),
  };
}

/** What was there, and how it stands. */
export function recordsIn({ runs, inOrder }: MemoryState): Pick<Engine, 'get' | 'list' | 'count'> {
  return {
    async get(runId) {
      const run = runs.get(runId);
      return run === undefined ? undefined : recordOf(run);
    },
    list: async (filter) => pageOf(inOrder, filter),
    count: async () => countsOf([...runs.values()]),
  };
}

const NOTHING_TO_WAIT_FOR = { wakeAt: undefined, waiting: [], attention: undefined, code: undefined };
/** Somebody has decided that it goes on. */
const IN_LINE = { ...NOTHING_TO_WAIT_FOR, status: 'pending', crashes: 0 } as const;

function isToHearCancel({ inbox, taken }: MemoryRun): boolean {
  return inbox.some(({ kind, number }) => kind === 'cancel' && !taken.has(number));
}

function claim(state: MemoryState, runId: string, by: ClaimRequest): Claim {
  const run = state.known(runId);
  if (TERMINAL.has(run.status)) throw alreadyTerminal(run);
  if (state.goneOwners.has(by.owner.id)) throw claimerGone(runId, by.owner);
  const { status: was } = run;
  const previous = run.owner;
  if (previous !== undefined && (run.leaseUntil ?? 0) > by.now && !by.isGone(previous)) {
    throw heldByAnother(runId, previous, run.leaseUntil ?? 0);
  }
  state.change(run, {
    ...NOTHING_TO_WAIT_FOR,
    status: 'running',
    fence: run.fence + 1,
    owner: by.owner,
    leaseUntil: by.now + by.leaseMs,
    activeMs: run.activeMs + (previous === undefined ? 0 : workedUnseen(run.aliveAt, by)),
    aliveAt: by.now,
    updatedAt: by.now,
    signalled: 'nothing',
    crashes: run.crashes + (previous === undefined ? 0 : 1),
  });
  return { runId, fence: run.fence, record: recordOf(run), was, ...(previous === undefined ? {} : { previous }) };
}

function restingAt(run: MemoryRun, rest: Rest): Partial<MemoryRun> {
  return {
    status: rest.status,
    fence: run.fence + 1,
    owner: undefined,
    leaseUntil: undefined,
    updatedAt: rest.now,
    wakeAt: rest.status === 'suspended' ? rest.wakeAt : undefined,
    waiting: rest.status === 'suspended' ? rest.waiting : [],
    attention: rest.status === 'stalled' ? rest.attention : undefined,
    code: 'code' in rest ? rest.code : undefined,
    activeMs: rest.activeMs ?? run.activeMs,
  };
}

function pageOf(inOrder: readonly (MemoryRun | undefined)[], filter: RunFilter): RunPage {
  const { tenant, subject, agent, status, code, before, limit = 100 } = filter;
  const found: MemoryRun[] = [];
  let at = filter.cursor === undefined ? inOrder.length - 1 : cursorNumber(filter.cursor) - 1;
  for (; at >= 0 && found.length < limit; at -= 1) {
    const run = inOrder[at];
    if (run === undefined) continue; // it was removed
    if (code !== undefined && run.code !== code) continue;
    if (before !== undefined && run.updatedAt >= before) continue;
    if (tenant !== undefined && run.tenant !== tenant) continue;
    if (subject !== undefined && run.subject !== subject) continue;
    if (agent !== undefined && run.agent !== agent) continue;
    if (status !== undefined && run.status !== status) continue;
    found.push(run);
  }
  const last = found.at(-1);
  return { runs: found.map(recordOf), ...(at >= 0 && last !== undefined ? { cursor: String(last.order) } : {}) };
}
