import type { DeltaCursor } from './delta-board.js';
import type { Position } from './position.js';
import type { EntryItem, FeedItem } from './run-feed.js';
import type { WatchedRun } from './watched-run.js';

/** Entries handed over at once. */
const HANDFUL = 200;
const FIRST_HANDFUL = 16;
const HANDFUL_BYTES = 131_072;

export interface Following {
  readonly after: Position | undefined;
  readonly cursor: DeltaCursor | undefined;
  readonly signal: AbortSignal;
  /** Reads on in the journal. */
  readonly onward: (after: Position | undefined, limit: number) => Promise<readonly EntryItem[]>;
  /** Sees to it that the card says how the run ended. */
  readonly lastCard: () => Promise<void>;
}

/** One reader of a run: where it stands and what it has seen of the card is all that there is of it. */
export async function* followRun(run: WatchedRun, following: Following): AsyncIterable<readonly FeedItem[]> {
  const { cursor, signal } = following;
  let position = following.after;
  let limit = FIRST_HANDFUL;
  let cardSeen = run.cardVersion;
  if (run.card !== undefined) yield [{ kind: 'card', card: run.card }];
  while (!signal.aborted) {
    const { version } = run;
    const items = handful(run.ring.after(position, limit) ?? (await following.onward(position, limit)));
    if (items.length > 0) {
      position = items.at(-1)?.position;
      limit = nextLimit(items);
      yield items;
      continue;
    }
    const isOver = run.ended !== undefined && run.version === version;
    if (isOver) await following.lastCard();
    const more: FeedItem[] = [];
    if (run.card !== undefined && run.cardVersion !== cardSeen) {
      cardSeen = run.cardVersion;
      more.push({ kind: 'card', card: run.card });
    }
    if (cursor !== undefined) more.push(...run.deltas.since(cursor));
    if (isOver) {
      yield [...more, { kind: 'end', status: run.ended ?? '' }];
      return;
    }
    if (more.length > 0) yield more;
    else await run.changed(version);
  }
}

/** Entries can be large: what a reader holds at once is bounded in bytes too, but for a single one. */
function handful(items: readonly EntryItem[]): readonly EntryItem[] {
  let bytes = 0;
  let end = 0;
  for (const { text } of items) {
    bytes += text.length;
    if (end > 0 && bytes > HANDFUL_BYTES) return items.slice(0, end);
    end++;
  }
  return items;
}

/** As many as would have been a handful of those: large entries are read a few at a time. */
function nextLimit(items: readonly EntryItem[]): number {
  const bytes = items.reduce((sum, { text }) => sum + text.length, 0);
  return Math.max(1, Math.min(HANDFUL, Math.floor((HANDFUL_BYTES * items.length) / Math.max(1, bytes))));
}
