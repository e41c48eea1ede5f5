import type { Entry } from '../../core/events.js';
import type { ApprovalInbox, InboxItem } from '../../people/approval-inbox.js';
import type { RunStatus } from '../../ports/engine.js';
import type { Parts } from '../parts.js';
import { notFound, Problem } from '../problem.js';

/** A run that is awake here takes a message in a moment; one that is not must not hold the answer up. */
const PATIENCE_MS = 3_000;
/** What is said to these waits for somebody who lets them go on. */
const RESTS: ReadonlySet<RunStatus> = new Set<RunStatus>(['paused', 'bounded', 'stalled']);

/**
 * Says something to a run and answers how the request stands once the run has heard it, or after a moment. A run checks
 * what it is told by its own schema: what it refuses is refused here as well.
 */
export async function heard(
  parts: Parts,
  { item, inbox }: { readonly item: InboxItem; readonly inbox: ApprovalInbox },
  signal: AbortSignal,
  say: () => Promise<void>,
): Promise<InboxItem> {
  const news = new News(parts, item, signal); // before it is said: nothing may be missed
  try {
    await say();
    for (;;) {
      const now = await itemOf(inbox, item.id);
      if (now.status !== 'open' || RESTS.has((await parts.fleet.get(item.run)).status)) return now;
      if ((await news.next()) === 'over') return await itemOf(inbox, item.id);
    }
  } finally {
    news.stop();
  }
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

  constructor({ fleet, clock }: Parts, { run, token }: InboxItem, signal: AbortSignal) {
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

  async next(): Promise<'more' | 'over'> {
    if (!this.hasMore && !this.isOver)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    if (this.refusal !== undefined)
      throw new Problem(400, 'SIGNAL_INVALID', `The answer does not fit: ${this.refusal}.`, {
        next: 'Answer again; the question stands.',
      });
    const hasMore = this.hasMore;
    this.hasMore = false;
    return hasMore ? 'more' : 'over';
  }

  stop(): void {
    for (const stop of this.stops) stop();
  }

  private hear(entries: readonly Entry[], token: string): void {
    for (const { event } of entries)
      if (event.type === 'signal-refused' && event.name === token) this.refusal = event.why;
    this.hasMore = true;
    this.wake?.();
  }
}
