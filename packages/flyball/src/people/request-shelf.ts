import { isEntitled, type Risk } from '../core/approval.js';
import { canonicalJson, sha256 } from '../core/canonical.js';
import { cursorUnknown } from '../core/engine-errors.js';
import { FlyballError } from '../core/errors.js';
import type { Clock } from '../ports/clock.js';
import type { RecordKey, Store, StoreQuery } from '../ports/store.js';
import type { PersonRequest, RequestStatus } from './requests.js';

/** Which requests to list. */
export interface InboxFilter {
  readonly status?: RequestStatus;
  readonly run?: string;
  readonly risk?: Risk;
  /** Only what somebody with this scope may decide. */
  readonly scope?: string;
  /** 50 where it is absent. */
  readonly limit?: number;
  readonly cursor?: string;
}

export const COLLECTION = 'approvals';
const PAGE = 100;
const TRIES = 5;

/** The records of an inbox: a copy of what journals say, kept so that a list need not read them all. */
export class RequestShelf {
  private readonly store: Store;
  private readonly place: { readonly tenant: string; readonly owner: string };
  private readonly clock: Pick<Clock, 'now'>;
  /** What was written last, of runs that go on: a long run is not written again with each of its waits. */
  private readonly written = new Map<string, Map<string, RequestStatus>>();

  constructor(store: Store, place: { readonly tenant: string; readonly owner: string }, clock: Pick<Clock, 'now'>) {
    this.store = store;
    this.place = place;
    this.clock = clock;
  }

  /** Nobody has looked yet, or somebody is asked. */
  mayHaveOpen(runId: string): boolean {
    const known = this.written.get(runId);
    return known === undefined || [...known.values()].includes('open');
  }

  /** It has ended: nothing of it changes any more. */
  forget(runId: string): void {
    this.written.delete(runId);
  }

  async put(runId: string, requests: readonly PersonRequest[]): Promise<void> {
    const known = this.written.get(runId) ?? new Map<string, RequestStatus>();
    for (const request of requests) {
      if (known.get(request.id) === request.status) continue;
      await this.write(request);
      known.set(request.id, request.status);
    }
    this.written.set(runId, known);
  }

  async get(id: string): Promise<PersonRequest | undefined> {
    return (await this.store.get(this.keyOf(id)))?.value as PersonRequest | undefined;
  }

  /** A scope cannot be asked for in the store, so pages are read until there are enough. */
  async query(filter: InboxFilter): Promise<{ readonly items: readonly PersonRequest[]; readonly cursor?: string }> {
    const { scope, limit = 50 } = filter;
    const items: PersonRequest[] = [];
    if (filter.cursor !== undefined && (await this.get(filter.cursor)) === undefined)
      throw cursorUnknown(filter.cursor);
    for (let cursor = filter.cursor; ; ) {
      const page = await this.page(filter, { limit: limit - items.length, cursor });
      const found = page.records.map(({ value }) => value as PersonRequest);
      items.push(...found.filter((request) => scope === undefined || isEntitled(request, [scope])));
      cursor = page.cursor;
      if (cursor === undefined) return { items };
      if (items.length >= limit) return { items, cursor };
    }
  }

  async runsWithOpen(): Promise<readonly string[]> {
    const runs = new Set<string>();
    for await (const { run, status } of this.all({ status: 'open' })) if (status === 'open') runs.add(run);
    return [...runs];
  }

  async *all(filter: InboxFilter = {}): AsyncGenerator<PersonRequest> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.page(filter, { limit: PAGE, cursor });
      for (const { value } of page.records) yield value as PersonRequest;
      cursor = page.cursor;
      if (cursor === undefined) return;
    }
  }

  private page(
    { status, run, risk }: InboxFilter,
    { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  ): ReturnType<Store['query']> {
    const where = {
      ...(status === undefined ? {} : { status }),
      ...(run === undefined ? {} : { run }),
      ...(risk === undefined ? {} : { risk }),
    };
    const query: StoreQuery = { ...this.place, collection: COLLECTION, where, limit };
    return this.store.query(cursor === undefined ? query : { ...query, cursor });
  }

  private keyOf(key: string): RecordKey {
    return { ...this.place, collection: COLLECTION, key };
  }

  /** Several processes may fold the same journal: whoever is overtaken looks again. What is decided never opens again. */
  private async write(request: PersonRequest): Promise<void> {
    const at = this.keyOf(request.id);
    for (let tries = 1; ; tries++) {
      const current = await this.store.get(at);
      const before = current?.value as PersonRequest | undefined;
      if (before !== undefined && (isFinal(before) || before.status === request.status)) return;
      const over = current?.version ?? 0;
      const id = `${over}.${sha256(canonicalJson(request))}`;
      const now = this.clock.now();
      try {
        await this.store.propose(at, { id, over, value: request, now });
        await this.store.commit(at, id, now);
        return;
      } catch (error) {
        if (!(error instanceof FlyballError) || error.code !== 'RECORD_CONFLICT' || tries >= TRIES) throw error;
      }
    }
  }
}

function isFinal({ status }: PersonRequest): boolean {
  return status === 'decided' || status === 'timed-out';
}
