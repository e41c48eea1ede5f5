import { setMaxListeners } from 'node:events';
import type { Clock, Entry, ModelDelta, RunRecord } from 'flyball';
import { jsonWithoutSecrets, refuseDamaged } from 'flyball/internal';
import type { AgentDirectory } from '../agents/agent-directory.js';
import type { Fleet } from '../agents/fleet.js';
import { servedName } from '../agents/served-agent.js';
import type { RunCard } from '../contract/resources.js';
import type { Log } from '../log.js';
import { CardDesk } from './card-desk.js';
import type { DeltaCursor } from './delta-board.js';
import type { RingLimits, RingTotal } from './entry-ring.js';
import { followRun } from './follow-run.js';
import { ForeignWriters } from './foreign-writers.js';
import { JournalPages } from './journal-pages.js';
import type { Position } from './position.js';
import { damagedCard, runCard } from './run-card.js';
import type { FeedItem, ReadFrom, RunFeed } from './run-feed.js';
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

/** About 4 KB each. Runs that somebody watches stay beside these; a list of older runs reads their journals again. */
const FOLDS = 400;
const RING: RingLimits = { items: 512, bytes: 1_048_576, allBytes: 67_108_864 };
/** Pieces of replies are joined over this long before readers are told. */
const DELTA_MS = 40;

export function openRunFeed(parts: FeedParts): RunFeed {
  return new OpenFeed(parts);
}

class OpenFeed implements RunFeed {
  private readonly parts: FeedParts;
  private readonly known: readonly string[];
  private readonly clean: (json: string) => string;
  private readonly folds: RunFolds;
  private readonly pages: JournalPages;
  private readonly watched = new Map<string, WatchedRun>();
  private readonly ringTotal: RingTotal = { bytes: 0 };
  private readonly desk: CardDesk;
  private readonly foreign: ForeignWriters;
  private readonly stopHearing: () => void;
  private readonly stopDeltas: () => void;
  private readonly closing = new AbortController();
  private readonly count = { readers: 0, dropped: 0 };
  private readonly deltaWake = new Set<WatchedRun>();
  /** Runs that are about to be started and read. */
  private readonly expected = new Map<string, DeltaCursor>();

  constructor(parts: FeedParts) {
    const { fleet, clock } = parts;
    this.parts = parts;
    setMaxListeners(0, this.closing.signal); // one for each reader, and it goes with it
    this.known = parts.secrets ?? [];
    this.clean = jsonWithoutSecrets(this.known);
    const time = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms: number, go: () => void) => clock.after(ms, go, { keepAlive: false }),
    };
    this.folds = new RunFolds(fleet, {
      most: FOLDS,
      isPinned: (runId) => this.watched.has(runId),
      onTaken: (fold, entries) => this.taken(fold, entries),
    });
    this.pages = new JournalPages(fleet, this.folds, this.clean);
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

  expect(runId: string): () => void {
    this.folds.begin(runId);
    const run = this.hold(runId);
    run.poll.at = Number.POSITIVE_INFINITY; // nobody writes to it before it is heard here
    this.expected.set(runId, run.deltas.enter());
    return () => {
      const cursor = this.expectedBy(run);
      if (cursor !== undefined) run.deltas.leave(cursor);
      this.folds.forgetEmpty(runId);
    };
  }

  async *read(runId: string, from: ReadFrom, signal: AbortSignal): AsyncIterable<FeedItem> {
    for await (const items of this.batches(runId, from, signal)) yield* items;
  }

  async *batches(runId: string, from: ReadFrom, given: AbortSignal): AsyncIterable<readonly FeedItem[]> {
    const run = this.enter(runId);
    const link = linked([given, this.closing.signal], () => run.wake());
    const cursor = from.deltas === true ? (this.expectedBy(run) ?? run.deltas.enter()) : undefined;
    try {
      run.ended ??= (await this.folds.current(runId)).ended;
      if (run.card === undefined) run.show(await this.cardNow(runId));
      yield* followRun(run, {
        after: from.after,
        cursor,
        signal: link.signal,
        onward: (after, limit) => this.pages.onward(run, after, limit),
        lastCard: () => this.lastCard(run),
      });
    } finally {
      link.stop();
      if (cursor !== undefined) run.deltas.leave(cursor);
      this.leave(run);
    }
  }

  async entries(runId: string, from: { readonly after?: Position; readonly limit: number }): Promise<readonly Entry[]> {
    return (await this.pages.page(runId, from.after, from.limit)).map(({ entry }) => entry);
  }

  async journal(runId: string): Promise<readonly Entry[]> {
    return (await this.pages.all(runId)).map(({ entry }) => entry);
  }

  async card(record: RunRecord): Promise<RunCard> {
    const served = this.served(record.agent);
    return this.cleaned(
      await this.foldFor(record).then(
        (fold) => runCard(record, fold, served),
        (error: unknown) => damagedCard(record, served, error),
      ),
    );
  }

  async detail(record: RunRecord): ReturnType<RunFeed['detail']> {
    const { items, fold } = await this.pages.whole(record.id);
    const card = this.cleaned(runCard(record, fold, this.served(record.agent)));
    return { card, entries: items.map(({ entry }) => entry) };
  }

  private cleaned(card: RunCard): RunCard {
    return JSON.parse(this.clean(JSON.stringify(card))) as RunCard;
  }

  /** A run that is heard here needs no reading: what was heard is all there is. */
  private async foldFor(record: RunRecord): Promise<RunFold> {
    refuseDamaged(record); // also what was heard before the damage: it is not known for whom the card is
    const { id } = record;
    return this.folds.heard(id, this.parts.clock.monotonic()) ?? (await this.folds.current(id));
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
    this.count.readers++;
    return this.hold(runId);
  }

  private leave(run: WatchedRun): void {
    this.count.readers--;
    this.letGo(run);
  }

  /** Where the first reader of an expected run begins; it takes the place that was kept for it. */
  private expectedBy(run: WatchedRun): DeltaCursor | undefined {
    const cursor = this.expected.get(run.runId);
    if (!this.expected.delete(run.runId)) return undefined;
    this.letGo(run);
    return cursor;
  }

  private hold(runId: string): WatchedRun {
    const run = this.watched.get(runId) ?? new WatchedRun(runId, RING, this.ringTotal, this.known);
    if (run.readers++ === 0) {
      this.watched.set(runId, run);
      this.foreign.begin(run);
    }
    return run;
  }

  private letGo(run: WatchedRun): void {
    if (--run.readers > 0) return;
    run.forgetEntries();
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
    const isTaken = this.folds.hear(runId, entries, this.parts.clock.monotonic());
    this.desk.touch(runId);
    const run = this.watched.get(runId);
    if (run === undefined) return;
    this.foreign.heard(run);
    if (isTaken) return;
    run.forgetEntries(); // what follows does not follow on what it holds
    this.look(run).catch((error: unknown) => this.problem('reading on', error, runId));
  }

  /** The next entries of a run, in order and without gaps, from wherever they came. */
  private taken(fold: RunFold, entries: readonly Entry[]): void {
    const run = this.watched.get(fold.runId);
    if (run === undefined) return;
    // it may mark what the ring shows
    if (!fold.privacy.isEmpty && entries.some(({ event }) => event.type === 'note')) run.forgetEntries();
    run.ring.push(entries.map((entry) => this.pages.item(entry, fold)));
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
        run.forgetEntries();
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
