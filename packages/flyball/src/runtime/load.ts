import { contentId, decode, referencesIn } from '../core/codec.js';
import { refuseDamaged } from '../core/damaged-record.js';
import { entryDamaged, runDamaged } from '../core/engine-errors.js';
import { FlyballError } from '../core/errors.js';
import { type EffectId, type Entry, EVENT_VERSION, type EventOf, type RunEvent } from '../core/events.js';
import type { MediaPart } from '../core/parts.js';
import { append, mediaFrom, type Prompt, segmentFrom } from '../core/prompt.js';
import type { Engine, RunRecord, StoredEntry } from '../ports/engine.js';
import { forkParent } from './fork-parent.js';
import type { Lineage } from './lineage.js';
import type { LoadedEntry } from './loaded-entry.js';

/** A generation's journal, decoded, with what it inherits from the run it was forked from. */
export interface Loaded {
  readonly entries: readonly LoadedEntry[];
  readonly lineage: Lineage;
}

/** A run, and whose contents it refers to. */
type Whose = Pick<RunRecord, 'id' | 'tenant' | 'damaged'>;

/** `below`: the forks that this run is loaded for. */
export async function load(
  engine: Engine,
  record: RunRecord,
  generation: number,
  below: readonly string[] = [],
): Promise<Loaded> {
  const own = await readEntries(engine, record, generation);
  const seed = generation === 0 ? record.id : `${record.id}/${generation}`;
  if (record.fork === undefined) return { entries: own, lineage: { seed, ancestors: [] } };
  const live = await isLive(engine, record);
  if (generation > 0) return { entries: own, lineage: { seed, ancestors: [], fork: { live, later: new Map() } } };
  const { run, generation: parentGeneration, seq } = record.fork;
  const parent = await forkParent(engine, record, { fork: record.fork, below });
  const above = await load(engine, parent, parentGeneration, [...below, record.id]);
  const inherited = above.entries
    .filter((entry) => entry.inherited !== undefined || entry.seq <= seq)
    .map((entry): LoadedEntry => ({ inherited: run, ...entry }));
  const later = laterEnds(above.entries, seq);
  return {
    entries: [...inherited, ...own],
    lineage: { seed: above.lineage.seed, ancestors: [...above.lineage.ancestors, run], fork: { live, later } },
  };
}

/** All entries of all generations of a run, its own only. */
export async function readAll(engine: Engine, record: RunRecord): Promise<readonly Entry[]> {
  const generations: Entry[] = [];
  for (let generation = 0; generation <= record.generation; generation++) {
    generations.push(...(await readEntries(engine, record, generation)));
  }
  return generations;
}

/** A part of a journal: the entries after a position, up to a limit. */
export interface JournalPart {
  readonly after?: { readonly generation: number; readonly seq: number };
  readonly limit?: number;
}

/** A reader that comes back gets what it has not seen, without the rest being read again. */
export async function readPart(engine: Engine, record: RunRecord, part: JournalPart): Promise<readonly Entry[]> {
  refuseDamaged(record);
  const { after, limit = Number.POSITIVE_INFINITY } = part;
  const found: Entry[] = [];
  for (let generation = after?.generation ?? 0; generation <= record.generation && found.length < limit; generation++) {
    const from = generation === after?.generation ? after.seq + 1 : 0;
    const to = Number.isFinite(limit) ? { to: from + limit - found.length - 1 } : {};
    found.push(...(await decodeEntries(engine, record, await engine.read(record.id, { generation, from, ...to }))));
  }
  return found;
}

/** Entries that are read and decoded in one turn: a long journal must not stop every other run of the process. */
const PAGE = 1_000;

export async function readEntries(engine: Engine, run: Whose, generation: number): Promise<readonly Entry[]> {
  refuseDamaged(run);
  const entries: Entry[] = [];
  for (let from = 0; ; from += PAGE) {
    const page = await engine.read(run.id, { generation, from, to: from + PAGE - 1 });
    for (const entry of await decodeEntries(engine, run, page)) entries.push(entry);
    if (page.length < PAGE) return entries;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What a run waits for, from the engine's index of it: the journal's other entries are not read. */
export async function openWaitsOf(engine: Engine, run: Whose): Promise<readonly EventOf<'wait-start'>[]> {
  refuseDamaged(run);
  const starts: EventOf<'wait-start'>[] = [];
  for (const { token, generation, seq } of await engine.waits(run.id)) {
    const [entry] = await decodeEntries(engine, run, await engine.read(run.id, { generation, from: seq, to: seq }));
    if (entry?.event.type !== 'wait-start' || entry.event.token !== token)
      throw runDamaged(run.id, 'The index of open waits');
    starts.push(entry.event);
  }
  return starts;
}

/** Throws JOURNAL_CORRUPT with the place of the entry whose content is not what its hash says. */
async function decodeEntries(
  engine: Engine,
  { id: runId, tenant }: Whose,
  stored: readonly StoredEntry[],
): Promise<readonly Entry[]> {
  const references = new Set(stored.flatMap((entry) => referencesIn(entry.body)));
  const blobs = references.size === 0 ? new Map<string, string>() : await engine.blobs(tenant, [...references]);
  const damaged = new Set([...references].filter((hash) => contentId(blobs.get(hash) ?? '') !== hash));
  return stored.map((entry) => {
    if (damaged.size > 0 && referencesIn(entry.body).some((hash) => damaged.has(hash)))
      throw entryDamaged(runId, entry, 'changed');
    const event = eventIn(entry, blobs) ?? damagedAt(runId, entry);
    if ((event.type === 'run-start' || event.type === 'generation-start') && event.v > EVENT_VERSION) {
      throw new FlyballError(
        'JOURNAL_NEWER',
        `This journal was written in format ${event.v}; this version of flyball reads up to ${EVENT_VERSION}. Upgrade flyball.`,
      );
    }
    return { generation: entry.generation, seq: entry.seq, at: entry.at, activeMs: entry.activeMs, event };
  });
}

/** Undefined where the body is not an event. An engine without checksums hands out whatever its rows hold. */
function eventIn({ body }: StoredEntry, blobs: ReadonlyMap<string, string>): RunEvent | undefined {
  try {
    const event = decode(body, blobs) as Partial<RunEvent> | null;
    return typeof event?.type === 'string' ? (event as RunEvent) : undefined;
  } catch {
    return undefined;
  }
}

function damagedAt(runId: string, entry: StoredEntry): never {
  throw entryDamaged(runId, entry, 'changed');
}

/** Builds a stored prompt chain again. Each link's id is computed anew, so that damage shows. */
export async function readPrompt(engine: Engine, run: Whose, tip: string): Promise<Prompt | undefined> {
  refuseDamaged(run);
  const { tenant } = run;
  const links = await engine.links(tenant, tip);
  const blobs = await engine.blobs(
    tenant,
    links.flatMap(({ blob }) => (blob === undefined ? [] : [blob])),
  );
  let prompt: Prompt | undefined;
  let media: MediaPart[] = []; // of the message that comes next
  for (const link of links) {
    const content = link.content ?? blobs.get(link.blob ?? '');
    const part = content === undefined ? undefined : mediaFrom(link.header, content);
    if (part !== undefined) {
      media.push(part);
      continue;
    }
    prompt = content === undefined ? undefined : append(prompt, segmentFrom(link.header, content, media));
    media = [];
    if (prompt?.id !== link.id)
      throw new FlyballError('JOURNAL_CORRUPT', `Link ${link.id} of a prompt chain does not hold what its id says.`);
  }
  return prompt;
}

function laterEnds(
  entries: readonly LoadedEntry[],
  after: number,
): Map<EffectId, { readonly fp: string; readonly end: EventOf<'complete'> }> {
  const fps = new Map<EffectId, string>();
  const later = new Map<EffectId, { readonly fp: string; readonly end: EventOf<'complete'> }>();
  for (const { event, seq, inherited } of entries) {
    if (event.type === 'intent') fps.set(event.id, event.fp);
    if (event.type !== 'complete' || inherited !== undefined || seq <= after) continue;
    const fp = event.fp ?? fps.get(event.id);
    if (fp !== undefined) later.set(event.id, { fp, end: event });
  }
  return later;
}

/** Whether a fork may act on the world, later generations included. */
async function isLive(engine: Engine, run: Whose): Promise<boolean> {
  const [first] = await decodeEntries(engine, run, await engine.read(run.id, { generation: 0, from: 0, to: 0 }));
  return first?.event.type === 'run-start' && first.event.fork?.live === true;
}
