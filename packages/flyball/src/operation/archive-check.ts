import { contentId, decode } from '../core/codec.js';
import type { RunEvent } from '../core/events.js';
import { storedLinkId } from '../core/prompt.js';
import type { RunRecord, StoredEntry, StoredLink, WholeRun } from '../ports/engine.js';

/**
 * What is wrong with a run that is to be put away or put back, undefined where nothing is.
 *
 * 1. Each content and each link is what its hash says. They are shared by all runs of a tenant and kept once: a wrong one
 *    would break every run that stores the right one later.
 * 2. The journal is whole, and refers to no content that is not beside it.
 * 3. The record says what the journal says: whose run it is, what it runs, and where it was forked from.
 */
export function wrongIn({ record, entries, blobs, links }: WholeRun): string | undefined {
  const contents = new Map(blobs);
  const changed = blobs.find(([hash, content]) => contentId(content) !== hash);
  if (changed !== undefined) return `content ${changed[0]} is not what its hash says`;
  return wrongLink(links, contents) ?? wrongPlace(record, entries) ?? wrongEvent(record, entries, contents);
}

function wrongLink(links: readonly StoredLink[], contents: ReadonlyMap<string, string>): string | undefined {
  const before = new Set<string>();
  for (const link of links) {
    const { id, parent, blob } = link;
    const content = blob === undefined ? link.content : contents.get(blob);
    const isFollowing = parent === undefined || before.has(parent);
    if (content === undefined || !isFollowing) return `link ${id} of a prompt refers to what is not in it`;
    if (storedLinkId(link, content) !== id) return `link ${id} of a prompt is not what its id says`;
    before.add(id);
  }
  return undefined;
}

/** From the first entry of the first generation to one of the last, without a hole. */
function wrongPlace({ generation }: RunRecord, entries: readonly StoredEntry[]): string | undefined {
  let [expected, next] = [0, 0];
  for (const entry of entries) {
    if (entry.generation === expected + 1 && next > 0) [expected, next] = [expected + 1, 0];
    if (entry.generation !== expected || entry.seq !== next)
      return `entry ${entry.seq} of generation ${entry.generation} does not follow the one before it`;
    next += 1;
  }
  return next > 0 && expected === generation ? undefined : `its journal does not reach generation ${generation}`;
}

function wrongEvent(
  record: RunRecord,
  entries: readonly StoredEntry[],
  contents: ReadonlyMap<string, string>,
): string | undefined {
  for (const { generation, seq, body } of entries) {
    const event = eventIn(body, contents);
    const which = `entry ${seq} of generation ${generation}`;
    if (typeof event?.type !== 'string') return `${which} is not an event, or refers to content that is not in it`;
    if (generation === 0 && seq === 0 && !isStartOf(record, event)) return 'its record is not that of its journal';
  }
  return undefined;
}

function eventIn(body: string, contents: ReadonlyMap<string, string>): RunEvent | undefined {
  try {
    return (decode(body, contents) as RunEvent | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function isStartOf({ agent, tenant, subject, fork }: RunRecord, start: RunEvent): boolean {
  return (
    start.type === 'run-start' &&
    start.agent === agent &&
    start.tenant === tenant &&
    start.subject === subject &&
    start.fork?.run === fork?.run &&
    start.fork?.generation === fork?.generation &&
    start.fork?.seq === fork?.seq
  );
}
