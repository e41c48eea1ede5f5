import type { Decision, Verdict } from '../core/approval.js';
import { isRunDamage } from '../core/engine-errors.js';
import { FlyballError } from '../core/errors.js';
import type { Entry } from '../core/events.js';
import { isAsked, waitChange } from '../core/waits.js';
import type { Clock } from '../ports/clock.js';
import type { RunStatus } from '../ports/engine.js';
import type { Store } from '../ports/store.js';
import type { Runtime } from '../runtime/runtime.js';
import { baseOf } from '../views/paths.js';
import { type Answering, requireAnswering, requireEntitled, requireOpen, soundVerdict } from './answer-checks.js';
import { type InboxMetrics, type MetricsOptions, metricsOf } from './inbox-metrics.js';
import { type InboxFilter, RequestShelf } from './request-shelf.js';
import { type PersonDecision, type PersonRequest, requestsIn } from './requests.js';

/** A request in an inbox. */
export interface InboxItem extends PersonRequest {
  /** Open past its deadline: whoever runs the run next finds that nobody answered in time. */
  readonly overdue: boolean;
}

/** A page of requests. */
export interface InboxPage {
  /** Oldest first. */
  readonly items: readonly InboxItem[];
  readonly cursor?: string;
}

/**
 * What runs ask of people, in one place across runs.
 *
 * Invariants:
 * 1. The journal is the truth. Records in the store are folded from it and can be lost: `sync` makes them again.
 * 2. A verdict is checked against the journal as it is now, never against a record, and is then taken or refused by the
 *    engine in one transaction: of two that come at once, one counts and the other is told so.
 */
export interface ApprovalInbox {
  /** Reads every run that may wait for somebody: after a start, or when other processes have been at work. */
  sync(): Promise<void>;
  /** Reads one run again: another process has been at work on it. */
  refresh(runId: string): Promise<void>;
  list(filter?: InboxFilter): Promise<InboxPage>;
  get(id: string): Promise<InboxItem | undefined>;
  /** A verdict on an action or an output. */
  decide(id: string, verdict: Verdict, who: Answering): Promise<void>;
  /** The answer to a question, or to a doubt: `{ happened: true, result }` or `{ happened: false }`. */
  answer(id: string, value: unknown, who: Answering): Promise<void>;
  /** Who said what about the same thing, oldest first. */
  history(id: string): Promise<readonly (PersonDecision | Decision)[]>;
  metrics(options?: MetricsOptions): Promise<InboxMetrics>;
  /** Resolves when everything heard so far is in the store; rejects where something could not be written. */
  settled(): Promise<void>;
  /** Stops listening. */
  close(): void;
}

/** What `approvalInbox` needs. */
export interface InboxParts {
  readonly runtime: Pick<Runtime, 'subscribe' | 'entries' | 'get' | 'list' | 'signal'>;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Whose runs. `default` where it is absent. */
  readonly tenant?: string;
  /** Under whose name the records are kept: `people` where it is absent. */
  readonly owner?: string;
}

/** An inbox of all open requests of a runtime. */
export function approvalInbox(parts: InboxParts): ApprovalInbox {
  const { runtime, store, clock, tenant = 'default', owner = 'people' } = parts;
  const shelf = new RequestShelf(store, { tenant, owner }, clock);
  const shown = (item: PersonRequest): InboxItem => ({ ...item, overdue: isOverdue(item, clock.now()) });

  const refresh = async (runId: string): Promise<void> => {
    if ((await runtime.get(runId)).tenant !== tenant) return;
    const entries = await readable(runtime, runId);
    if (entries !== undefined) await shelf.put(runId, requestsIn(runId, entries));
  };
  const work = new Work();
  const stop = runtime.subscribe((runId, entries) => {
    work.add(async () => {
      if (entries.some((entry) => isOfInterest(entry, shelf.mayHaveOpen(runId)))) await refresh(runId);
      if (entries.some(({ event }) => event.type === 'run-end')) shelf.forget(runId);
    });
  });

  const fresh = async (id: string): Promise<PersonRequest> => {
    const known = await shelf.get(id);
    const requests = known === undefined ? [] : requestsIn(known.run, await runtime.entries(known.run));
    return requests.find((request) => request.id === id) ?? noSuchRequest(id);
  };
  const send = async (request: PersonRequest, payload: unknown, who: Answering): Promise<void> => {
    requireOpen(request, clock.now());
    requireEntitled(request, who);
    await runtime.signal(request.run, request.token, payload, { from: who.by, scopes: who.scopes });
  };

  return {
    async sync() {
      await work.settled();
      for await (const { id } of mayWait(runtime, tenant)) await refresh(id);
      for (const runId of await shelf.runsWithOpen()) await refresh(runId);
    },
    refresh,
    async list(filter = {}) {
      await work.settled();
      const { items, cursor } = await shelf.query(filter);
      return { items: items.map(shown), ...(cursor === undefined ? {} : { cursor }) };
    },
    async get(id) {
      await work.settled();
      const item = await shelf.get(id);
      return item === undefined ? undefined : shown(item);
    },
    async decide(id, verdict, who) {
      requireAnswering(who);
      const sound = await soundVerdict(verdict);
      const request = await fresh(id);
      if (request.kind !== 'approval')
        throw new FlyballError('SIGNAL_INVALID', `${request.about} is a question. Use answer instead of decide.`);
      await send(request, sound, who);
    },
    async answer(id, value, who) {
      requireAnswering(who);
      const request = await fresh(id);
      if (request.kind === 'approval')
        throw new FlyballError('SIGNAL_INVALID', `${request.about} waits for a verdict. Use decide instead of answer.`);
      await send(request, value, who);
    },
    history: async (id) => decisionsAbout(runtime, await fresh(id)),
    async metrics(options = {}) {
      await work.settled();
      return metricsOf(shelf.all(), options);
    },
    settled: () => work.settled(),
    close: stop,
  };
}

function isOverdue({ status, due }: PersonRequest, now: number): boolean {
  return status === 'open' && due !== undefined && now >= due;
}

/** Undefined for a run that is damaged: it is stalled and says so, and what others ask is found all the same. */
async function readable(runtime: InboxParts['runtime'], runId: string): Promise<readonly Entry[] | undefined> {
  return runtime.entries(runId).catch((error: unknown) => {
    if (isRunDamage(error)) return undefined;
    throw error;
  });
}

function noSuchRequest(id: string): never {
  const message = `There is no request ${id}. List the open requests, or call sync first.`;
  throw new FlyballError('SIGNAL_UNEXPECTED', message);
}

/** A run that is bounded or stalled goes on when somebody lets it: its questions stand. */
const MAY_WAIT: readonly RunStatus[] = ['suspended', 'running', 'paused', 'pending', 'stalled', 'bounded'];

async function* mayWait(runtime: InboxParts['runtime'], tenant: string): AsyncGenerator<{ readonly id: string }> {
  for (const status of MAY_WAIT) {
    for (let cursor: string | undefined; ; ) {
      const page = await runtime.list({ tenant, status, limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      yield* page.runs;
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
  }
}

/** What was decided about the same act or output, oldest first. */
async function decisionsAbout(
  runtime: InboxParts['runtime'],
  request: PersonRequest,
): Promise<readonly (PersonDecision | Decision)[]> {
  const earlier = (request.request as { readonly history?: readonly Decision[] } | null)?.history ?? [];
  if (!request.effect.includes('!')) return [...earlier, ...(request.decision === undefined ? [] : [request.decision])];
  const same = requestsIn(request.run, await runtime.entries(request.run)).filter(
    ({ effect, kind }) => kind === request.kind && baseOf(effect) === baseOf(request.effect),
  );
  return same.flatMap(({ decision }) => (decision === undefined ? [] : [decision]));
}

/** Ends matter only where something may be open: most runs never ask anybody. */
function isOfInterest({ event }: Entry, mayHaveOpen: boolean): boolean {
  if (event.type === 'wait-end' && event.unheard === true) return true;
  const change = waitChange(event);
  if (change?.start !== undefined) return isAsked(change.start);
  return change !== undefined && mayHaveOpen;
}

/** One thing after the other; the first failure is told to whoever asks next, and then forgotten. */
class Work {
  private last: Promise<void> = Promise.resolve();
  private failure: { readonly error: unknown } | undefined;

  add(job: () => Promise<void>): void {
    this.last = this.last.then(job).catch((error: unknown) => {
      this.failure ??= { error };
    });
  }

  async settled(): Promise<void> {
    await this.last;
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
