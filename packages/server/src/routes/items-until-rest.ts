import type { Outcome, RunHandle } from 'flyball';
import type { Position } from '../feed/position.js';
import type { FeedItem } from '../feed/run-feed.js';
import type { Parts } from '../parts.js';
import { untilRest } from './until-rest.js';

/** The longest that a timer can be set for. */
const FOREVER_MS = 2 ** 31 - 1;
const PAGE = 200;

/**
 * What a run tells until it ends or waits for somebody: then its outcome, undefined where the reader went away. Every
 * entry up to there comes, whichever of feed and outcome is the faster.
 */
export async function* itemsUntilRest(
  { feed, clock }: Pick<Parts, 'feed' | 'clock'>,
  handle: RunHandle,
  signal: AbortSignal,
): AsyncGenerator<readonly FeedItem[], Outcome<unknown> | undefined> {
  const rested = new AbortController();
  const rest = untilRest(handle, { clock, ms: FOREVER_MS, signal }).finally(() => rested.abort());
  rest.catch(() => undefined); // awaited below: until then it must not count as unhandled
  let last: Position | undefined;
  for await (const items of feed.batches(handle.id, { deltas: true }, AbortSignal.any([signal, rested.signal]))) {
    last = items.findLast((item) => item.kind === 'entry')?.position ?? last;
    yield items;
  }
  const outcome = await rest;
  for (;;) {
    const entries = await feed.entries(handle.id, { ...(last === undefined ? {} : { after: last }), limit: PAGE });
    if (entries.length === 0 || signal.aborted) return outcome;
    last = entries.at(-1);
    yield entries.map((entry) => ({ kind: 'entry', position: entry, entry, text: JSON.stringify(entry) }));
  }
}
