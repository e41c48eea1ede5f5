import { setMaxListeners } from 'node:events';
import type { Entry } from '../../core/events.js';
import type { ModelDelta } from '../../core/model.js';
import type { Clock } from '../../ports/clock.js';
import type { RunRecord } from '../../ports/engine.js';
import { jsonWithoutSecrets } from '../../tools/governance/guards/secret-shapes.js';
import { blankPrivate } from '../../views/without-private.js';
import type { AgentDirectory } from '../agents/agent-directory.js';
import type { Fleet } from '../agents/fleet.js';
import { servedName } from '../agents/served-agent.js';
import type { RunCard } from '../contract/resources.js';
import type { Log } from '../log.js';
import { CardDesk } from './card-desk.js';
import type { RingLimits, RingTotal } from './entry-ring.js';
import { ForeignWriters } from './foreign-writers.js';
import { comparePositions, type Position } from './position.js';
import { runCard } from './run-card.js';
import type { EntryItem, FeedItem, ReadFrom, RunFeed } from './run-feed.js';
import type { RunFold } from './run-fold.js';
import { RunFolds } from './run-folds.js';
import { WatchedRun } from './watched-run.js';

export interface FeedParts {
  readonly fleet: Pick<Fleet, 'get' | 'list' | 'entries' | 'subscribe' | 'subscribeDeltas'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: Pick<AgentDirectory, 'get'>;
  /** Values that must never leave, whatever they look like. */
  readonly secrets?: readonly string[];
}

/** Entries handed over at once. */
const HANDFUL = 200;
const FIRST_HANDFUL = 16;
const HANDFUL_BYTES = 131_072;
const FOLDS = 2_000;
const RING: RingLimits = { items: 512, bytes: 1_048_576, allBytes: 67_108_864 };
/** Pieces of replies are joined over this long before readers are told. */
const DELTA_MS = 40;

export function openRunFeed(parts: FeedParts): RunFeed {
  return new OpenFeed(parts);
}

class OpenFeed implements RunFeed {
  private readonly parts: FeedParts;
  private readonly known: readonly string[];
  readonly clean: (json: string) => string;
  private readonly folds: RunFolds;
  private readonly watched = new Map<string, WatchedRun>();
  private readonly ringTotal: RingTotal = { bytes: 0 };
  private readonly desk: CardDesk;
  private readonly foreign: ForeignWriters;
  private readonly stopHearing: () => void;
  private readonly stopDeltas: () => void;
  private readonly closing = new AbortController();
  private readonly count = { readers: 0, dropped: 0 };
  private readonly deltaWake = new Set<WatchedRun>();

  constructor(parts: FeedParts) {
    const { fleet, clock } = parts;
    this.parts = parts;
    setMaxListeners(0, this.closing.signal); // one for each reader, and it goes with it
    this.known = parts.secrets ?? [];
    this.clean = jsonWithoutSecrets(this.known);
    const time = {
      now: () => clock.now(),
      after: (ms: number, go: () => void) => clock.after(ms, go, { keepAlive: false }),
    };
    this.folds = new RunFolds(fleet, {
      most: FOLDS,
      isPinned: (runId) => this.watched.has(runId),
      onTaken: (fold, entries) => this.taken(fold, entries),
    });
    this.foreign = new ForeignWriters(this.watched, time, (run) => this.look(run));
    this.desk = new CardDesk({
      ...time,
      get: (runId) => fleet.get(runId),
      list: (filter) => fleet.list(filter),
      makeCard: (record) => this.card(record),
      isWatched: (runId) => this.watched.has(runId),
      onCard: (card) => this.showCard(card),
      onProblem: (error, runId) => this.problem('making a card', error, runId),
    });
    this.stopHearing = fleet.subscribe((runId, entries) => this.hear(runId, entries));
    // from the beginning: a model that nobody listens to does not stream, and most readers come a moment after the start
    this.stopDeltas = fleet.subscribeDeltas((...heard) => this.hearDelta(...heard));
  }

  async *read(runId: string, from: ReadFrom, signal: AbortSignal): AsyncIterable<FeedItem> {
    for await (const items of this.batches(runId, from, signal)) yield* items;
  }

  async *batches(runId: string, from: ReadFrom, given: AbortSignal): AsyncIterable<readonly FeedItem[]> {
    const run = this.enter(runId);
    const link = linked([given, this.closing.signal], () => run.wake());
    const cursor = from.deltas === true ? run.deltas.enter() : undefined;
    try {
      yield* this.follow(run, from.after, cursor, link.signal);
    } finally {
      link.stop();
      if (cursor !== undefined) run.deltas.leave(cursor);
      this.leave(run);
    }
  }

  private async *follow(
    run: WatchedRun,
    after: Position | undefined,
    cursor: ReturnType<WatchedRun['deltas']['enter']> | undefined,
    signal: AbortSignal,
  ): AsyncIterable<readonly FeedItem[]> {
    const { runId } = run;
    run.ended ??= (await this.folds.current(runId)).ended;
    if (run.card === undefined) run.show(await this.cardNow(runId));
    let position = after;
    let limit = FIRST_HANDFUL;
    let cardSeen = run.cardVersion;
    if (run.card !== undefined) yield [{ kind: 'card', card: run.card }];
    while (!signal.aborted) {
      const { version } = run;
      const items = handful(run.ring.after(position, limit) ?? (await this.onward(runId, position, limit)));
      if (items.length > 0) {
        position = items.at(-1)?.position;
        limit = nextLimit(items);
        yield items;
        continue;
      }
      const more: FeedItem[] = [];
      const isOver = run.ended !== undefined && run.version === version;
      if (isOver) await this.lastCard(run);
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

  async entries(runId: string, from: { readonly after?: Position; readonly limit: number }): Promise<readonly Entry[]> {
    return (await this.page(runId, from.after, from.limit)).map(({ entry }) => entry);
  }

  async journal(runId: string): Promise<readonly Entry[]> {
    const fold = await this.folds.current(runId);
    return (await this.parts.fleet.entries(runId)).map((entry) => this.item(entry, fold).entry);
  }

  async card(record: RunRecord): Promise<RunCard> {
    // a run that is heard here needs no reading: what was heard is all there is
    const fold = this.folds.heard(record.id, this.parts.clock.now()) ?? (await this.folds.current(record.id, record));
    const text = JSON.stringify(runCard(record, fold, this.served(record.agent)));
    return JSON.parse(this.clean(text)) as RunCard;
  }

  fold(runId: string): Promise<RunFold> {
    return this.folds.current(runId);
  }

  async *cards(tenant: string, given: AbortSignal): AsyncIterable<RunCard> {
    const channel = this.desk.enter(tenant);
    const link = linked([given, this.closing.signal], () => channel.wake());
    try {
      let number = channel.now;
      while (!link.signal.aborted) {
        const news = channel.since(number);
        if (news === undefined) return;
        number = news.number;
        for (const card of news.cards) yield card;
        if (!link.signal.aborted) await channel.changed(number);
      }
    } finally {
      link.stop();
      this.desk.leave(tenant);
    }
  }

  stats(): ReturnType<RunFeed['stats']> {
    let dropped = this.count.dropped;
    for (const { deltas } of this.watched.values()) dropped += deltas.dropped;
    return {
      readers: this.count.readers,
      cardReaders: this.desk.readers,
      droppedDeltas: dropped,
      watchedRuns: this.watched.size,
      ringBytes: this.ringTotal.bytes,
      folds: this.folds.size,
    };
  }

  close(): void {
    this.closing.abort();
    this.stopHearing();
    this.stopDeltas();
    this.desk.close();
    this.foreign.close();
  }

  private enter(runId: string): WatchedRun {
    const run = this.watched.get(runId) ?? new WatchedRun(runId, RING, this.ringTotal, this.known);
    this.count.readers++;
    if (run.readers++ === 0) {
      this.watched.set(runId, run);
      this.foreign.begin(run);
    }
    return run;
  }

  private leave(run: WatchedRun): void {
    this.count.readers--;
    if (--run.readers > 0) return;
    run.ring.clear();
    this.count.dropped += run.deltas.dropped;
    this.watched.delete(run.runId);
  }

  /** A piece of a reply while it arrives. */
  private hearDelta(runId: string, effect: string, attempt: number, delta: ModelDelta): void {
    const run = this.watched.get(runId);
    // of a run that holds something private only the journal tells: it knows what to hide
    if (run?.deltas.isRead !== true || this.folds.known(runId)?.privacy.isEmpty !== true) return;
    run.deltas.add(effect, attempt, delta);
    this.wakeSoon(run);
  }

  private wakeSoon(run: WatchedRun): void {
    if (this.deltaWake.size === 0) {
      const wake = (): void => {
        for (const woken of this.deltaWake) woken.wake();
        this.deltaWake.clear();
      };
      this.parts.clock.after(DELTA_MS, wake, { keepAlive: false });
    }
    this.deltaWake.add(run);
  }

  /** Entries of this process, once they are durable. */
  private hear(runId: string, entries: readonly Entry[]): void {
    const isTaken = this.folds.hear(runId, entries, this.parts.clock.now());
    this.desk.touch(runId);
    const run = this.watched.get(runId);
    if (run === undefined) return;
    this.foreign.heard(run);
    if (isTaken) return;
    run.ring.clear(); // what follows does not follow on what it holds
    this.look(run).catch((error: unknown) => this.problem('reading on', error, runId));
  }

  /** The next entries of a run, in order and without gaps, from wherever they came. */
  private taken(fold: RunFold, entries: readonly Entry[]): void {
    const run = this.watched.get(fold.runId);
    if (run === undefined) return;
    // it may mark what the ring shows
    if (!fold.privacy.isEmpty && entries.some(({ event }) => event.type === 'note')) run.ring.clear();
    run.ring.push(entries.map((entry) => this.item(entry, fold)));
    for (const { event } of entries) if (event.type === 'ask-end') run.deltas.end(event.id);
    if (fold.ended !== undefined) {
      run.ended = fold.ended;
      run.deltas.clear();
    }
    run.wake();
  }

  private async look(run: WatchedRun): Promise<boolean> {
    const before = this.folds.known(run.runId);
    const was = before?.position;
    try {
      const fold = await this.folds.current(run.runId);
      run.ended ??= fold.ended;
      const isNews = fold !== before || fold.position !== was;
      if (isNews || (await this.hasRested(run))) this.desk.touch(run.runId);
      if (fold !== before) {
        run.ring.clear();
        run.wake();
      }
      return isNews;
    } catch (error) {
      this.problem('looking for entries of another process', error, run.runId);
      return false;
    }
  }

  /** A run comes to rest without an entry. */
  private async hasRested({ runId, card }: WatchedRun): Promise<boolean> {
    return card !== undefined && (await this.parts.fleet.get(runId)).status !== card.status;
  }

  private async page(runId: string, after: Position | undefined, limit: number): Promise<readonly EntryItem[]> {
    const entries = await this.parts.fleet.entries(runId, { ...(after === undefined ? {} : { after }), limit });
    if (entries.length === 0) return [];
    const fold = await this.folds.current(runId); // read after them: it knows every mark that could concern them
    return entries.map((entry) => this.item(entry, fold));
  }

  /** A page for a reader of a watched run, whose fold hears of every mark. */
  private async onward(runId: string, after: Position | undefined, limit: number): Promise<readonly EntryItem[]> {
    const entries = await this.parts.fleet.entries(runId, { ...(after === undefined ? {} : { after }), limit });
    const last = entries.at(-1);
    if (last === undefined) return [];
    const known = this.folds.known(runId);
    const reaches = known?.position !== undefined && comparePositions(known.position, last) >= 0;
    const fold = reaches ? known : await this.folds.current(runId);
    return entries.map((entry) => this.item(entry, fold));
  }

  private item(entry: Entry, { privacy }: RunFold): EntryItem {
    const { generation, seq, at, activeMs, event } = entry;
    const plain = { generation, seq, at, activeMs, event };
    const text = this.clean(JSON.stringify(privacy.isEmpty ? plain : blankPrivate(plain, privacy)));
    return new TextItem({ generation, seq }, text);
  }

  private served(name: string): ReturnType<typeof servedName> {
    const served = servedName(name);
    const isWorkflow = this.parts.directory.get(served.agent)?.kind === 'workflow';
    return isWorkflow && served.mode === 'iterative' ? { ...served, mode: 'workflow' } : served;
  }

  private async cardNow(runId: string): Promise<RunCard> {
    return this.card(await this.parts.fleet.get(runId));
  }

  private showCard(card: RunCard): void {
    const run = this.watched.get(card.id);
    if (run !== undefined && card.status !== 'running') this.foreign.rests(run);
    run?.show(card);
  }

  private async lastCard(run: WatchedRun): Promise<void> {
    if (run.card?.status === run.ended && run.card?.outcome !== undefined) return;
    this.showCard(await this.cardNow(run.runId));
  }

  private problem(doing: string, error: unknown, run: string): void {
    this.parts.log.error(`feed: ${doing}`, error, { run });
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

/** The object is made from the text when somebody wants it: a live entry may change under its reader's hands. */
class TextItem implements EntryItem {
  readonly kind = 'entry';
  readonly position: Position;
  readonly text: string;

  constructor(position: Position, text: string) {
    this.position = position;
    this.text = text;
  }

  get entry(): Entry {
    return JSON.parse(this.text) as Entry;
  }
}

/** Aborted with either; the listeners go when the reader goes, since one of the two lives as long as the server. */
function linked(
  signals: readonly AbortSignal[],
  wake: () => void,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const control = new AbortController();
  const abort = (): void => {
    control.abort();
    wake(); // it may be waiting for something that does not come
  };
  for (const signal of signals) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: control.signal,
    stop: () => {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    },
  };
}
