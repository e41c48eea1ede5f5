import {
  alreadyTerminal,
  cursorNumber,
  heldByAnother,
  linkDangling,
  positionTaken,
  runExists,
  runNotFound,
  staleClaim,
} from '../../core/engine-errors.js';
import { nextOperation, type Operation, type StoredOperation } from '../../core/operations.js';
import { workedUnseen } from '../../core/unseen-work.js';
import type {
  AnnouncedWorker,
  Batch,
  Claim,
  ClaimRequest,
  Engine,
  RunFilter,
  RunPage,
  RunStatus,
} from '../../ports/engine.js';
import { chainTo, danglingLink, store, TenantContents } from './contents.js';
import { addEntry, isWritten, type MemoryRun, memoryRun, misplaced, recordOf } from './memory-run.js';
import { bytesOf, countsOf, isRemoved, refuseKept, sweep, weights } from './retention.js';
import { WaitingLine } from './waiting-line.js';

const DONE = Promise.resolve();
const TERMINAL: ReadonlySet<RunStatus> = new Set(['done', 'degraded', 'blocked', 'cancelled', 'failed']);
const RESTING: ReadonlySet<RunStatus> = new Set(['suspended', 'paused', 'bounded', 'stalled']);

/**
 * Runs in the memory of this process. It outlives a runtime that is dropped in the middle of a run, so a test can
 * crash one and resume with the next. "Durable" here means: still there for that next one.
 */
export function memoryEngine(): Engine {
  const runs = new Map<string, MemoryRun>();
  const inOrder: (MemoryRun | undefined)[] = [];
  const operations: StoredOperation[] = [];
  const record = (operation: Operation): void => void operations.push(nextOperation(operations.at(-1), operation));
  const contents = new TenantContents();
  const line = new WaitingLine();
  const listeners = new Set<(runId?: string) => void>();

  const known = (runId: string): MemoryRun => {
    const run = runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    return run;
  };
  const change = (run: MemoryRun, to: Partial<MemoryRun>): void => {
    line.leave(run);
    Object.assign(run, to);
    line.enter(run);
  };
  const workers = new Map<string, AnnouncedWorker>();
  const notify = (runId?: string): void => {
    for (const listener of [...listeners]) listener(runId);
  };
  const refusal = (run: MemoryRun, batch: Batch): Error | undefined => {
    const wrong = misplaced(run, batch.entries);
    if (wrong !== undefined) return positionTaken(run.id, wrong.entry, wrong.why);
    const dangling = batch.links === undefined ? undefined : danglingLink(batch, contents.of(run.tenant));
    return dangling === undefined ? undefined : linkDangling(dangling.id);
  };
  const write = (run: MemoryRun, batch: Batch): void => {
    for (const entry of batch.entries) addEntry(run, entry);
    if (batch.blobs !== undefined || batch.links !== undefined) store(contents.of(run.tenant), batch);
    for (const wait of batch.opened ?? [])
      run.waits.set(wait.token, { ...wait, since: run.waits.get(wait.token)?.since ?? wait.since });
    for (const token of batch.closed ?? []) run.waits.delete(token);
    if (batch.generation !== undefined) run.generation = batch.generation;
    for (const number of batch.taken ?? []) run.taken.add(number);
    if (batch.progress === true) run.crashes = 0;
    if (batch.taken !== undefined) takeMessages(run, batch.taken);
  };

  const claim = (runId: string, by: ClaimRequest): Claim => {
    const run = known(runId);
    if (TERMINAL.has(run.status)) throw alreadyTerminal(run);
    const { status: was } = run;
    const previous = run.owner;
    if (previous !== undefined && (run.leaseUntil ?? 0) > by.now && !by.isGone(previous)) {
      throw heldByAnother(runId, previous, run.leaseUntil ?? 0);
    }
    change(run, {
      status: 'running',
      fence: run.fence + 1,
      owner: by.owner,
      leaseUntil: by.now + by.leaseMs,
      activeMs: run.activeMs + (previous === undefined ? 0 : workedUnseen(run.aliveAt, by)),
      aliveAt: by.now,
      updatedAt: by.now,
      wakeAt: undefined,
      waiting: [],
      attention: undefined,
      code: undefined,
      signalled: 'nothing',
      crashes: run.crashes + (previous === undefined ? 0 : 1),
    });
    return { runId, fence: run.fence, record: recordOf(run), was, ...(previous === undefined ? {} : { previous }) };
  };

  return {
    kind: 'memory',

    async create(given) {
      if (runs.has(given.id) || isRemoved(operations, given.id)) throw runExists(given.id);
      const run = memoryRun(given, inOrder.length);
      const refused = refusal(run, given.first);
      if (refused !== undefined) throw refused;
      write(run, given.first);
      runs.set(run.id, run);
      inOrder.push(run);
      line.enter(run);
      if (given.inLine === true) notify(given.id);
    },

    claim: async (runId, by) => claim(runId, by),
    take: async (query, by) => line.due(query).map((runId) => claim(runId, { ...query, ...by })),

    // not async: this is the hot path, and the promise of an async function costs more than the append itself
    append(claim, batch) {
      const run = runs.get(claim.runId);
      if (run === undefined || run.fence !== claim.fence) return Promise.reject(staleClaim(claim));
      const refused = refusal(run, batch);
      if (refused === undefined) write(run, batch);
      else if (!isWritten(run, batch.entries)) return Promise.reject(refused);
      return DONE;
    },

    async renew(signs, { now, leaseMs }) {
      const stale: string[] = [];
      for (const { claim, activeMs } of signs) {
        const run = runs.get(claim.runId);
        if (run === undefined || run.fence !== claim.fence) stale.push(claim.runId);
        else Object.assign(run, { leaseUntil: now + leaseMs, aliveAt: now, activeMs });
      }
      return stale;
    },

    async release(claim, rest) {
      const run = runs.get(claim.runId);
      if (run === undefined || run.fence !== claim.fence) return;
      change(run, {
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
      });
      if (rest.status === 'pending' && rest.inLine === true) notify(claim.runId);
    },

    async get(runId) {
      const run = runs.get(runId);
      return run === undefined ? undefined : recordOf(run);
    },

    list: async (filter) => pageOf(inOrder, filter),
    count: async () => countsOf([...runs.values()]),

    async read(runId, { generation, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }) {
      return (runs.get(runId)?.journals.get(generation) ?? []).filter(({ seq }) => seq >= from && seq <= to);
    },

    async blobs(tenant, hashes) {
      const found = new Map<string, string>();
      const { blobs } = contents.of(tenant);
      for (const hash of hashes) {
        const content = blobs.get(hash);
        if (content !== undefined) found.set(hash, content);
      }
      return found;
    },

    links: async (tenant, tip) => chainTo(tip, contents.of(tenant)),

    async post(runId, message) {
      const run = known(runId);
      if (run.delivered.has(message.id)) return 'duplicate';
      if (TERMINAL.has(run.status)) throw alreadyTerminal(run);
      if (message.kind === 'answer') {
        if (!run.waits.has(message.name)) return 'closed';
        if (run.inbox.some(({ kind, name }) => kind === 'answer' && name === message.name)) return 'answered';
      }
      run.delivered.add(message.id);
      run.inbox.push({ ...message, number: run.delivered.size });
      const wakesPaused = message.kind === 'resume' || message.kind === 'cancel';
      // a later pause takes an earlier resume back: the run is to rest until the next one
      const isTakenBack = message.kind === 'pause' || run.signalled === 'nothing';
      change(run, {
        updatedAt: message.at,
        signalled: wakesPaused ? 'resume' : isTakenBack ? 'messages' : run.signalled,
      });
      notify(runId);
      return 'accepted';
    },

    waits: async (runId) => [...(runs.get(runId)?.waits.values() ?? [])],

    async inbox(runId, after) {
      const run = runs.get(runId);
      return (run?.inbox ?? []).filter(({ number }) => number > after && run?.taken.has(number) !== true);
    },

    async requeue(runId) {
      const run = known(runId);
      if (TERMINAL.has(run.status)) throw alreadyTerminal(run);
      if (!RESTING.has(run.status)) return;
      change(run, {
        status: 'pending',
        wakeAt: undefined,
        waiting: [],
        attention: undefined,
        code: undefined,
        crashes: 0,
      });
      notify(runId);
    },

    async announce(worker, { now, forMs }) {
      for (const [id, { until }] of workers) if (until <= now) workers.delete(id);
      if (forMs > 0) workers.set(worker.id, { ...worker, until: now + forMs });
      else workers.delete(worker.id);
    },
    workers: async (now) => [...workers.values()].filter(({ until }) => until > now),

    due: async (query) => line.due(query),
    queue: async (now) => line.queue(now),
    nextDue: async (now) => line.next(now),

    watch(listener) {
      // a wrapper of its own: the same function may watch twice, and each watch stops alone
      const own = (runId?: string) => listener(runId);
      listeners.add(own);
      return () => listeners.delete(own);
    },

    async hold(runId, { hold, by, why, at }) {
      const run = known(runId);
      if ((run.hold !== undefined) === hold) return;
      const reason = why === undefined ? {} : { why };
      run.hold = hold ? { by, at, ...reason } : undefined;
      record({ at, by, action: hold ? 'hold' : 'release', of: runId, ...reason });
    },
    async remove(runId, operation) {
      const run = known(runId);
      refuseKept(run, runs.values());
      line.leave(run);
      runs.delete(runId);
      inOrder[run.order] = undefined;
      record(operation);
    },
    async collect(referencesIn) {
      return sweep([...runs.values()], contents, referencesIn);
    },
    weigh: async (runIds, referencesIn) =>
      weights(
        runIds.map((id) => [id, runs.get(id)]),
        contents,
        referencesIn,
      ),
    size: async () => {
      const stored = contents.all().flatMap(([, { blobs }]) => [...blobs.values()]);
      const bytes = stored.reduce((sum, content) => sum + content.length, 0);
      return {
        bytes: [...runs.values()].reduce((sum, run) => sum + bytesOf(run), bytes),
        logBytes: 0,
        freeBytes: 0,
      };
    },
    async declareGone(operation) {
      const held = [...runs.values()].filter(({ owner }) => owner?.id === operation.of);
      for (const run of held) change(run, { leaseUntil: 0 });
      record(operation);
      notify();
      return held.map(({ id }) => id);
    },
    goneOwners: async () => [...new Set(operations.flatMap(({ action, of }) => (action === 'owner-gone' ? [of] : [])))],
    operations: async (of) => operations.filter((each) => of === undefined || each.of === of),

    async close() {
      listeners.clear();
    },
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

function takeMessages(run: MemoryRun, numbers: readonly number[]): void {
  run.inbox = run.inbox.filter(({ number }) => !numbers.includes(number));
  if (run.inbox.length === 0) run.signalled = 'nothing'; // it has seen all there was: no reason to wake it again
}
