import type { Clock, RunRecord, Store } from 'flyball';
import { type ApprovalInbox, approvalInbox } from 'flyball/people';
import type { Fleet } from './agents/fleet.js';

export interface InboxesParts {
  readonly fleet: Fleet;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** The owner whose runs are heard here as they go. */
  readonly me: string;
}

/** Between two looks at what other processes do: longer where a look takes long, so that most time is for other things. */
const SOONEST_MS = 1_000;
const LATEST_MS = 5_000;
const TIMES_AS_LONG = 20;
const PAGE = 200;

/** One inbox a tenant, each over that tenant's runs only. */
export class Inboxes {
  private readonly parts: InboxesParts;
  private readonly open = new Map<string, TenantInbox>();

  constructor(parts: InboxesParts) {
    this.parts = parts;
  }

  /** As it stands, other processes included: what a run asks elsewhere is here a moment later. */
  async of(tenant: string): Promise<ApprovalInbox> {
    const known = this.open.get(tenant) ?? new TenantInbox(this.parts, tenant);
    this.open.set(tenant, known);
    await known.look();
    return known.inbox;
  }

  close(): void {
    for (const { inbox } of this.open.values()) inbox.close();
  }
}

/** What runs here ask is heard as they ask it; of the others only those are read that have changed since the last look. */
class TenantInbox {
  readonly inbox: ApprovalInbox;
  private readonly parts: InboxesParts;
  private readonly tenant: string;
  /** How runs that may wait for somebody stood at the last look. */
  private seen: ReadonlyMap<string, string> = new Map();
  private looking: Promise<void> | undefined;
  private nextAt = Number.NEGATIVE_INFINITY;

  constructor(parts: InboxesParts, tenant: string) {
    const { fleet, store, clock } = parts;
    this.parts = parts;
    this.tenant = tenant;
    this.inbox = approvalInbox({ runtime: fleet, store, clock, tenant });
  }

  look(): Promise<void> {
    if (this.looking === undefined && this.parts.clock.monotonic() >= this.nextAt)
      this.looking = this.lookOnce().finally(() => {
        this.looking = undefined;
      });
    return this.looking ?? Promise.resolve();
  }

  private async lookOnce(): Promise<void> {
    const { clock } = this.parts;
    const began = clock.monotonic();
    const seen = new Map<string, string>();
    for (const status of ['suspended', 'paused', 'running', 'stalled', 'bounded'] as const)
      for await (const page of this.pages(status)) await Promise.all(page.map((record) => this.refresh(record, seen)));
    // what was open and is so no more: the run went on elsewhere, and may have ended
    for await (const runId of this.asking()) if (!seen.has(runId)) await this.refresh(await this.get(runId), seen);
    this.seen = seen;
    const now = clock.monotonic();
    this.nextAt = now + Math.min(LATEST_MS, Math.max(SOONEST_MS, (now - began) * TIMES_AS_LONG));
  }

  private async refresh(record: RunRecord, seen: Map<string, string>): Promise<void> {
    const { id, status, updatedAt, generation } = record;
    const stands = `${status} ${updatedAt} ${generation}`;
    seen.set(id, stands);
    const isElsewhere = status === 'running' && record.owner?.id !== this.parts.me; // its time stands still while it works
    if (isElsewhere || this.seen.get(id) !== stands) await this.inbox.refresh(id);
  }

  private get(runId: string): Promise<RunRecord> {
    return this.parts.fleet.get(runId);
  }

  /** What a page brings is taken together, and written in a few commits. */
  private async *pages(status: RunRecord['status']): AsyncGenerator<readonly RunRecord[]> {
    const { fleet } = this.parts;
    for (let cursor: string | undefined; ; ) {
      const filter = { tenant: this.tenant, status, limit: PAGE };
      const page = await fleet.list(cursor === undefined ? filter : { ...filter, cursor });
      yield page.runs;
      cursor = page.cursor;
      if (cursor === undefined) return;
    }
  }

  /** Runs with open requests, as far as is known. */
  private async *asking(): AsyncGenerator<string> {
    for (let cursor: string | undefined; ; ) {
      const filter = { status: 'open', limit: PAGE } as const;
      const page = await this.inbox.list(cursor === undefined ? filter : { ...filter, cursor });
      for (const { run } of page.items) yield run;
      cursor = page.cursor;
      if (cursor === undefined) return;
    }
  }
}
