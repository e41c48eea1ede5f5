import type { Entry, RunStatus } from 'flyball';
import { FlyballError } from 'flyball';
import { canonicalJson } from 'flyball/internal';
import type { ApprovalInbox, InboxItem } from 'flyball/people';
import type { Parts } from '../parts.js';
import { notFound, Problem } from '../problem.js';

/** A run that is awake here takes a message in a moment; one that is not must not hold the answer up. */
const PATIENCE_MS = 3_000;
/** Nothing was heard for this long: another process may be at work on it, and its journal is looked at. */
const QUIET_MS = 400;
/** What is said to these waits for somebody who lets them go on. */
const RESTS: ReadonlySet<RunStatus> = new Set<RunStatus>(['paused', 'bounded', 'stalled']);

export interface Saying {
  readonly item: InboxItem;
  readonly inbox: ApprovalInbox;
  readonly signal: AbortSignal;
  /** Who says what. A request that is repeated has `once`: it may have been said before a crash. */
  readonly by: string;
  readonly said: Readonly<Record<string, unknown>>;
  readonly once: string | undefined;
  readonly say: () => Promise<void>;
}

/**
 * Says something to a run and answers how the request stands once the run has heard it, or after a moment. A run checks
 * what it is told by its own schema: what it refuses is refused here as well.
 */
export async function heard(parts: Parts, saying: Saying): Promise<InboxItem> {
  const { item, inbox, signal } = saying;
  const news = new News(parts, item, signal); // before it is said: nothing may be missed
  try {
    const late = await refusalOf(saying);
    for (;;) {
      const now = await itemOf(inbox, item.id);
      if (now.status !== 'open') return ownOr(late, now, saying);
      if (RESTS.has((await parts.fleet.get(item.run)).status)) return now;
      const heardOf = await news.next();
      if (heardOf !== 'more') await inbox.refresh(item.run);
      if (heardOf === 'over') return ownOr(late, await itemOf(inbox, item.id), saying);
    }
  } finally {
    news.stop();
  }
}

/** What is over for everybody else may be over because this very request was made before. */
async function refusalOf({ say, once }: Saying): Promise<FlyballError | undefined> {
  try {
    await say();
    return undefined;
  } catch (error) {
    if (once !== undefined && error instanceof FlyballError && error.code === 'SIGNAL_UNEXPECTED') return error;
    throw error;
  }
}

/** How it was decided, if that is what this request said; the refusal it got otherwise. */
function ownOr(late: FlyballError | undefined, item: InboxItem, { by, said }: Saying): InboxItem {
  if (late === undefined || item.status === 'open') return item; // said before and not heard yet
  const { by: who, at: _at, ...decision } = item.decision ?? { by: '', at: 0 };
  if (who === by && canonicalJson(decision) === canonicalJson(said)) return item;
  throw late;
}

async function itemOf(inbox: ApprovalInbox, id: string): Promise<InboxItem> {
  const item = await inbox.get(id);
  if (item === undefined) throw notFound('request', id);
  return item;
}

/** What one run writes, until patience or the client is gone. */
class News {
  private hasMore = false;
  private isOver = false;
  private refusal: string | undefined;
  private wake: (() => void) | undefined;
  private readonly stops: readonly (() => void)[];
  private readonly clock: Parts['clock'];

  constructor({ fleet, clock }: Parts, { run, token }: InboxItem, signal: AbortSignal) {
    this.clock = clock;
    const over = (): void => {
      this.isOver = true;
      this.wake?.();
    };
    signal.addEventListener('abort', over);
    this.stops = [
      fleet.subscribe((id, entries) => {
        if (id === run) this.hear(entries, token);
      }),
      clock.after(PATIENCE_MS, over, { keepAlive: false }),
      () => signal.removeEventListener('abort', over),
    ];
  }

  async next(): Promise<'more' | 'quiet' | 'over'> {
    if (!this.hasMore && !this.isOver) await this.something();
    if (this.refusal !== undefined)
      throw new Problem(400, 'SIGNAL_INVALID', `The answer is not valid: ${this.refusal}.`, {
        next: 'Answer again; the request is still open.',
      });
    const hasMore = this.hasMore;
    this.hasMore = false;
    if (hasMore) return 'more';
    return this.isOver ? 'over' : 'quiet';
  }

  private async something(): Promise<void> {
    let stop = (): void => undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      stop = this.clock.after(QUIET_MS, resolve, { keepAlive: false });
    });
    stop();
  }

  stop(): void {
    for (const stop of this.stops) stop();
  }

  private hear(entries: readonly Entry[], token: string): void {
    for (const { event } of entries)
      if (event.type === 'signal-refused' && event.token === token) this.refusal = event.why;
    this.hasMore = true;
    this.wake?.();
  }
}
